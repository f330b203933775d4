"""Recall at a budget of tokens, against reading token by token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.evaluation.measures.reading_budget import AGAIN, ONCE, follow
from tests.test_measures_token_overlap import Placed, chunks_of, judged_of

DOCUMENTS, LENGTH, MOST = 2, 14, 40
places = st.tuples(st.integers(0, DOCUMENTS - 1), st.integers(0, LENGTH), st.integers(0, LENGTH))
spans = places.map(lambda p: (p[0], min(p[1:]), max(p[1:])))
judged_spans = st.lists(spans.filter(lambda p: p[1] < p[2]), max_size=3)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Placed], list[list[Placed]], list[list[int]]]:
    """Chunks, the judged spans of each query, and each query's order of all chunks."""
    chunks = draw(st.lists(spans, min_size=1, max_size=7))
    judged = draw(st.lists(judged_spans, min_size=1, max_size=3))
    orders = [draw(st.permutations(range(len(chunks)))) for _ in judged]
    return chunks, judged, [list(one) for one in orders]


def positions(place: Placed) -> list[tuple[int, int]]:
    return [(place[0], i) for i in range(place[1], place[2])]


def slow_recall(
    order: list[int], chunks: list[Placed], judged: list[Placed], budget: int, counted: str
) -> float:
    """Read on, token by token, until the budget is spent."""
    read: set[tuple[int, int]] = set()
    spent = 0
    for token in (token for chunk in order for token in positions(chunks[chunk])):
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
    reading = follow(judged_of(judged), chunks_of(chunks), np.array(orders), MOST)
    slow = [
        slow_recall(order, chunks, spans, budget, counted)
        for order, spans in zip(orders, judged, strict=True)
    ]
    assert reading.recall(budget, counted) == pytest.approx(slow)


def test_a_ranking_that_ends_before_the_budget_is_refused() -> None:
    chunks = chunks_of([(0, 0, 4), (0, 4, 8), (0, 8, 12)])
    judged = judged_of([[(0, 0, 4)]])
    with pytest.raises(ValueError, match="search deeper"):
        follow(judged, chunks, np.array([[0, 1]]), 9)
    padded = follow(judged, chunks, np.array([[0, 1, -1]]), 9)  # all that the query may search
    assert padded.recall(9, AGAIN)[0] == 1
