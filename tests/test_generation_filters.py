"""Both filters against the official loops written out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunkstudy.studies.generated_questions import filters
from chunkstudy.studies.generated_questions.filters import ALIKE, UNLIKE
from chunkstudy.studies.generated_questions.generate import Candidate

Vectors = NDArray[np.float32]


def units(rows: Sequence[Sequence[int]]) -> Vectors:
    values = np.asarray(rows, dtype=np.float32) + np.float32(0.1)
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


VECTORS = st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=12).map(units)
THRESHOLD = st.floats(-1, 1)


@given(VECTORS, THRESHOLD)
def test_duplicates_fall_as_in_the_official_loop(vectors: Vectors, most: float) -> None:
    similar = vectors @ vectors.T
    left = [True] * len(vectors)
    for i in range(len(vectors)):
        for j in range(i + 1, len(vectors)):
            if left[i] and left[j] and similar[i, j] > most:
                left[j] = False
    near = np.abs(similar - most).min() < 1e-5  # where rounding decides, either is right
    found = filters.alike(vectors, most, np.ones(len(vectors), dtype=np.bool_))
    assert near or (~found).tolist() == left


PLANE = {"north": (1.0, 0.0), "almost north": (0.98, 0.199), "east": (0.0, 1.0)}


def encode(texts: Sequence[str], role: str) -> Vectors:
    return np.array([PLANE[text] for text in texts], dtype=np.float32).reshape(-1, 2)


def candidate(number: int, question: str, excerpt: str) -> Candidate:
    start = TEXT.index(f"|{excerpt}|") + 1
    return Candidate(number, question, "a", ((start, start + len(excerpt)),))


TEXT = "|north|almost north|east|"


def test_a_question_that_is_dropped_anyway_drops_no_other() -> None:
    asked = [
        candidate(1, "north", "east"),
        candidate(2, "almost north", "north"),
        candidate(3, "north", "almost north"),
        candidate(4, "east", "east"),
    ]
    found = filters.apply(asked, {"a": TEXT}, encode, 0.36, 0.78)
    assert found.dropped == (UNLIKE, "", ALIKE, "")
