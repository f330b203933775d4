"""A Llama written out in numpy, to hold logits against: no cache, no batch, no library.

Its weights come from a checkpoint of transformers or straight out of a GGUF file, whose queries and
keys lie so that neighbouring numbers are rotated together instead of the two halves of a head.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

Matrix = NDArray[np.float64]
GGUF_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


@dataclass
class PlainLlama:
    weights: dict[str, NDArray[np.float32]]
    layers: int
    heads: int
    key_heads: int
    epsilon: float
    theta: float
    neighbours: bool

    def logits(self, ids: Sequence[int]) -> Matrix:
        """Shape (tokens, vocabulary): what follows each token."""
        embedding = self.weights["model.embed_tokens.weight"].astype(np.float64)
        states = embedding[list(ids)]
        for layer in range(self.layers):
            at = f"model.layers.{layer}."
            states = states + self._attention(at, self._norm(states, at + "input_layernorm"))
            inner = self._norm(states, at + "post_attention_layernorm")
            gate = self._times(inner, at + "mlp.gate_proj")
            up = self._times(inner, at + "mlp.up_proj")
            states = states + self._times(gate / (1 + np.exp(-gate)) * up, at + "mlp.down_proj")
        logits: Matrix = self._norm(states, "model.norm") @ embedding.T
        return logits

    def log_probabilities(self, ids: Sequence[int]) -> Matrix:
        logits = self.logits(ids)
        top = logits.max(axis=1, keepdims=True)
        found: Matrix = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        return found

    def _attention(self, at: str, states: Matrix) -> Matrix:
        length = len(states)
        queries = self._rotated(self._heads(states, at + "self_attn.q_proj", self.heads))
        keys = self._rotated(self._heads(states, at + "self_attn.k_proj", self.key_heads))
        values = self._heads(states, at + "self_attn.v_proj", self.key_heads)
        later = np.triu(np.ones((length, length), dtype=bool), 1)
        outputs = []
        for head in range(self.heads):
            shared = head // (self.heads // self.key_heads)
            scores = queries[head] @ keys[shared].T / np.sqrt(queries.shape[2])
            scores[later] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            outputs.append(weights / weights.sum(axis=1, keepdims=True) @ values[shared])
        return self._times(np.concatenate(outputs, axis=1), at + "self_attn.o_proj")

    def _heads(self, states: Matrix, name: str, heads: int) -> Matrix:
        """Shape (heads, tokens, width of a head)."""
        return self._times(states, name).reshape(len(states), heads, -1).transpose(1, 0, 2)

    def _rotated(self, vectors: Matrix) -> Matrix:
        _, length, width = vectors.shape
        speeds = self.theta ** (-np.arange(0, width, 2) / width)
        angles = np.arange(length)[:, None] * speeds
        first = slice(0, None, 2) if self.neighbours else slice(0, width // 2)
        second = slice(1, None, 2) if self.neighbours else slice(width // 2, None)
        a, b = vectors[:, :, first], vectors[:, :, second]
        turned = vectors.copy()
        turned[:, :, first] = a * np.cos(angles) - b * np.sin(angles)
        turned[:, :, second] = b * np.cos(angles) + a * np.sin(angles)
        return turned

    def _norm(self, states: Matrix, name: str) -> Matrix:
        scale = np.sqrt((states**2).mean(axis=1, keepdims=True) + self.epsilon)
        return states / scale * self.weights[name + ".weight"].astype(np.float64)

    def _times(self, states: Matrix, name: str) -> Matrix:
        return states @ self.weights[name + ".weight"].astype(np.float64).T


def from_checkpoint(folder: Path) -> PlainLlama:
    """Of a folder that transformers reads."""
    config = json.loads((folder / "config.json").read_text())
    return PlainLlama(
        load_file(folder / "model.safetensors"),
        config["num_hidden_layers"],
        config["num_attention_heads"],
        config["num_key_value_heads"],
        config["rms_norm_eps"],
        config["rope_parameters"]["rope_theta"],
        neighbours=False,
    )


def from_gguf(path: Path) -> PlainLlama:
    """Of a GGUF file, its numbers multiplied out by the package gguf alone."""
    import gguf

    reader = gguf.GGUFReader(path)
    found = {one.name: gguf.dequantize(one.data, one.tensor_type) for one in reader.tensors}

    def value(name: str) -> float:
        field = reader.fields[f"llama.{name}"]
        return float(field.parts[field.data[0]][0])

    layers = int(value("block_count"))
    weights = {
        "model.embed_tokens.weight": found["token_embd.weight"],
        "model.norm.weight": found["output_norm.weight"],
    }
    for layer in range(layers):
        for ours, theirs in GGUF_NAMES.items():
            weights[f"model.layers.{layer}.{ours}.weight"] = found[f"blk.{layer}.{theirs}.weight"]
    return PlainLlama(
        weights,
        layers,
        int(value("attention.head_count")),
        int(value("attention.head_count_kv")),
        value("attention.layer_norm_rms_epsilon"),
        value("rope.freq_base"),
        neighbours=True,
    )
