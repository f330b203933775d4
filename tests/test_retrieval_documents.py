"""Ranking of documents by their best chunk, against a full sort of the whole score matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.base.spans import Collection, Document, Query
from chunkstudy.evaluation.retrieval.chunks import Ranking, SearchError, search
from chunkstudy.evaluation.retrieval.documents import (
    documents_of,
    jina_depth,
    own_documents,
    search_documents,
)

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]
ONE = np.ones((1, 2), np.float32)


def whole(generator: np.random.Generator, n: int, d: int = 2) -> Vectors:
    """Vectors of small whole numbers, zero vectors among them, so that many scores tie exactly."""
    return generator.integers(-2, 3, size=(n, d)).astype(np.float32)


def full_sort(
    scores: Vectors, chunks: Ints, chunk_document: Ints, excluded: int
) -> list[tuple[int, float]]:
    """(document, score) of one query, over the chunks given, by a plain loop."""
    best: dict[int, float] = {}
    for chunk in chunks.tolist():
        document, score = int(chunk_document[chunk]), float(scores[chunk])
        if document != excluded:
            best[document] = max(score, best.get(document, score))
    return sorted(best.items(), key=lambda row: (-row[1], row[0]))


def check_row(ranking: Ranking, row: int, expected: list[tuple[int, float]], depth: int) -> None:
    kept, left_out = expected[:depth], expected[depth:]
    padding = [-1] * (depth - len(kept))
    assert ranking.chunk[row].tolist() == [d for d, _ in kept] + padding
    assert ranking.score[row].tolist() == [s for _, s in kept] + [-np.inf] * len(padding)
    assert ranking.ties_at_cut[row] == sum(s == kept[-1][1] for _, s in left_out)


CASES = (
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(0, 40),
    st.integers(1, 12),
    st.integers(1, 14),
)


def draw(seed: int, q: int, n: int) -> tuple[Vectors, Vectors, Ints, Ints]:
    """Queries, vectors, their documents (of 9, so some are long and some empty), exclusions."""
    generator = np.random.default_rng(seed)
    chunk_document = np.sort(generator.integers(0, 9, size=n))
    return whole(generator, q), whole(generator, n), chunk_document, generator.integers(-1, 9, q)


@given(*CASES, st.booleans())
def test_documents_stand_as_in_a_full_sort_of_their_best_chunks(
    seed: int, q: int, n: int, depth: int, block: int, excluding: bool
) -> None:
    queries, vectors, chunk_document, excluded = draw(seed, q, n)
    ranking = search_documents(
        queries, vectors, chunk_document, depth, excluded if excluding else None, block
    )
    for row, scores in enumerate(queries @ vectors.T):
        never = int(excluded[row]) if excluding else -1
        check_row(ranking, row, full_sort(scores, np.arange(n), chunk_document, never), depth)


@given(*CASES, st.booleans())
def test_documents_of_a_ranking_are_those_of_its_chunks_alone(
    seed: int, q: int, n: int, depth: int, chunk_depth: int, excluding: bool
) -> None:
    queries, vectors, chunk_document, excluded = draw(seed, q, n)
    chunks = search(queries, vectors, chunk_depth)
    ranking = documents_of(chunks, chunk_document, depth, excluded if excluding else None)
    for row, scores in enumerate(queries @ vectors.T):
        held = chunks.chunk[row][chunks.chunk[row] >= 0]
        never = int(excluded[row]) if excluding else -1
        check_row(ranking, row, full_sort(scores, held, chunk_document, never), depth)


def test_a_query_never_retrieves_the_document_that_bears_its_id() -> None:
    documents = tuple(Document(name, "text") for name in ("a", "b", "c"))
    collection = Collection("x", documents, (Query("c", "text"), Query("other", "text")), ())
    own = own_documents(collection)
    assert own.tolist() == [2, -1]
    queries, vectors = np.repeat(ONE, 2, axis=0), np.repeat(ONE, 3, axis=0)
    ranking = search_documents(queries, vectors, np.arange(3), 3, own)
    assert ranking.chunk.tolist() == [[0, 1, -1], [0, 1, 2]]


def test_inputs_that_do_not_fit_are_refused() -> None:
    three = np.repeat(ONE, 3, axis=0)
    with pytest.raises(SearchError, match="one ascending row"):
        search_documents(ONE, three, np.array([0, 2, 1]), 1)
    with pytest.raises(SearchError, match="one ascending row"):
        search_documents(ONE, three, np.array([-1, 0, 1]), 1)
    with pytest.raises(SearchError, match="one document per chunk"):
        search_documents(ONE, three, np.arange(2), 1)
    with pytest.raises(SearchError, match="do not fit 1 queries"):
        search_documents(ONE, three, np.arange(3), 1, np.zeros(2, np.int64))
    with pytest.raises(SearchError, match="at least 1"):
        search_documents(ONE, three, np.arange(3), 0)
    ranking = search(ONE, three, 3)
    with pytest.raises(SearchError, match="names chunk 2 of 2"):
        documents_of(ranking, np.arange(2), 1)
    with pytest.raises(SearchError, match="at least 1"):
        documents_of(ranking, np.arange(3), 0)
    with pytest.raises(SearchError, match="do not fit 1 queries"):
        documents_of(ranking, np.arange(3), 1, np.zeros(2, np.int64))


def test_jinas_depth_is_the_highest_of_its_cut_offs() -> None:
    for most in range(1, 1_200):
        cuts = [1, 3, 5, 10, 20]
        power = 2
        while 10**power < 100 * most:
            cuts.append(10**power)
            power += 1
        assert jina_depth(most) == max(cuts), most
    assert [jina_depth(most) for most in (1, 2, 10, 11, 100)] == [20, 100, 100, 1000, 1000]
    with pytest.raises(ValueError, match="at least 1 chunk"):
        jina_depth(0)
