"""What a training run leaves on disk: a model that the study loads, and how it was trained."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as serialised

from chunkstudy.base.files import sha256, write_bytes, write_json
from chunkstudy.base.models import ModelSpec
from chunkstudy.encoders.models import check_files
from chunkstudy.runs.study_results import StudyError

WEIGHTS, SUMMARY = "model.safetensors", "training.json"


@dataclass
class Progress:
    """How far a run is.

    Attributes:
        digest: of the recipe and the triples.
        origin: of the weights it starts from and of the passages.
        step: steps taken.
        best: the step whose weights have the lowest loss on the validation part.
        lowest: that loss.
        waited: looks since then.
        read: tokens of windows in the batches so far.
        asked: questions in them; those of one pass over the triples are all different.
        losses: of each step.
        looks: step and loss of each look at the validation part.
    """

    digest: str
    origin: str
    step: int = 0
    best: int = 0
    lowest: float = float("inf")
    waited: int = 0
    read: int = 0
    asked: int = 0
    losses: list[float] = field(default_factory=list)
    looks: list[tuple[int, float]] = field(default_factory=list)


def finish(
    folder: Path, base: Path, weights: Mapping[str, torch.Tensor], about: Mapping[str, Any]
) -> None:
    """Make the folder a model's: weights, configuration and tokenizer, and how it was trained."""
    for name in ("config.json", "tokenizer.json"):
        write_bytes(folder / name, (base / name).read_bytes())
    write_bytes(folder / WEIGHTS, serialised(dict(weights)), durable=True)
    write_json(folder / SUMMARY, {**about, "weights_sha256": sha256(folder / WEIGHTS)})


def summary(folder: Path) -> dict[str, Any]:
    """How the model in a folder was trained; nothing where none was finished."""
    path = folder / SUMMARY
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def trained(folder: Path, base: ModelSpec, name: str) -> ModelSpec:
    """The model of a finished run, as the registry would describe it.

    Its id is the base model's and how it was trained; it has no place on the hub, so its revision
    is the first 40 digits of its weights' sha256.

    Raises:
        StudyError: if no run was finished there.
        ModelError: if the weights are not those that the run left.
    """
    about = summary(folder)
    if not about:
        raise StudyError(f"no finished training lies in {folder}; train {name} first")
    digest = str(about["weights_sha256"])
    found = replace(
        base,
        id=f"{base.id} trained {name}",
        revision=digest[:40],
        files={**base.files, WEIGHTS: digest},
        package=None,
        parts=None,
    )
    check_files(folder, found)
    return found
