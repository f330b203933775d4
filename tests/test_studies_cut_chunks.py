"""Which chunks a window cuts, against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.studies.late_within.cut_chunks import beyond, largest

SIZES = np.array([4, 6, 7, 20])


@pytest.mark.parametrize("window, cut, unread", [(8, 2, 1 + 14), (9, 1, 13), (22, 0, 0)])
def test_a_window_holds_two_special_tokens_and_leaves_the_rest_unread(
    window: int, cut: int, unread: int
) -> None:
    found = beyond(SIZES, window)
    assert found == {"window": window, "cut": cut / 4, "unread": unread / 37}


def test_a_question_is_as_large_as_the_largest_chunk_that_touches_its_answer() -> None:
    documents = (Document("one", "a" * 30), Document("two", "b" * 30))
    chunks = Chunks(
        np.array([0, 0, 0, 1]), np.array([0, 10, 20, 0]), np.array([10, 20, 30, 30]), None
    )
    judgments = (
        Judgment("across", "one", 8, 12, 1),
        Judgment("inside", "one", 10, 20, 1),
        Judgment("twice", "one", 0, 1, 1),
        Judgment("twice", "two", 5, 6, 1),
    )
    queries = tuple(Query(name, name) for name in ("across", "inside", "twice"))
    collection = Collection("small", documents, queries, judgments)
    assert largest(collection, chunks, SIZES) == {"across": 6, "inside": 6, "twice": 20}
