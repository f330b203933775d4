"""Random weights at the sizes of the registered models: they cost what trained ones do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch

from chunkstudy.base.models import MODELS, Architecture, ModelSpec
from tests import checkpoints

VOCABULARY = 1000
"""Looking a word up costs no multiplication, so few words do."""
SMALL = Architecture(layers=2, hidden=48, heads=4, intermediate=96)
SMALL_POSITIONS = 64


def architectures() -> Iterator[tuple[ModelSpec, list[str]]]:
    """A model of every architecture and size, and the ids of all models that have them."""
    same: dict[tuple[object, ...], list[ModelSpec]] = {}
    for spec in MODELS.values():
        if spec.architecture is not None:
            key = (spec.kind, spec.architecture, spec.positions)
            same.setdefault(key, []).append(spec)
    for specs in same.values():
        yield specs[0], [spec.id for spec in specs]


def write(spec: ModelSpec, folder: Path, small: bool) -> ModelSpec:
    """A random checkpoint of a model's kind and size, and what the registry would say of it.

    Args:
        spec: the model.
        folder: to write it to.
        small: whether every size is made small, positions too.
    """
    assert spec.architecture is not None
    sizes, positions = spec.architecture, spec.positions
    if small:
        sizes, positions = replace(SMALL, gated=sizes.gated), min(positions, SMALL_POSITIONS)
    bert = spec.kind == "bert"
    kind = "jina_bert" if bert else spec.kind
    wanted = (sizes.layers, sizes.hidden, sizes.heads, sizes.intermediate)
    config = checkpoints.configuration(kind, positions=positions)
    config |= dict(zip(checkpoints.size_keys(kind), wanted, strict=True))
    config["vocab_size"] = VOCABULARY
    if bert:
        config = {k: v for k, v in config.items() if k not in ("feed_forward_type", "emb_pooler")}
        config["position_embedding_type"] = "absolute"
    weights = checkpoints.random_weights(spec.kind, config)
    if bert:
        weights["embeddings.position_embeddings.weight"] = torch.randn(positions, sizes.hidden)
    checkpoints.write(folder, spec.kind, config, weights)
    return checkpoints.specification(folder, spec.kind, config)
