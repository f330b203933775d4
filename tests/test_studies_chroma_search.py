"""The search run again: the order of its corpora, its depths, and what it counts per corpus."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.studies.chroma.search import CELL, Row

pytestmark = pytest.mark.skipif(
    find_spec("hnswlib") is None, reason="chroma-hnswlib comes ready built for Python 3.11 alone"
)

SIZE, EACH = 10, 30
TEXT = "".join(f"{number:010d}" for number in range(EACH))
NAMES = ("a", "b")
"""Documents in sorted order; the questions ask of b first."""


def made_row() -> Row:
    """Thirty chunks of ten characters in each of two documents, a question per chunk; in the second
    document every chunk is located ten characters early."""
    queries = tuple(Query(f"{d}{at}", "?") for d in reversed(NAMES) for at in range(EACH))
    judgments = tuple(
        Judgment(f"{d}{at}", d, SIZE * at, SIZE * at + SIZE)
        for d in reversed(NAMES)
        for at in range(EACH)
    )
    groups = {query.id: query.id[0] for query in queries}
    documents = tuple(Document(name, TEXT) for name in NAMES)
    collection = Collection("builtin", documents, queries, judgments, groups)
    document = np.repeat(np.arange(2), EACH)
    start = np.tile(SIZE * np.arange(EACH), 2)
    early = np.maximum(start - np.where(document == 1, SIZE, 0), 0)
    chunks = {
        "located": Chunks(document, early, early + SIZE),
        "true": Chunks(document, start, start + SIZE),
    }
    values = np.random.default_rng(0).normal(size=(2 * EACH, 16))
    vectors = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)
    asked = np.concatenate([vectors[EACH:], vectors[:EACH]])
    overlaps = {name: TokenOverlap.of(collection, one, "touching") for name, one in chunks.items()}
    exact = search(asked, vectors, 20).chunk
    return Row("made", collection, chunks, overlaps, asked, vectors, exact)


ROW = made_row()


def value(cells: pd.DataFrame, *where: str) -> float:
    rows = cells.set_index(CELL)["value"]
    return float(rows.to_dict()[where])


def test_every_corpus_is_counted_by_its_own_questions_and_offsets() -> None:
    cells = ROW.cells({"located": ROW.exact, "true": ROW.exact}, asked=[5])
    assert value(cells, "true", "all", "SpanRecall@5", "mean") == 1
    assert value(cells, "located", "a", "SpanRecall@5", "mean") == 1
    assert value(cells, "located", "b", "SpanRecall@5", "mean") < 0.5
    both = [value(cells, "located", part, "SpanRecall@5", "mean") for part in ("a", "b")]
    assert value(cells, "located", "all", "SpanRecall@5", "mean") == pytest.approx(np.mean(both))
    less = ROW.cells({"located": ROW.exact, "true": ROW.exact}, asked=[5], every=False)
    for of, parts in ((cells, {"all", "a", "b"}), (less, {"all"})):
        assert {part for _, part, measure, _ in of[CELL].to_numpy() if "IoU" in measure} == parts


def test_chunks_located_elsewhere_are_counted_and_those_at_the_start_are_not() -> None:
    moved = ROW.moved().set_index("part")["moved"].to_dict()
    assert moved == {"a": 0, "b": EACH - 1}
