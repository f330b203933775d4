"""A BERT of some thousand weights and documents of letters, to train in a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chunkstudy.base.models import ModelSpec
from chunkstudy.base.spans import Document
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.studies.trained_late_chunking import loop
from chunkstudy.studies.trained_late_chunking.batches import Library
from chunkstudy.studies.trained_late_chunking.parts import Part
from chunkstudy.studies.trained_late_chunking.passages import prepare
from chunkstudy.studies.trained_late_chunking.questions import Triple
from tests import checkpoints

LETTERS = 8
"""Of a passage, a space behind each."""
WINDOW = 20
PART = Part("within", "mixed", window=WINDOW, steps=12, tokens=64, rate=3e-3, every=3, patience=9)


def model(folder: Path, layers: int = 2) -> ModelSpec:
    """A small random BERT in a folder, as the registry would describe it."""
    config = checkpoints.configuration("bert", layers)
    weights = checkpoints.random_weights("bert", config)
    checkpoints.write(folder, "bert", config, weights)
    return checkpoints.specification(folder, "bert", config)


def encoder(folder: Path, spec: ModelSpec) -> TransformerEncoder:
    return TransformerEncoder(replace(spec, package=None), folder=folder, threads=1)


def document(name: str, passages: int = 6) -> Document:
    """Passages of random letters; the same name gives the same text."""
    random = np.random.default_rng(list(name.encode()))
    letters = random.choice(list("abcdefghijklmnopqrstuvwxyz"), passages * LETTERS)
    return Document(name, " ".join(letters) + " ")


def spans(one: Document) -> list[tuple[int, int]]:
    size = 2 * LETTERS
    return [(i, i + size) for i in range(0, len(one.text), size)]


def library(tokenizer: TransformerEncoder, documents: list[Document], layout: str = "") -> Library:
    return {
        ("small", one.id): prepare(tokenizer, one, spans(one), WINDOW, layout) for one in documents
    }


def triples(documents: list[Document]) -> list[Triple]:
    """Of every passage a question of its first three letters, answered by these."""
    return [
        Triple("small", f"{one.id}-{i}", one.text[start : start + 5], one.id, start, start + 5)
        for one in documents
        for i, (start, _) in enumerate(spans(one))
    ]


def train(
    folder: Path,
    base: Path,
    part: Part = PART,
    spec: ModelSpec | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """A short run on four documents, watched on two others; ``spec`` where the model is there."""
    tokenizer = encoder(base, spec or model(base))
    training, validation = ([document(c) for c in names] for names in ("abcd", "ef"))
    known = library(tokenizer, training + validation)
    given: dict[str, Any] = {
        "training": triples(training),
        "validation": triples(validation),
        "say": str,
    } | changed
    return loop.train(part, base, folder, tokenizer, known, **given)
