"""Exact search against a full sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.evaluation.retrieval.chunks import Limit, SearchError, search

Vectors = NDArray[np.float32]


def whole(generator: np.random.Generator, n: int, d: int = 2) -> Vectors:
    """Vectors of small whole numbers, so that many scores tie exactly."""
    return generator.integers(-2, 3, size=(n, d)).astype(np.float32)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(0, 30),
    st.integers(1, 35),
    st.integers(1, 12),
    st.booleans(),
)
def test_search_is_the_full_stable_sort_cut_at_the_depth(
    seed: int, q: int, n: int, depth: int, block: int, limited: bool
) -> None:
    generator = np.random.default_rng(seed)
    queries, vectors = whole(generator, q), whole(generator, n)
    limit = Limit(generator.integers(-1, 3, size=q), generator.integers(0, 3, size=n))
    ranking = search(queries, vectors, depth, limit if limited else None, block)
    for row, scores in enumerate(queries @ vectors.T):
        wanted = limit.query_document[row]
        open_to = np.arange(n)
        if limited and wanted >= 0:
            open_to = np.flatnonzero(limit.chunk_document == wanted)
        order = open_to[np.lexsort((open_to, -scores[open_to]))]
        expected = np.concatenate([order, np.full(depth, -1)])[:depth]
        assert ranking.chunk[row].tolist() == expected.tolist()
        real = expected >= 0
        assert ranking.score[row][real].tolist() == scores[expected[real]].tolist()
        assert np.isneginf(ranking.score[row][~real]).all()
        left_out = order[depth:]
        ties = int((scores[left_out] == scores[order[depth - 1]]).sum()) if len(left_out) else 0
        assert ranking.ties_at_cut[row] == ties


def test_the_block_size_changes_nothing_for_real_valued_vectors() -> None:
    generator = np.random.default_rng(1)
    queries = generator.standard_normal((300, 48), dtype=np.float32)
    vectors = generator.standard_normal((1000, 48), dtype=np.float32)
    vectors[500:] = vectors[:500]  # every chunk has a double, which must tie wherever it stands
    one, many = search(queries, vectors, 11), search(queries, vectors, 11, block=97)
    assert one.chunk.tobytes() == many.chunk.tobytes()
    assert one.score.tobytes() == many.score.tobytes()
    assert (one.ties_at_cut == 1).all() and (many.ties_at_cut == 1).all()
    assert one.tied_at(11).all() and one.tied_at(9).all() and not one.tied_at(10).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused_by_number(bad: float) -> None:
    good, vectors = np.ones((1, 2), np.float32), np.ones((9, 2), np.float32)
    vectors[7, 1] = bad
    with pytest.raises(SearchError, match="chunk 7 is not finite"):
        search(good, vectors, 3, block=2)
    with pytest.raises(SearchError, match="query 7 is not finite"):
        search(vectors, good, 3)


def test_shapes_that_do_not_fit_are_refused() -> None:
    one = np.ones((1, 2), np.float32)
    with pytest.raises(SearchError, match="equally wide"):
        search(one, np.ones((1, 3), np.float32), 1)
    with pytest.raises(SearchError, match="at least 1"):
        search(one, one, 0)
    with pytest.raises(SearchError, match="one document per query"):
        search(one, one, 1, Limit(np.zeros(2, np.int64), np.zeros(1, np.int64)))
