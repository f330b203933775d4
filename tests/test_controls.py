"""The controls: at an equal budget whose chunks are ranked, and recall beside five chunks; random
boundaries keep number and sizes; answers at random in LumberChunker's windows."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import anywhere, at_units, generator, nearest
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import (
    Chunks,
    Collection,
    Document,
    Judgment,
    Query,
    Span,
    chunk_documents,
)
from chunkstudy.core.tokens import cl100k_offsets
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval.chunks import Ranking
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.engine import Vectors
from chunkstudy.pipeline.experiments import Context
from chunkstudy.studies.controls import equal_budget as study
from chunkstudy.studies.language_models import window_answers

TEXT = " ".join(f"Word{i} stands here." for i in range(400))
COLLECTION = Collection(
    "made",
    (Document("a", TEXT), Document("b", TEXT[:900])),
    (Query("q1", "one", "a"), Query("q2", "two", "b"), Query("q3", "none", "a")),
    (Judgment("q1", "a", 100, 900), Judgment("q2", "b", 0, 50)),
)
STARTS = [*range(0, len(TEXT), 300)]
CHUNKS = Chunks(
    np.array([0] * len(STARTS) + [1] * 3),
    np.array([*STARTS, 0, 300, 600]),
    np.array([*(min(s + 400, len(TEXT)) for s in STARTS), 300, 600, 900]),
)


def test_a_question_ranks_the_chunks_of_its_own_document_and_no_others() -> None:
    vectors = np.eye(len(CHUNKS), dtype=np.float32)
    asked = np.ones((3, len(CHUNKS)), dtype=np.float32)
    found = study.ranked(COLLECTION, CHUNKS, Vectors(asked, vectors)).chunk
    assert found.shape == (3, len(STARTS) + 1)
    assert found[0].tolist() == [*range(len(STARTS)), -1]
    assert found[1, :4].tolist() == [len(STARTS), len(STARTS) + 1, len(STARTS) + 2, -1]


def test_recall_at_budgets_stands_beside_recall_of_five_chunks() -> None:
    ranking = np.full((3, len(STARTS) + 1), -1)
    ranking[[0, 2], :-1] = np.arange(len(STARTS))[::-1]
    ranking[1, :3] = [len(STARTS), len(STARTS) + 1, len(STARTS) + 2]
    offsets = [cl100k_offsets(document.text) for document in COLLECTION.documents]
    ranked = Ranking(ranking, np.zeros(ranking.shape, np.float32))
    found, tokens = study.at_budgets(COLLECTION, CHUNKS, ranked, offsets, study.BUDGETS, 5)
    found = found.sort_index()
    judged, in_tokens = to_tokens(JudgedSpans.of(COLLECTION), CHUNKS, offsets)
    five = TokenOverlap(judged, in_tokens, "overlap").at(ranking, 5)["SpanRecall"]
    assert found[study.CHUNKS, 5].tolist() == pytest.approx(five, abs=1e-4)
    assert tokens == in_tokens.lengths.mean()
    assert found["again", 1_000]["q2"] == 1 and found["again", 4_000]["q3"] == 0
    assert (found["once"] >= found["again"]).all()


lengths = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@st.composite
def chunked(draw: st.DrawFn) -> tuple[list[Span], list[Span]]:
    """Units with gaps between them, and chunks of whole units."""
    bounds = np.cumsum([draw(st.integers(0, 5)), *draw(lengths)]).tolist()
    units = [(a, b - draw(st.integers(0, 1)) * (b - a > 1)) for a, b in pairwise(bounds)]
    cuts = draw(st.sets(st.integers(1, len(units) - 1))) if len(units) > 1 else set()
    firsts = [0, *sorted(cuts), len(units)]
    return units, [(units[a][0], units[b - 1][1]) for a, b in pairwise(firsts)]


def sizes(chunks: list[Span]) -> list[int]:
    """From each chunk's start to the next one's, the last one's to its end."""
    return [b - a for a, b in pairwise([*(start for start, _ in chunks), chunks[-1][1]])]


@given(chunked(), st.integers(1, 5))
def test_cut_anywhere_the_sizes_are_the_same_in_some_order_and_the_text_is_covered(
    made: tuple[list[Span], list[Span]], draw: int
) -> None:
    _, chunks = made
    found = anywhere(chunks, generator(draw, "paper"))
    assert sorted(sizes(found)) == sorted(sizes(chunks))
    assert found[0][0] == chunks[0][0] and found[-1][1] == chunks[-1][1]
    assert len(found) == 1 or all(a[1] == b[0] for a, b in pairwise(found))


@given(chunked(), st.integers(1, 5))
def test_cut_at_units_every_unit_lies_in_one_of_as_many_chunks(
    made: tuple[list[Span], list[Span]], draw: int
) -> None:
    units, chunks = made
    found = at_units(chunks, units, generator(draw, "paper"))
    assert len(found) == len(chunks)
    held = [[unit for unit in units if start <= unit[0] and unit[1] <= end] for start, end in found]
    assert [unit for of_chunk in held for unit in of_chunk] == units
    assert [(of_chunk[0][0], of_chunk[-1][1]) for of_chunk in held] == found


def test_draws_and_documents_differ() -> None:
    chunks = [(a, b) for a, b in pairwise(np.cumsum([0, *range(1, 40)]).tolist())]
    drawn = [
        anywhere(chunks, generator(draw, name)) for draw in range(1, 6) for name in ("one", "two")
    ]
    assert len({tuple(one) for one in drawn}) == 10


def test_more_chunks_than_units_are_refused() -> None:
    with pytest.raises(ValueError, match="3 chunks cannot be cut at 2 units"):
        at_units([(0, 2), (2, 4), (4, 6)], [(0, 3), (3, 6)], generator(1, "one"))


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=8, unique=True),
    st.lists(st.integers(0, 60), min_size=1, max_size=12, unique=True),
)
def test_cuts_take_different_places_and_the_nearest_one_where_none_is_in_the_way(
    wanted: list[int], places: list[int]
) -> None:
    assume(len(wanted) <= len(places))
    cuts, free = np.sort(wanted), np.sort(places)
    found = nearest(cuts, free)
    assert (np.diff(found) > 0).all() and found[0] >= 0 and found[-1] < len(free)
    alone = [int(np.argmin(np.abs(free - cut))) for cut in cuts]
    if all(a < b for a, b in pairwise(alone)):
        assert found.tolist() == alone


BOOK_TEXT = "\n".join(f"Paragraph {i} " + "goes on and on. " * (5 + i % 7) for i in range(80))
PLAIN = Condition(
    "gutenqa-emma",
    window_answers.RELEASED,
    window_answers.MINILM_512,
    window_answers.PRE_EMBEDDING,
    CORRECTED.name,
)
BOOK = Collection("gutenqa-emma", (Document("book", BOOK_TEXT),), (), ())


def context() -> Context:
    """One that cuts the book; the released boundaries are every fourth paragraph."""

    def chunks(condition: Condition) -> Chunks:
        if condition.chunker in (window_answers.RELEASED, window_answers.SMALL):
            return begins(range(0, 80, 4))
        chunker = build_chunker(condition.chunker, CORRECTED)
        return chunk_documents(chunker, BOOK.documents)

    return cast(
        Context, SimpleNamespace(collection=lambda _: BOOK, chunks=chunks, say=lambda _: None)
    )


def begins(numbers: range | list[int]) -> Chunks:
    """Chunks of the book that begin at these paragraphs."""
    spans = paragraphs(BOOK_TEXT)
    ends = [*numbers[1:], len(spans)]
    cut = [
        (0, spans[first][0], spans[after - 1][1])
        for first, after in zip(numbers, ends, strict=True)
    ]
    return Chunks(*np.array(cut, dtype=np.int64).T)


def test_the_place_of_a_released_boundary_is_counted_among_its_windows_candidates() -> None:
    rows = window_answers.answered(context(), PLAIN)
    assert set(rows["answered"]) == {4} and (rows["candidates"] >= 4).all()
    assert len(rows) == 80 // 4 - 1  # what is left at the end asks nobody


def test_draws_keep_how_many_chunks_there_are_and_their_order_only_is_drawn() -> None:
    draws = list(window_answers.every_draw(context(), BOOK, window_answers.PRE_EMBEDDING))
    sizes = [one for one in draws if one[0] == window_answers.SIZES]
    assert len(draws) == 2 * window_answers.DRAWS[window_answers.PRE_EMBEDDING]
    assert {chunker for _, chunker, *_ in sizes} == {window_answers.SMALL}
    for *_, chunks in sizes:
        assert len(chunks) == 20 and chunks.start[0] == 0
    assert (
        len({chunks.digest() for _, chunker, _, chunks in sizes if chunker == window_answers.SMALL})
        == 5
    )
