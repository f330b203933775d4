"""Measures of ranked documents, and of the first relevant chunk, against formulas worked out here,
a plain walk along the ranking and LumberChunker's sum."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.evaluation.measures.first_hit import (
    ceiling,
    dcg_first_hit,
    dcg_of_random_order,
    relevant_chunks,
)
from chunkstudy.evaluation.measures.ranking import judged_documents, per_query, tie_bounds
from chunkstudy.evaluation.retrieval.chunks import Ranking, nothing_kept, search
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each

TEXT = "some text"


def collection_of(
    judged: dict[str, dict[str, int]], documents: int, absent: tuple[tuple[str, str, int], ...] = ()
) -> Collection:
    """Documents d0, d1, ... and the queries of ``judged``, each judged on whole documents."""
    return Collection(
        "made up",
        tuple(Document(f"d{i}", TEXT) for i in range(documents)),
        tuple(Query(query, "a question") for query in judged),
        tuple(
            Judgment(query, document, 0, len(TEXT), grade)
            for query, grades in judged.items()
            for document, grade in grades.items()
        ),
        absent=absent,
    )


def ranking_of(
    rows: list[list[int]], depth: int = 100, scores: list[list[float]] | None = None
) -> Ranking:
    ranking = nothing_kept(len(rows), depth)
    for i, row in enumerate(rows):
        ranking.chunk[i, : len(row)] = row
        ranking.score[i, : len(row)] = scores[i] if scores else -np.arange(len(row))
    return ranking


def values(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    return {(str(q), str(m)): float(v) for m in frame for q, v in frame[m].items()}


def ndcg(ranked: list[int], ideal: list[int], cut: int = 10) -> float:
    """By hand, with the grade itself as gain: of the grades as ranked, over the best order."""

    def dcg(grades: list[int]) -> float:
        return sum(max(g, 0) / math.log2(i + 2) for i, g in enumerate(grades[:cut]))

    return dcg(ranked) / dcg(sorted(ideal, reverse=True))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Collection, Ranking]:
    """Graded judgments, absent documents among them, and scores of few values, so many tie."""
    documents = draw(st.integers(1, 9))
    queries = [f"q{i}" for i in range(draw(st.integers(1, 4)))]
    grades = st.integers(-1, 3)
    judged = {
        query: draw(st.dictionaries(st.sampled_from([f"d{i}" for i in range(documents)]), grades))
        for query in queries
    }
    absent = tuple((query, "gone", draw(grades)) for query in queries if draw(st.booleans()))
    rows, scores = [], []
    for _ in queries:
        found = draw(st.lists(st.integers(0, documents - 1), unique=True))
        by_document = {d: draw(st.integers(0, 2)) for d in found}
        rows.append(sorted(found, key=lambda d: (-by_document[d], d)))
        scores.append([float(by_document[d]) for d in rows[-1]])
    return collection_of(judged, documents, absent), ranking_of(rows, 100, scores)


@given(cases())
def test_ndcg_and_recall_are_what_their_formulas_give(
    case: tuple[Collection, Ranking],
) -> None:
    collection, ranking = case
    judged = judged_documents(collection)
    found = values(per_query(collection, ranking, ("nDCG@10", "nDCG@3", "R@3", "R@10")))
    expected: dict[tuple[str, str], float] = {}
    for (query, grades), row in zip(judged.items(), ranking.chunk.tolist(), strict=True):
        relevant = {document for document, grade in grades.items() if grade > 0}
        if not relevant:
            continue
        names = [f"d{d}" for d in row if d >= 0]
        for cut in (3, 10):
            ranked = [grades.get(name, 0) for name in names]
            expected[query, f"nDCG@{cut}"] = ndcg(ranked, list(grades.values()), cut)
            expected[query, f"R@{cut}"] = len(relevant & set(names[:cut])) / len(relevant)
    assert found == pytest.approx(expected, abs=1e-9)


@given(cases())
def test_bounds_of_ties_are_the_extremes_over_every_order_of_equal_scores(
    case: tuple[Collection, Ranking],
) -> None:
    collection, ranking = case
    judged = {
        query: max(of.values(), default=0) > 0 for query, of in judged_documents(collection).items()
    }
    assume(any(judged.values()))
    for measure in ("nDCG@2", "R@2"):
        lowest, highest = [], []
        for i, query in enumerate(collection.queries):
            if not judged[query.id]:
                continue
            groups = [ranking.chunk[i][ranking.score[i] == score].tolist() for score in (2, 1, 0)]
            assume(math.prod(math.factorial(len(group)) for group in groups) <= 200)
            tried = []
            for order in itertools.product(*map(itertools.permutations, groups)):
                rows: list[list[int]] = [[] for _ in collection.queries]
                rows[i] = [d for group in order for d in group]
                scored = values(per_query(collection, ranking_of(rows), (measure,)))
                tried.append(scored[query.id, measure])
            lowest.append(min(tried))
            highest.append(max(tried))
        expected = (float(np.mean(lowest)), float(np.mean(highest)))
        assert tie_bounds(collection, ranking, measure) == pytest.approx(expected)


def test_documents_that_tie_are_scored_in_order_of_index_and_no_library_re_sorts_them() -> None:
    # pytrec_eval itself would put d9 before d0: it breaks ties by id, descending.
    collection = collection_of({"q": {"d0": 1}}, 10)
    same = np.ones((10, 2), np.float32)
    ranking = search(same[:1], same, 10)
    assert per_query(collection, ranking, ("nDCG@10",))["nDCG@10"].tolist() == [1.0]
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"d0": 1}}, {"ndcg_cut_10"})
    resorted = evaluator.evaluate({"q": {f"d{i}": 1.0 for i in range(10)}})
    assert resorted["q"]["ndcg_cut_10"] == pytest.approx(1 / math.log2(11))
    assert tie_bounds(collection, ranking) == pytest.approx((1 / math.log2(11), 1.0))


def test_a_ranking_that_is_too_shallow_is_refused() -> None:
    collection = collection_of({"q": {"d0": 1}}, 2)
    with pytest.raises(ValueError, match="20 documents and R@100 needs more"):
        per_query(collection, ranking_of([[0]], depth=20))
    for wrong in ("nDCG@", "Recall at ten", "NDCGG@3", "R"):
        with pytest.raises(ValueError, match="is not the name of a measure"):
            per_query(collection, ranking_of([[0]]), (wrong,))
    with pytest.raises(ValueError, match="not a measure that pytrec_eval computes"):
        per_query(collection, ranking_of([[0]]), ("RBP(p=0.8)",))


Ints = NDArray[np.int64]

BOOK = "The Cat sat. The dog ran. The cat came back."
OTHER = "A story without pets. The dog ran."
SENTENCES = {BOOK: [(0, 12), (13, 25), (26, 44)], OTHER: [(0, 21), (22, 34)]}


def two_books(*queries: Query, judgments: tuple[Judgment, ...] = ()) -> tuple[Collection, Chunks]:
    documents = (Document("book", BOOK), Document("other", OTHER))
    collection = Collection("two books", documents, queries, judgments)
    return collection, chunk_documents(SENTENCES.__getitem__, documents)


def lists(arrays: list[Ints]) -> list[list[int]]:
    return [array.tolist() for array in arrays]


def lumberchunker_dcg(holds_gold: list[bool]) -> float:
    """The published sum over all ranks, relevance 1 for the first hit and 0 after it."""
    relevance = [int(hit and not any(holds_gold[:i])) for i, hit in enumerate(holds_gold)]
    return sum((2.0**rel - 1) / math.log2(i + 1) for i, rel in enumerate(relevance, start=1))


def test_a_chunk_with_the_judged_text_in_any_case_is_relevant_in_the_querys_own_book_only() -> None:
    collection, chunks = two_books(Query("cat", "?", "book"), Query("dog", "?", "other"))
    texts = chunks.texts(collection.documents)
    gold = {"cat": "THE CAT", "dog": "the dog ran"}
    assert lists(relevant_chunks(collection, chunks, texts, "substring", gold)) == [[0, 2], [4]]


def test_a_judged_text_cut_in_two_is_nowhere_and_its_ceiling_is_zero() -> None:
    collection, chunks = two_books(Query("cut", "?", "book"), Query("kept", "?", "book"))
    texts = chunks.texts(collection.documents)
    gold = {"cut": "sat. The dog", "kept": "dog ran"}
    relevant = relevant_chunks(collection, chunks, texts, "substring", gold)
    assert lists(relevant) == [[], [1]]
    assert ceiling(relevant).tolist() == [0.0, 1.0]
    cut = Judgment("cut", "book", BOOK.index("sat. "), BOOK.index(" ran"))
    both, chunks = two_books(*collection.queries, judgments=(cut,))
    assert lists(relevant_chunks(both, chunks, texts, "overlap")) == [[0, 1], []]


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans())
def test_dcg_is_the_published_sum_over_the_chunks_read(seed: int, cut: int, grouped: bool) -> None:
    generator = np.random.default_rng(seed)
    chunks = int(generator.integers(1, 30))
    parents = generator.integers(0, 8, size=chunks)
    rows, relevant, expected = [], [], []
    for _ in range(4):
        row = generator.permutation(chunks)[: generator.integers(0, chunks + 1)].tolist()
        wanted = np.flatnonzero(generator.random(chunks) < 0.15)
        read = list(dict.fromkeys(parents[row].tolist())) if grouped else row
        rows.append(row)
        relevant.append(wanted)
        expected.append(lumberchunker_dcg([one in wanted for one in read[:cut]]))
    ranking = ranking_of(rows, 30)
    found = dcg_first_hit(best_of_each(ranking, parents) if grouped else ranking, relevant, cut)
    assert found.tolist() == pytest.approx(expected)
    assert (found <= ceiling(relevant)).all()


@given(st.integers(1, 6), st.integers(0, 6), st.integers(1, 4))
def test_the_dcg_of_a_random_order_is_its_mean_over_all_orders(
    chunks: int, relevant: int, cut: int
) -> None:
    relevant = min(relevant, chunks)
    scores = []
    for order in itertools.permutations(range(chunks)):
        ranks = [rank for rank, chunk in enumerate(order[:cut]) if chunk < relevant]
        scores.append(1 / np.log2(ranks[0] + 2) if ranks else 0.0)
    (expected,) = dcg_of_random_order([relevant], [chunks], cut)
    assert expected == pytest.approx(np.mean(scores))


def test_a_random_order_of_larger_chunks_scores_higher() -> None:
    small, large = dcg_of_random_order([1, 1], [160, 40])
    assert large > 3 * small
