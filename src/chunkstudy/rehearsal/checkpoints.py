"""Random weights under the names that published checkpoints give them."""

from __future__ import annotations

from typing import Any

import torch

Weights = dict[str, torch.Tensor]


def size_keys(kind: str) -> tuple[str, ...]:
    """Published keys of layers, hidden, heads and intermediate."""
    if kind == "nomic_bert":
        return ("n_layer", "n_embd", "n_head", "n_inner")
    return ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size")


def attention_names(kind: str) -> tuple[str, str, str, str]:
    """Published names of a layer's query, key, value and output."""
    if kind == "mpnet":
        return ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o")
    inside = "attention.self"
    return (f"{inside}.query", f"{inside}.key", f"{inside}.value", "attention.output.dense")


def norm_of_attention(kind: str) -> str:
    """Published name of the norm behind it."""
    return "attention.LayerNorm" if kind == "mpnet" else "attention.output.LayerNorm"


def random_weights(kind: str, config: dict[str, Any], seed: int = 0) -> Weights:
    """Random weights under the published names; nothing is left at a neutral value."""
    generator = torch.Generator().manual_seed(seed)
    nomic = kind == "nomic_bert"
    layers, width, _, inner = (config[key] for key in size_keys(kind))
    found: Weights = {}

    def linear(name: str, rows: int, columns: int, bias: bool = True) -> None:
        found[f"{name}.weight"] = torch.randn(rows, columns, generator=generator) * columns**-0.5
        if bias:
            found[f"{name}.bias"] = torch.randn(rows, generator=generator) * 0.3

    def norm(name: str) -> None:
        found[f"{name}.weight"] = 1 + 0.3 * torch.randn(width, generator=generator)
        found[f"{name}.bias"] = 0.3 * torch.randn(width, generator=generator)

    def table(name: str, rows: int) -> None:
        found[f"{name}.weight"] = torch.randn(rows, width, generator=generator)

    prefix = "roberta." if kind in ("xlm_roberta", "jina_embeddings_v3") else ""
    table(f"{prefix}embeddings.word_embeddings", config["vocab_size"])
    if kind == "mpnet":
        biases = (config["relative_attention_num_buckets"], config["num_attention_heads"])
        found["encoder.relative_attention_bias.weight"] = torch.randn(biases, generator=generator)
    else:
        table(f"{prefix}embeddings.token_type_embeddings", config["type_vocab_size"])
    if kind in ("xlm_roberta", "mpnet"):
        table(f"{prefix}embeddings.position_embeddings", config["max_position_embeddings"])
    rotary = kind in ("nomic_bert", "jina_embeddings_v3")
    norm(f"{prefix}emb_ln" if rotary else f"{prefix}embeddings.LayerNorm")
    for i in range(layers):
        layer = f"{prefix}encoder.layers.{i}." if rotary else f"{prefix}encoder.layer.{i}."
        if rotary:
            attention = layer + ("attn" if nomic else "mixer")
            linear(f"{attention}.Wqkv", 3 * width, width, bias=not nomic)
            linear(f"{attention}.out_proj", width, width, bias=not nomic)
            norm(f"{layer}norm1")
            for name in ("fc11", "fc12") if nomic else ("fc1",):
                linear(f"{layer}mlp.{name}", inner, width, bias=not nomic)
            linear(f"{layer}mlp.fc2", width, inner, bias=not nomic)
            norm(f"{layer}norm2")
            continue
        for name in attention_names(kind):
            linear(f"{layer}{name}", width, width)
        norm(layer + norm_of_attention(kind))
        if kind == "jina_bert":
            linear(f"{layer}mlp.gated_layers", 2 * inner, width, bias=False)
            linear(f"{layer}mlp.wo", width, inner)
            norm(f"{layer}mlp.layernorm")
        else:
            linear(f"{layer}intermediate.dense", inner, width)
            linear(f"{layer}output.dense", width, inner)
            norm(f"{layer}output.LayerNorm")
    if kind != "nomic_bert":
        linear(f"{prefix}pooler.dense", width, width)
    if kind == "jina_embeddings_v3":
        found = _with_adapters(found, config, generator)
    return found


def _with_adapters(weights: Weights, config: dict[str, Any], generator: torch.Generator) -> Weights:
    """Linear layers and embeddings as torch's parametrization stores them, an adapter a task."""
    tasks, rank = len(config["lora_adaptations"]), config["lora_rank"]
    found: Weights = {}
    for name, tensor in weights.items():
        if not name.endswith(".weight") or tensor.ndim != 2:
            found[name] = tensor
            continue
        base = name.removesuffix(".weight") + ".parametrizations.weight"
        rows, columns = tensor.shape
        down, up = (tasks, rank, columns), (tasks, rows, rank)
        if "embeddings." in name:
            down, up = (tasks, rows, rank), (tasks, rank, columns)
        found[f"{base}.original"] = tensor
        found[f"{base}.0.lora_A"] = torch.randn(down, generator=generator) * 0.7
        found[f"{base}.0.lora_B"] = torch.randn(up, generator=generator) * 0.7
    return found
