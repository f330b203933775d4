"""Both orderings on excerpts: within the query's own document, and over all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.studies.late_excerpts import ARMS, MEASURES, per_query, within_documents

SIZE = 10
COLLECTION = Collection(
    "chroma",
    (Document("a", "x" * 60), Document("b", "y" * 40)),
    (Query("0", "?"), Query("1", "?")),
    (Judgment("0", "a", 12, 24, 1), Judgment("1", "b", 0, 10, 1)),
)


def chunks() -> Chunks:
    spans = [(d, at, at + SIZE) for d, n in ((0, 60), (1, 40)) for at in range(0, n, SIZE)]
    document, start, end = np.array(spans, dtype=np.int64).T
    return Chunks(document, start, end)


def test_every_query_names_the_one_document_it_is_judged_on() -> None:
    assert [query.document for query in within_documents(COLLECTION).queries] == ["a", "b"]
    twice = replace(COLLECTION, judgments=(*COLLECTION.judgments, Judgment("0", "b", 0, 5, 1)))
    with pytest.raises(ValueError, match="query 0 of chroma is judged on 2 documents"):
        within_documents(twice)
    with pytest.raises(ValueError, match="judged on 0 documents"):
        within_documents(replace(COLLECTION, judgments=COLLECTION.judgments[:1]))


@given(st.integers(0, 1000))
def test_scores_are_those_of_ranking_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    made = chunks()
    vectors = random.normal(size=(len(made), 4)).astype(np.float32)
    asked = random.normal(size=(2, 4)).astype(np.float32)
    found = per_query(within_documents(COLLECTION), made, asked, dict.fromkeys(ARMS, vectors))
    scores = asked @ vectors.T
    for row, (document, judged) in enumerate(((0, range(12, 24)), (1, range(10)))):
        order = np.argsort(-scores[row])
        own = [i for i in order if made.document[i] == document]
        hits = [bool(set(judged) & set(range(made.start[i], made.end[i]))) for i in own]
        assert found[f"{MEASURES[0]}, plain"][row] == pytest.approx(
            1 / np.log2(hits.index(True) + 2)
        )
        for ranked, name in ((own, MEASURES[1]), (list(order), MEASURES[2])):
            read = {
                at
                for i in ranked[:5]
                if made.document[i] == document
                for at in range(made.start[i], made.end[i])
            }
            recall = len(read & set(judged)) / len(judged)
            assert found[f"{name}, contextualized"][row] == pytest.approx(recall)


def test_arms_with_the_same_vectors_score_the_same() -> None:
    vectors = np.eye(10, 4, dtype=np.float32) + 0.1
    asked = np.ones((2, 4), dtype=np.float32)
    found = per_query(within_documents(COLLECTION), chunks(), asked, dict.fromkeys(ARMS, vectors))
    for name in MEASURES:
        pd.testing.assert_series_equal(
            found[f"{name}, plain"], found[f"{name}, contextualized"], check_names=False
        )
