"""The model of a part: what it is trained on, passages and triples of both collections cut into
folds; trained now or before, loaded as an encoder that remembers its vectors."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM, MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.trained_late_chunking import passages, questions
from chunkstudy.studies.trained_late_chunking.batches import Library
from chunkstudy.studies.trained_late_chunking.loop import summary, train, trained
from chunkstudy.studies.trained_late_chunking.parts import Part

PAPERS, CORPORA = covid_qa.WITHIN, "chroma-within"
COLLECTIONS = (PAPERS, CORPORA)
FOLDS = 5
DEALT = 0
"""Seed of the order in which papers are dealt to folds."""
PASSAGES = "sentence-5"
"""The chunker whose chunks are the passages to train on."""
READ = 512
"""Tokens read of a passage that is read alone, whatever the window."""
BASE = models.spec(parse_encoder(MINILM).model)


def library(context: Context, encoder: TransformerEncoder, window: int, layout: str) -> Library:
    """The passages of every document of both collections."""
    found = {}
    for name in COLLECTIONS:
        collection = context.collection(name)
        chunks = context.chunks(Condition(name, PASSAGES, MINILM, PRE_EMBEDDING, CORRECTED.name))
        for i, document in enumerate(collection.documents):
            own = chunks.only(chunks.document == i)
            spans = list(zip(own.start.tolist(), own.end.tolist(), strict=True))
            found[name, document.id] = passages.prepare(encoder, document, spans, window, layout)
    return found


def fold(context: Context, number: int) -> questions.Fold:
    """Which documents are trained on, validated on and tested on."""
    papers, corpora = (
        [(name, one.id) for one in context.collection(name).documents] for name in COLLECTIONS
    )
    return questions.folds(papers, corpora, FOLDS, DEALT)[number]


CHECKPOINTS = "training"
"""Below the folder of vectors, since 90 MB each are too much for the repository."""


def store(context: Context, part: Part, window: int) -> VectorStore:
    """The part's model, trained first where it is not at hand, reading so many tokens of a text."""
    if not part.is_trained:
        return context.store(MINILM_512 if window == READ else MINILM)
    base = TransformerEncoder(BASE, window=READ, threads=1)
    context.note(base.describe())
    left_out = fold(context, part.fold)
    collections = [context.collection(name) for name in COLLECTIONS]
    asked = sorted(one for each in collections for one in questions.triples(each))
    training = [one for one in asked if one.source in left_out.train]
    folder = folder_of(context, part)
    train(
        part,
        models.weights_folder(BASE),
        folder,
        base,
        library(context, base, part.window, part.layout),
        questions.share(training, part.share, part.seed),
        [one for one in asked if one.source in left_out.validation],
        context.say,
    )
    spec = trained(folder, BASE, part.model)
    encoder = TransformerEncoder(spec, window=window, folder=folder)
    context.note(encoder.describe())
    return VectorStore(encoder, folder / "vectors")


def folder_of(context: Context, part: Part) -> Path:
    """Where the part's model lies."""
    return context.places.vectors / CHECKPOINTS / part.model


def row(context: Context, part: Part) -> dict[str, object]:
    """What the table ``parts`` says of a part's model; numbers of training are 0 without any."""
    about = summary(folder_of(context, part)) if part.is_trained else {}
    return {
        "part": part.name,
        "test": part.test,
        "arm": part.arm,
        "window": part.window,
        "fold": part.fold,
        "share": part.share,
        "seed": part.seed,
        "steps at most": part.steps if part.is_trained else 0,
        "layout": part.layout,
        "weights_sha256": about.get("weights_sha256", BASE.files["model.safetensors"]),
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
    about = summary(folder_of(context, part)) if part.is_trained else {}
    looks = pd.Series(dict(about.get("looks", [])), dtype=float)
    losses = pd.Series(about.get("losses", []), dtype=float)
    losses.index += 1
    table = pd.DataFrame({"loss": losses, "validation loss": looks})
    table = table.rename_axis("step").reset_index()
    table.insert(0, "part", part.name)
    return table
