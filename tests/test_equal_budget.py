"""Overlap and size at an equal budget: whose chunks are ranked, and recall beside five chunks."""

from __future__ import annotations

import numpy as np
import pytest

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.base.tokens import cl100k_offsets
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval.chunks import Ranking
from chunkstudy.runs.steps import Vectors
from chunkstudy.studies.controls import equal_budget as study

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
    ranked = Ranking(ranking, np.zeros(ranking.shape, np.float32), np.zeros(3, np.int64))
    found, tokens = study.at_budgets(COLLECTION, CHUNKS, ranked, offsets, study.BUDGETS, 5)
    found = found.sort_index()
    judged, in_tokens = to_tokens(JudgedSpans.of(COLLECTION), CHUNKS, offsets)
    five = TokenOverlap(judged, in_tokens, "overlap").at(ranking, 5)["SpanRecall"]
    assert found[study.CHUNKS, 5].tolist() == pytest.approx(five, abs=1e-4)
    assert tokens == in_tokens.lengths.mean()
    assert found["again", 1_000]["q2"] == 1 and found["again", 4_000]["q3"] == 0
    assert (found["once"] >= found["again"]).all()
