"""Search of chunks, of documents, by words: each beside the plainest way to do it."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.core.errors import UserError
from chunkstudy.core.spans import Chunks, Collection, Document, Query
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25, K1, B, words
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Limit, Ranking, search
from chunkstudy.evaluation.retrieval.fusion import reciprocal_rank
from chunkstudy.pipeline.scoring import jina_depth
from tests.test_measures_ranking import ranking_of

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]


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
        check_row(ranking, row, full_sort(scores, open_to, np.arange(n), -1), depth)


def test_the_block_size_changes_nothing_for_real_valued_vectors() -> None:
    generator = np.random.default_rng(1)
    queries = generator.standard_normal((300, 48), dtype=np.float32)
    vectors = generator.standard_normal((1000, 48), dtype=np.float32)
    vectors[500:] = vectors[:500]  # every chunk has a double, which must tie wherever it stands
    one, many = search(queries, vectors, 11), search(queries, vectors, 11, block=97)
    assert one.chunk.tobytes() == many.chunk.tobytes()
    assert one.score.tobytes() == many.score.tobytes()
    assert one.tied_at(9).all() and not one.tied_at(10).any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_not_finite_is_refused_by_number(bad: float) -> None:
    good, vectors = np.ones((1, 2), np.float32), np.ones((9, 2), np.float32)
    vectors[7, 1] = bad
    with pytest.raises(UserError, match="chunk 7 is not finite"):
        search(good, vectors, 3, block=2)
    with pytest.raises(UserError, match="query 7 is not finite"):
        search(vectors, good, 3)


def test_shapes_that_do_not_fit_are_refused() -> None:
    one = np.ones((1, 2), np.float32)
    with pytest.raises(UserError, match="equally wide"):
        search(one, np.ones((1, 3), np.float32), 1)
    with pytest.raises(UserError, match="at least 1"):
        search(one, one, 0)
    with pytest.raises(UserError, match="one document per query"):
        search(one, one, 1, Limit(np.zeros(2, np.int64), np.zeros(1, np.int64)))


ONE = np.ones((1, 2), np.float32)


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
    kept = expected[:depth]
    padding = [-1] * (depth - len(kept))
    assert ranking.chunk[row].tolist() == [d for d, _ in kept] + padding
    assert ranking.score[row].tolist() == [s for _, s in kept] + [-np.inf] * len(padding)


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
    seed: int, q: int, n: int, depth: int, first: int, excluding: bool
) -> None:
    queries, vectors, chunk_document, excluded = draw(seed, q, n)
    ranking = small_to_large.search_groups(
        partial(search, queries, vectors),
        chunk_document,
        depth,
        excluded=excluded if excluding else None,
        first=first,
    )
    assert ranking.chunk.shape[1] >= depth
    for row, scores in enumerate(queries @ vectors.T):
        never = int(excluded[row]) if excluding else -1
        expected = full_sort(scores, np.arange(n), chunk_document, never)
        check_row(ranking.of_depth(depth), row, expected, depth)


@given(*CASES, st.booleans())
def test_documents_of_a_ranking_are_those_of_its_chunks_alone(
    seed: int, q: int, n: int, depth: int, chunk_depth: int, excluding: bool
) -> None:
    queries, vectors, chunk_document, excluded = draw(seed, q, n)
    chunks = search(queries, vectors, chunk_depth)
    ranking = small_to_large.best_of_each(chunks, chunk_document, excluded if excluding else None)
    for row, scores in enumerate(queries @ vectors.T):
        held = chunks.chunk[row][chunks.chunk[row] >= 0]
        never = int(excluded[row]) if excluding else -1
        expected = full_sort(scores, held, chunk_document, never)
        check_row(ranking.of_depth(depth), row, expected, depth)


def test_a_query_never_retrieves_the_document_that_bears_its_id() -> None:
    documents = tuple(Document(name, "text") for name in ("a", "b", "c"))
    collection = Collection("x", documents, (Query("c", "text"), Query("other", "text")), ())
    own = small_to_large.own_documents(collection)
    assert own.tolist() == [2, -1]
    queries, vectors = np.repeat(ONE, 2, axis=0), np.repeat(ONE, 3, axis=0)
    chunks = search(queries, vectors, 3)
    ranking = small_to_large.best_of_each(chunks, np.arange(3), own)
    assert ranking.chunk.tolist() == [[0, 1, -1], [0, 1, 2]]


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


@given(st.lists(st.permutations(range(6)).map(lambda one: one[:4]), min_size=1, max_size=3))
def test_fusion_adds_reciprocal_ranks(rows: list[list[int]]) -> None:
    found = reciprocal_rank([ranking_of([row], len(row)) for row in rows], 6)
    total = {c: sum(1 / (61 + row.index(c)) for row in rows if c in row) for c in range(6)}
    expected = sorted((c for c in total if total[c]), key=lambda c: (-np.float32(total[c]), c))
    got = [c for c in found.chunk[0].tolist() if c != NO_CHUNK]
    assert sorted(got) == sorted(expected)
    assert found.score[0, : len(got)] == pytest.approx([total[c] for c in expected], rel=1e-5)


def chunks(*spans: tuple[int, int, int]) -> Chunks:
    return Chunks(*np.array(spans, dtype=np.int64).reshape(-1, 3).T)


def spans(of: Chunks) -> list[tuple[int, int, int]]:
    return list(zip(of.document.tolist(), of.start.tolist(), of.end.tolist(), strict=True))


DOCUMENTS = (Document("a", "one two three four"), Document("b", "five six"))
SMALL = chunks((0, 0, 3), (0, 4, 7), (0, 8, 13), (0, 14, 18), (1, 0, 4), (1, 5, 8))


def test_a_small_chunk_returns_the_large_one_that_holds_it() -> None:
    large = chunks((0, 0, 7), (0, 7, 18))
    found = small_to_large.within(SMALL, large, DOCUMENTS)
    assert spans(found.returned) == [(0, 0, 7), (0, 7, 18), (1, 0, 4), (1, 5, 8)]
    assert found.returned_index.tolist() == [0, 0, 1, 1, 2, 3]
    assert spans(found.matched) == spans(SMALL) and found.matched.text is None


def test_a_small_chunk_that_runs_through_several_large_ones_is_cut_where_they_end() -> None:
    small, large = chunks((0, 0, 13), (1, 0, 8)), chunks((0, 0, 7), (0, 8, 18), (1, 0, 4))
    found = small_to_large.within(small, large, DOCUMENTS)
    assert found.matched.texts(DOCUMENTS) == ["one two", "three", "five"]
    assert spans(found.matched) == [(0, 0, 7), (0, 8, 13), (1, 0, 4)]
    assert spans(found.returned) == spans(large) and found.returned_index.tolist() == [0, 1, 2]
    texts = ("1 to 3", "5 and 6")
    rewritten = Chunks(small.document, small.start, small.end, texts, rewritten=True)
    whole = small_to_large.within(rewritten, large, DOCUMENTS)
    assert whole.matched.text == texts and whole.matched.rewritten
    assert spans(whole.returned) == [(0, 0, 7), (1, 0, 4)]


def test_a_window_stays_in_its_document() -> None:
    found = small_to_large.around(SMALL, 1)
    assert spans(found.returned) == [(0, 0, 7), (0, 0, 13), (0, 4, 18), (0, 8, 18), (1, 0, 8)]
    assert found.returned_index.tolist() == [0, 1, 2, 3, 4, 4] and found.matched is SMALL
