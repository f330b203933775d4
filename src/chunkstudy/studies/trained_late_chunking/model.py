"""The model of a part: trained now or before, loaded as an encoder that remembers its vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.grids import WIDE
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import material
from chunkstudy.studies.trained_late_chunking.parts import Part
from chunkstudy.studies.trained_late_chunking.training import checkpoints, triples
from chunkstudy.studies.trained_late_chunking.training.loop import train

CHECKPOINTS = "training"
"""Below the folder of vectors, since 90 MB each are too much for the repository."""


def store(context: Context, part: Part, window: int) -> VectorStore:
    """The part's model, trained first where it is not at hand, reading so many tokens of a text."""
    if part.recipe is None:
        return context.store(WIDE if window == material.READ else MINILM)
    ensure(context, part)
    folder = folder_of(context, part)
    spec = checkpoints.trained(folder, material.BASE, part.model)
    encoder = TransformerEncoder(spec, window=window, folder=folder)
    found = VectorStore(encoder, folder / "vectors")
    context.note(encoder.describe())
    return found


def ensure(context: Context, part: Part) -> dict[str, Any]:
    """Train the part's model if it was not, or go on where that was stopped."""
    recipe = part.recipe
    assert recipe is not None
    encoder = TransformerEncoder(material.BASE, window=material.READ, threads=1)
    context.note(encoder.describe())
    left_out = material.fold(context, part.fold)
    asked = material.asked(context)
    training = triples.of_documents(asked, left_out.train, "train")
    return train(
        recipe,
        models.weights_folder(material.BASE),
        folder_of(context, part),
        encoder,
        material.library(context, encoder, part.window, part.layout),
        triples.share(training, part.share, part.seed),
        triples.of_documents(asked, left_out.validation, "validate"),
        context.say,
    )


def folder_of(context: Context, part: Part) -> Path:
    """Where the part's checkpoints lie."""
    return context.places.vectors / CHECKPOINTS / part.model


def row(context: Context, part: Part) -> dict[str, object]:
    """What the table ``parts`` says of a part's model; numbers of training are 0 without any."""
    about = checkpoints.summary(folder_of(context, part)) or {} if part.recipe else {}
    return {
        "part": part.name,
        "test": part.test,
        "arm": part.arm,
        "window": part.window,
        "fold": part.fold,
        "share": part.share,
        "seed": part.seed,
        "steps at most": part.steps if part.recipe else 0,
        "layout": part.layout,
        "weights_sha256": about.get("weights_sha256", material.BASE.files["model.safetensors"]),
        "training triples": about.get("training_triples", 0),
        "validation triples": about.get("validation_triples", 0),
        "triples left out": about.get("triples_left_out", 0),
        "steps": about.get("step", 0),
        "best step": about.get("best", 0),
        "triples seen": min(about.get("asked", 0), about.get("training_triples", 0)),
        "tokens read": about.get("read", 0),
        "recipe_sha256": about.get("digest", ""),
    }


def curve(context: Context, part: Part) -> pd.DataFrame:
    """The losses of a part's training."""
    about = checkpoints.summary(folder_of(context, part)) or {} if part.recipe else {}
    looks = dict(map(tuple, about.get("looks", [])))
    losses = dict(enumerate(about.get("losses", []), start=1))
    steps = sorted({*looks, *losses})
    return pd.DataFrame(
        {
            "part": [part.name] * len(steps),
            "step": steps,
            "loss": pd.Series([losses.get(one) for one in steps], dtype=float),
            "validation loss": pd.Series([looks.get(one) for one in steps], dtype=float),
        }
    )
