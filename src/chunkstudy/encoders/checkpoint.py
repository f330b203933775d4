"""The weights of a checkpoint as it was published: safetensors, whole, every key accounted for."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from chunkstudy.base.faults import ModelError

Weights = dict[str, torch.Tensor]
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = {".bin", ".pt", ".pth", ".pkl", ".ckpt"}


def read_weights(folder: Path) -> Weights:
    """The tensors of ``model.safetensors``, or of the shards that its index names, as stored.

    Raises:
        ModelError: if a file is missing, cut short or damaged, or there is only a pickle, which
            may hold code and is never read.
    """
    if (folder / WEIGHTS).is_file():
        return _read(folder / WEIGHTS)
    if (folder / INDEX).is_file():
        return _read_shards(folder)
    pickled = next((one.name for one in folder.iterdir() if one.suffix in PICKLES), None)
    raise ModelError(
        f"{folder.name} holds pickled weights only ({pickled}), which may run code and are "
        "never read; get model.safetensors"
        if pickled
        else f"{folder.name} holds no model.safetensors; install it again"
    )


def _read_shards(folder: Path) -> Weights:
    """The tensors of all shards, each where the index says that it is."""
    try:
        places = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
        shards = sorted({Path(shard).name for shard in places.values()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{folder.name}/{INDEX} is damaged; install it again") from error
    found = {}
    for shard in shards:
        if not (folder / shard).is_file():
            raise ModelError(f"{folder.name} lacks {shard}, which {INDEX} names; install it again")
        tensors = _read(folder / shard)
        if set(tensors) != {name for name, at in places.items() if at == shard}:
            raise ModelError(
                f"{folder.name}/{shard} does not hold the weights that {INDEX} says it does; "
                "install it again"
            )
        found.update(tensors)
    return found


def _read(path: Path) -> Weights:
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ModelError(
            f"{path.parent.name}/{path.name} is cut short or damaged; install it again"
        ) from error


def check_keys(found: set[str], expected: set[str], name: str) -> None:
    """Refuse a checkpoint with a key too few or too many, so that no weight stays random."""
    for fault, wrong in (("lacks", expected - found), ("has", found - expected)):
        if wrong:
            raise ModelError(f"the checkpoint {name} {fault} {min(wrong)}; it is another model")
