"""BERT's forward pass without padding.

The tokens of a batch form one matrix for every linear layer; attention runs over groups of texts
of equal length. The weights are the checkpoint's own; the result equals the padded computation up
to float32 rounding, without the work that padding costs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch.nn import functional

from chunkstudy.encoders.models import ModelError

IGNORED = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}
LAYER_PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


class Bert:
    """The encoder stack of a BERT checkpoint in float32.

    Raises:
        ModelError: if the checkpoint is cut short, has missing or unexpected keys, or its
            configuration asks for what this computation does not do.
    """

    def __init__(self, folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("hidden_act") != "gelu" or config.get("model_type") != "bert":
            raise ModelError(f"{folder.name}: only BERT with the exact gelu is computed here")
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.layers: int = config["num_hidden_layers"]
        try:
            weights = load_file(folder / "model.safetensors")
        except SafetensorError as error:
            raise ModelError(
                f"{folder.name}/model.safetensors is cut short or damaged; install it again"
            ) from error
        self._check(set(weights), folder.name)
        self.weights = {name: tensor.float().contiguous() for name, tensor in weights.items()}
        for i in range(self.layers):
            base = f"encoder.layer.{i}.attention.self."
            for kind in ("weight", "bias"):
                self.weights[f"{base}qkv.{kind}"] = torch.cat(
                    [self.weights.pop(f"{base}{part}.{kind}") for part in ("query", "key", "value")]
                )

    @torch.inference_mode()
    def states(self, batch: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """Token states of texts given as ids, grouped by length.

        Args:
            batch: ids of each text, special tokens included, lengths ascending.

        Returns:
            One tensor (texts, tokens, hidden) per run of texts of equal length, in order.
        """
        lengths = [len(ids) for ids in batch]
        if lengths != sorted(lengths):
            raise ValueError("the texts of a batch must stand in ascending order of length")
        groups = [(length, lengths.count(length)) for length in sorted(set(lengths))]
        flat = torch.tensor([i for ids in batch for i in ids])
        places = torch.cat([torch.arange(length).repeat(times) for length, times in groups])
        hidden = self.weights["embeddings.word_embeddings.weight"][flat]
        hidden += self.weights["embeddings.position_embeddings.weight"][places]
        hidden += self.weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            attended = self._attend(self._linear(hidden, layer + "attention.self.qkv"), groups)
            attended = self._linear(attended, layer + "attention.output.dense")
            hidden = self._norm(attended.add_(hidden), layer + "attention.output.LayerNorm")
            wide = functional.gelu(self._linear(hidden, layer + "intermediate.dense"))
            narrow = self._linear(wide, layer + "output.dense")
            hidden = self._norm(narrow.add_(hidden), layer + "output.LayerNorm")
        sizes = [length * times for length, times in groups]
        return [
            part.view(times, length, -1)
            for part, (length, times) in zip(hidden.split(sizes), groups, strict=True)
        ]

    def _attend(self, qkv: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        width = qkv.shape[1] // 3
        found = torch.empty(qkv.shape[0], width)
        start = 0
        for length, times in groups:
            end = start + length * times
            part = qkv[start:end].view(times, length, 3, self.heads, width // self.heads)
            query, key, value = part.permute(2, 0, 3, 1, 4)
            attended = functional.scaled_dot_product_attention(query, key, value)
            found[start:end] = attended.transpose(1, 2).reshape(length * times, width)
            start = end
        return found

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            states, self.weights[name + ".weight"], self.weights[name + ".bias"]
        )

    def _norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return functional.layer_norm(states, weight.shape, weight, bias, self.epsilon)

    def _check(self, keys: set[str], name: str) -> None:
        parts = [f"encoder.layer.{i}.{part}" for i in range(self.layers) for part in LAYER_PARTS]
        expected = {f"{part}.{kind}" for part in parts for kind in ("weight", "bias")}
        expected |= {f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position")}
        expected |= {"embeddings.token_type_embeddings.weight"}
        expected |= {f"embeddings.LayerNorm.{kind}" for kind in ("weight", "bias")}
        for fault, wrong in (("lacks", expected - keys), ("has", keys - expected - IGNORED)):
            if wrong:
                raise ModelError(f"the checkpoint {name} {fault} {min(wrong)}; it is another model")
