"""BM25, fusion and small-to-large, each beside the plainest way to compute it."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.spans import Chunks, Document
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25, K1, B, words
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking, nothing_kept
from chunkstudy.evaluation.retrieval.fusion import reciprocal_rank

pytest.importorskip("bm25s")
TEXTS = st.lists(st.text("ab c", max_size=12), min_size=1, max_size=6)


def by_formula(texts: list[str], query: str) -> list[float]:
    """BM25 as Lucene has it, letter by letter (Lucene drops the constant factor k1 + 1)."""
    split = [words(text) for text in texts]
    mean = sum(map(len, split)) / len(split)
    found = []
    for one in split:
        count, total = Counter(one), 0.0
        for word in words(query):
            holding = sum(word in other for other in split)
            idf = math.log(1 + (len(split) - holding + 0.5) / (holding + 0.5))
            weight = K1 * (1 - B + B * len(one) / mean) if mean else 1
            total += idf * count[word] / (count[word] + weight) if count[word] else 0
        found.append(total)
    return found


@given(TEXTS, st.text("ab cd", max_size=6))
def test_bm25_is_its_formula(texts: list[str], query: str) -> None:
    assert BM25(texts).scores(query) == pytest.approx(by_formula(texts, query), rel=1e-5)


def test_a_query_without_a_word_of_the_texts_finds_nothing() -> None:
    found = BM25(["rye is sown", "oats"]).search(["wheat?", "", "Oats!"], 2)
    assert found.chunk.tolist() == [[NO_CHUNK] * 2, [NO_CHUNK] * 2, [1, NO_CHUNK]]


def ranking(*rows: list[int]) -> Ranking:
    depth = max(map(len, rows))
    found = nothing_kept(len(rows), depth)
    for i, row in enumerate(rows):
        found.chunk[i, : len(row)] = row
        found.score[i, : len(row)] = -np.arange(len(row))
    return found


@given(st.lists(st.permutations(range(6)).map(lambda one: one[:4]), min_size=1, max_size=3))
def test_fusion_adds_reciprocal_ranks(rows: list[list[int]]) -> None:
    found = reciprocal_rank([ranking(row) for row in rows], 6)
    total = {c: sum(1 / (61 + row.index(c)) for row in rows if c in row) for c in range(6)}
    expected = sorted((c for c in total if total[c]), key=lambda c: (-np.float32(total[c]), c))
    got = [c for c in found.chunk[0].tolist() if c != NO_CHUNK]
    assert sorted(got) == sorted(expected)
    assert found.score[0, : len(got)] == pytest.approx([total[c] for c in expected], rel=1e-5)


def chunks(*spans: tuple[int, int, int]) -> Chunks:
    return Chunks(*np.array(spans, dtype=np.int64).reshape(-1, 3).T)


DOCUMENTS = (Document("a", "one two three four"), Document("b", "five six"))
SMALL = chunks((0, 0, 3), (0, 4, 7), (0, 8, 13), (0, 14, 18), (1, 0, 4), (1, 5, 8))


def test_a_small_chunk_returns_the_large_one_that_holds_it() -> None:
    large = chunks((0, 0, 7), (0, 7, 18))
    found = small_to_large.within(SMALL, large, DOCUMENTS)
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [
        (0, 7), (0, 7), (7, 18), (7, 18), (0, 4), (5, 8),
    ]  # fmt: skip
    assert found.text == ("one", "two", "three", "four", "five", "six")
    once, which = small_to_large.returned(found)
    assert len(once) == 4 and which.tolist() == [0, 0, 1, 1, 2, 3]


def test_a_small_chunk_that_runs_through_several_large_ones_is_cut_where_they_end() -> None:
    small, large = chunks((0, 0, 13), (1, 0, 8)), chunks((0, 0, 7), (0, 8, 18), (1, 0, 4))
    found = small_to_large.within(small, large, DOCUMENTS)
    assert found.text == ("one two", "three", "five")
    assert found.start.tolist() == [0, 8, 0] and found.end.tolist() == [7, 18, 4]
    rewritten = Chunks(small.document, small.start, small.end, ("1 to 3", "5 and 6"))
    whole = small_to_large.within(rewritten, large, DOCUMENTS)
    assert whole.text == rewritten.text and whole.end.tolist() == [7, 4]


def test_a_window_stays_in_its_document() -> None:
    found = small_to_large.around(SMALL, 1, DOCUMENTS)
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [
        (0, 7), (0, 13), (4, 18), (8, 18), (0, 8), (0, 8),
    ]  # fmt: skip


@given(
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
    st.permutations(range(6)),
    st.integers(-1, 3),
)
def test_of_a_group_only_the_best_chunk_counts_and_of_an_excluded_one_none(
    groups: list[int], order: list[int], never: int
) -> None:
    found = small_to_large.search_groups(
        lambda depth: ranking(list(order)[:depth]),
        np.array(groups),
        depth=8,
        excluded=np.array([never]),
        first=1,
    )
    assert found.chunk.shape == found.score.shape == (1, 8)
    expected = [one for one in dict.fromkeys(groups[i] for i in order) if one != never]
    assert [one for one in found.chunk[0].tolist() if one != NO_CHUNK] == expected
