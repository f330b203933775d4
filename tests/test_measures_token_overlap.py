"""Overlap and recall at a budget against sets of positions, written out the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.core.spans import Chunks
from chunkstudy.core.tokens import TokenOffsets
from chunkstudy.evaluation.measures.reading_budget import AGAIN, ONCE, budget_recall
from chunkstudy.evaluation.measures.token_overlap import Hit, JudgedSpans, TokenOverlap, to_tokens

Placed = tuple[int, int, int]  # document, start, end
HITS: tuple[Hit, ...] = ("touching", "overlap")

DOCUMENTS, LENGTH = 3, 16
places = st.tuples(st.integers(0, DOCUMENTS - 1), st.integers(0, LENGTH), st.integers(0, LENGTH))
chunk_spans = places.map(lambda p: (p[0], min(p[1:]), max(p[1:])))  # empty ones too
judged_spans = chunk_spans.filter(lambda p: p[1] < p[2])


def chunks_of(spans: list[Placed]) -> Chunks:
    return Chunks(*np.array(spans, dtype=np.int64).reshape(-1, 3).T)


def judged_of(references: list[list[Placed]]) -> JudgedSpans:
    rows = [(q, *place) for q, places in enumerate(references) for place in places]
    rows.reverse()  # their order must not matter
    return JudgedSpans(len(references), *np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def positions(place: Placed) -> set[tuple[int, int]]:
    return {(place[0], i) for i in range(place[1], place[2])}


def hits(chunk: Placed, reference: Placed, hit: Hit) -> bool:
    if hit == "overlap":
        return bool(positions(chunk) & positions(reference))
    return chunk[0] == reference[0] and chunk[1] <= reference[2] and reference[1] <= chunk[2]


def ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def slow_scores(read: list[Placed], references: list[Placed]) -> dict[str, float]:
    covered: set[tuple[int, int]] = set().union(*map(positions, read))
    wanted: set[tuple[int, int]] = set().union(*map(positions, references))
    numerator = len(covered & wanted)
    read_length = sum(len(positions(chunk)) for chunk in read)
    judged_length = sum(len(positions(reference)) for reference in references)
    unhit = sum(len(positions(reference) - covered) for reference in references)
    return {
        "SpanRecall": ratio(numerator, judged_length),
        "SpanPrecision": ratio(numerator, read_length),
        "SpanIoU": ratio(numerator, read_length + unhit),
        "SpanF1": ratio(2 * numerator, judged_length + read_length),
    }


def slow_omega(chunks: list[Placed], references: list[Placed], hit: Hit) -> tuple[float, float]:
    found = [c for c in chunks if any(hits(c, r, hit) for r in references)]
    covered: set[tuple[int, int]] = set().union(*map(positions, found))
    wanted: set[tuple[int, int]] = set().union(*map(positions, references))
    summed = sum(len(positions(c)) for c in found)
    unhit = sum(len(positions(r) - covered) for r in references)
    shared = len(covered & wanted)
    return ratio(shared, len(covered | wanted)), ratio(shared, summed + unhit)


@given(
    st.lists(chunk_spans, max_size=8),
    st.lists(st.lists(judged_spans, max_size=4), min_size=1, max_size=3),
    st.sampled_from(HITS),
    st.data(),
)
def test_every_measure_is_what_sets_of_positions_give(
    chunks: list[Placed], references: list[list[Placed]], hit: Hit, data: st.DataObject
) -> None:
    overlap = TokenOverlap(judged_of(references), chunks_of(chunks), hit)
    row = st.lists(st.integers(-1, len(chunks) - 1), min_size=20, max_size=20)
    rows = data.draw(st.lists(row, min_size=len(references), max_size=len(references)))
    ranking = np.array(rows, dtype=np.int64)
    counts = [sum(any(hits(c, r, hit) for r in wanted) for c in chunks) for wanted in references]
    assert overlap.touching_counts.tolist() == counts
    omega = np.stack(overlap.precision_omega(), axis=1)
    assert omega.tolist() == [list(slow_omega(chunks, wanted, hit)) for wanted in references]
    for cut in (1, 5, "Min"):
        scores = overlap.at(ranking, cut)
        for query, wanted in enumerate(references):
            limit = counts[query] if isinstance(cut, str) else cut
            read = [chunks[c] for c in rows[query][:limit] if c >= 0]
            expected = slow_scores(read, wanted)
            assert {name: values[query] for name, values in scores.items()} == expected


def test_min_reads_no_more_than_twenty_chunks_and_none_for_a_query_without_hits() -> None:
    chunks = chunks_of([(0, i, i + 1) for i in range(30)])
    overlap = TokenOverlap(judged_of([[(0, 0, 30)], []]), chunks, "overlap")
    scores = overlap.at(np.tile(np.arange(30), (2, 1)), "Min")
    assert scores["SpanRecall"].tolist() == [20 / 30, 0]
    assert scores["SpanPrecision"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("ranking", "cut", "message"),
    [
        (np.zeros((1, 3), dtype=np.int64), 5, "search deeper"),
        (np.zeros((1, 5), dtype=np.int64), 0, "positive"),
        (np.zeros((1, 5), dtype=np.int64), "min", "positive"),
    ],
)
def test_a_ranking_that_does_not_fit_is_refused(
    ranking: np.ndarray, cut: int | str, message: str
) -> None:
    overlap = TokenOverlap(judged_of([[(0, 0, 1)]]), chunks_of([(0, 0, 1)]), "overlap")
    with pytest.raises(ValueError, match=message):
        overlap.at(ranking, cut)


@st.composite
def token_offsets(draw: st.DrawFn) -> TokenOffsets:
    """Tokens that cover LENGTH characters; neighbours may share a split character."""
    cuts = sorted(draw(st.sets(st.integers(1, LENGTH - 1))))
    starts, ends = [0, *cuts], [*cuts, LENGTH]
    split = [draw(st.booleans()) for _ in starts]
    return np.array(
        [(s - (i > 0 and split[i]), e) for i, (s, e) in enumerate(zip(starts, ends, strict=True))]
    )


@given(st.lists(token_offsets(), min_size=3, max_size=3), st.lists(chunk_spans, min_size=1))
def test_a_token_is_in_a_span_if_they_share_a_character(
    offsets: list[TokenOffsets], spans: list[Placed]
) -> None:
    _, chunks = to_tokens(judged_of([[]]), chunks_of(spans), offsets)
    for (document, start, end), first, last in zip(spans, chunks.start, chunks.end, strict=True):
        expected = [i for i, (s, e) in enumerate(offsets[document]) if max(s, start) < min(e, end)]
        assert list(range(first, last)) == expected


MOST = 40


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Placed], list[list[Placed]], list[list[int]]]:
    """Chunks, the judged spans of each query, and each query's order of all chunks."""
    chunks = draw(st.lists(chunk_spans, min_size=1, max_size=7))
    judged = draw(st.lists(st.lists(judged_spans, max_size=3), min_size=1, max_size=3))
    orders = [draw(st.permutations(range(len(chunks)))) for _ in judged]
    return chunks, judged, [list(one) for one in orders]


def slow_recall(
    order: list[int], chunks: list[Placed], judged: list[Placed], budget: int, counted: str
) -> float:
    """Read on, token by token, until the budget is spent."""
    read: set[tuple[int, int]] = set()
    spent = 0
    for token in (token for chunk in order for token in sorted(positions(chunks[chunk]))):
        costs = counted == AGAIN or token not in read
        if costs and spent == budget:
            break
        spent += costs
        read.add(token)
    wanted = [token for place in judged for token in positions(place)]
    return len(read & set(wanted)) / len(wanted) if wanted else 0.0


@given(worlds(), st.integers(0, MOST), st.sampled_from((AGAIN, ONCE)))
def test_recall_is_that_of_reading_token_by_token(
    world: tuple[list[Placed], list[list[Placed]], list[list[int]]], budget: int, counted: str
) -> None:
    chunks, judged, orders = world
    read = judged_of(judged), chunks_of(chunks), np.array(orders)
    slow = [
        slow_recall(order, chunks, spans, budget, counted)
        for order, spans in zip(orders, judged, strict=True)
    ]
    assert budget_recall(*read, budget, counted) == pytest.approx(slow)


def test_a_ranking_that_ends_before_the_budget_is_refused() -> None:
    chunks = chunks_of([(0, 0, 4), (0, 4, 8), (0, 8, 12)])
    judged = judged_of([[(0, 0, 4)]])
    with pytest.raises(ValueError, match="search deeper"):
        budget_recall(judged, chunks, np.array([[0, 1]]), 9)
    padded = np.array([[0, 1, -1]])  # all that the query may search
    assert budget_recall(judged, chunks, padded, 9)[0] == 1
