"""The first relevant chunk of a ranking, against a plain walk along it and LumberChunker's sum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.evaluation.measures.first_hit import ceiling, dcg_first_hit, relevant_chunks
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each
from tests.test_measures_ranking import ranking_of

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
