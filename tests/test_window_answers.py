"""Answers at random as a study, and where released boundaries lie in LumberChunker's windows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Document, chunk_documents
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.language_models import window_answers as study

TEXT = "\n".join(f"Paragraph {i} " + "goes on and on. " * (5 + i % 7) for i in range(80))
PLAIN = Condition(
    "gutenqa-emma", study.RELEASED, study.MINILM_512, study.PRE_EMBEDDING, CORRECTED.name
)
BOOK = Collection("gutenqa-emma", (Document("book", TEXT),), (), ())


def context() -> Context:
    """One that cuts the book; the released boundaries are every fourth paragraph."""

    def chunks(condition: Condition) -> Chunks:
        if condition.chunker in (study.RELEASED, study.SMALL):
            return begins(range(0, 80, 4))
        chunker = build_chunker(condition.chunker, CORRECTED)
        return chunk_documents(chunker, BOOK.documents)

    return cast(
        Context, SimpleNamespace(collection=lambda _: BOOK, chunks=chunks, say=lambda _: None)
    )


def begins(numbers: range | list[int]) -> Chunks:
    """Chunks of the book that begin at these paragraphs."""
    spans = paragraphs(TEXT)
    ends = [*numbers[1:], len(spans)]
    cut = [
        (0, spans[first][0], spans[after - 1][1])
        for first, after in zip(numbers, ends, strict=True)
    ]
    return Chunks(*np.array(cut, dtype=np.int64).T)


def test_the_place_of_a_released_boundary_is_counted_among_its_windows_candidates() -> None:
    rows = study.answered(context(), PLAIN)
    assert set(rows["answered"]) == {4} and (rows["candidates"] >= 4).all()
    assert len(rows) == 80 // 4 - 1  # what is left at the end asks nobody


def test_draws_keep_how_many_chunks_there_are_and_their_order_only_is_drawn() -> None:
    draws = list(study.every_draw(context(), BOOK, study.PRE_EMBEDDING))
    sizes = [one for one in draws if one[0] == study.SIZES]
    assert len(draws) == sum(study.DRAWS[study.PRE_EMBEDDING].values())
    assert {chunker for _, chunker, *_ in sizes} == {study.SMALL}
    for *_, chunks in sizes:
        assert len(chunks) == 20 and chunks.start[0] == 0
    assert len({chunks.digest() for _, chunker, _, chunks in sizes if chunker == study.SMALL}) == 5
