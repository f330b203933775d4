"""The search run again: what it counts per corpus, by located and by true offsets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.studies.chroma.search import CELL, cells

SIZE, EACH = 10, 30
TEXT = "".join(f"{number:010d}" for number in range(EACH))
NAMES = ("a", "b")


def counted() -> pd.Series:
    """Thirty chunks of ten characters in each of two documents, a question per chunk; in the second
    document every chunk is located ten characters early."""
    questions = [(document, at) for document in NAMES for at in range(EACH)]
    collection = Collection(
        "builtin",
        tuple(Document(name, TEXT) for name in NAMES),
        tuple(Query(f"{name}{at}", "?") for name, at in questions),
        tuple(Judgment(f"{d}{at}", d, SIZE * at, SIZE * at + SIZE) for d, at in questions),
        {f"{name}{at}": name for name, at in questions},
    )
    document = np.repeat(np.arange(2), EACH)
    start = np.tile(SIZE * np.arange(EACH), 2)
    early = np.maximum(start - np.where(document == 1, SIZE, 0), 0)
    chunks = {
        "located": Chunks(document, early, early + SIZE),
        "true": Chunks(document, start, start + SIZE),
    }
    overlaps = {name: TokenOverlap.of(collection, one, "touching") for name, one in chunks.items()}
    values = np.random.default_rng(0).normal(size=(2 * EACH, 16))
    vectors = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)
    exact = search(vectors, vectors, 20).chunk
    found: pd.Series = cells(collection, overlaps, lambda _: exact).set_index(CELL)["value"]
    return found


def test_every_corpus_is_counted_by_its_own_questions_and_offsets() -> None:
    recall = counted().xs(("SpanRecall@5", "mean"), level=("measure", "statistic"))
    assert recall["true", "all"] == 1 and recall["located", "a"] == 1
    assert recall["located", "b"] < 0.5
    both = recall["located"][["a", "b"]]
    assert recall["located", "all"] == pytest.approx(both.mean())
