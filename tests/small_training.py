"""A BERT of some thousand weights and documents of letters, to train in a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd

from chunkstudy.core.models import ModelSpec
from chunkstudy.core.spans import Chunks, Collection, Document
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.studies.trained_late_chunking import loop
from chunkstudy.studies.trained_late_chunking.batches import Library, passages
from chunkstudy.studies.trained_late_chunking.parts import Part, Triple
from tests import checkpoints

LETTERS = 8
"""Of a passage, a space behind each."""
WINDOW = 20
PART = Part("mixed", 0, window=WINDOW, steps=12, tokens=64, rate=3e-3, every=3)


def model(folder: Path) -> ModelSpec:
    """A small random BERT in a folder, as the registry would describe it."""
    return checkpoints.written(folder, "bert")[1]


def encoder(folder: Path) -> TransformerEncoder:
    """Such a model, made in a folder."""
    return TransformerEncoder(replace(model(folder), package=None), folder=folder, threads=1)


def document(name: str, passages: int = 6) -> Document:
    """Passages of random letters; the same name gives the same text."""
    random = np.random.default_rng(list(name.encode()))
    letters = random.choice(list("abcdefghijklmnopqrstuvwxyz"), passages * LETTERS)
    return Document(name, " ".join(letters) + " ")


def spans(of: Document) -> list[tuple[int, int]]:
    size = 2 * LETTERS
    return [(i, i + size) for i in range(0, len(of.text), size)]


def library(
    tokenizer: TransformerEncoder,
    documents: list[Document],
    cuts: list[list[tuple[int, int]]] | None = None,
) -> Library:
    """The passages of documents, cut as said or every so many letters."""
    rows = [
        (i, start, end) for i, cut in enumerate(cuts or map(spans, documents)) for start, end in cut
    ]
    collection = Collection("small", tuple(documents), (), ())
    chunks = Chunks(*np.array(rows, dtype=np.int64).T)
    store = VectorStore(tokenizer, Path(mkdtemp()))
    return passages(store, collection, chunks, PART.ordering)


def triples(documents: list[Document]) -> list[Triple]:
    """Of every passage a question of its first three letters, answered by these."""
    return [
        Triple("small", f"{of.id}-{i}", of.text[start : start + 5], of.id, start, start + 5)
        for of in documents
        for i, (start, _) in enumerate(spans(of))
    ]


def train(folder: Path, base: Path, part: Part = PART) -> tuple[dict[str, object], pd.DataFrame]:
    """A short run on four documents, watched on two others; the model in ``base`` is made there."""
    tokenizer = encoder(base)
    training, validation = ([document(c) for c in names] for names in ("abcd", "ef"))
    known = library(tokenizer, training + validation)
    asked = triples(training), triples(validation)
    return loop.train(part, base, folder, tokenizer, known, *asked)
