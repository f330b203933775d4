"""Boundaries by embeddings, against literal and brute-force computations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import semantic
from chunkstudy.chunkers.structure import pieces, sentences
from tests.made_needs import PROSE, hashed


def random_vectors(n: int, seed: int) -> semantic.Vectors:
    return hashed([f"{seed}/{i}" for i in range(n)])


def centred(vectors: semantic.Vectors) -> np.ndarray:
    exact = vectors.astype(np.float64)
    matrix = exact @ exact.T
    matrix -= matrix[np.triu_indices(len(matrix), k=1)].mean() if len(matrix) > 1 else 0
    np.fill_diagonal(matrix, 0)
    return matrix


def literal_cluster(vectors: semantic.Vectors, largest: int) -> list[int]:
    """The official computation on the whole matrix: every pair twice, best reward from 0."""
    matrix = centred(vectors)
    best = np.zeros(len(matrix))
    start_of = np.zeros(len(matrix), dtype=int)
    for last in range(len(matrix)):
        for first in range(last, max(-1, last - largest), -1):
            reward = matrix[first : last + 1, first : last + 1].sum()
            reward += best[first - 1] if first else 0
            if reward > best[last]:
                best[last], start_of[last] = reward, first
    cuts: list[int] = []
    last = len(matrix) - 1
    while last >= 0:
        cuts.insert(0, int(start_of[last]))
        last = cuts[0] - 1
    return cuts


def segmentations(n: int, largest: int) -> Iterator[list[int]]:
    if n == 0:
        yield []
    for size in range(1, min(n, largest) + 1):
        for before in segmentations(n - size, largest):
            yield [*before, n - size]


def value(matrix: np.ndarray, cuts: list[int]) -> float:
    ends = pairwise([*cuts, len(matrix)])
    return float(sum(matrix[first:after, first:after].sum() / 2 for first, after in ends))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 10_000))
@settings(max_examples=150)
def test_cluster_with_quirks_equals_the_literal_matrix_computation(
    n: int, largest: int, seed: int
) -> None:
    vectors = random_vectors(n, seed)
    assert semantic.cluster_cuts(vectors, largest, quirks=True) == literal_cluster(vectors, largest)


@given(st.integers(1, 11), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=100)
def test_cluster_without_quirks_is_the_best_of_all_segmentations(
    n: int, largest: int, seed: int
) -> None:
    vectors = random_vectors(n, seed)
    cuts = semantic.cluster_cuts(vectors, largest, quirks=False)
    matrix = centred(vectors)
    best = max(value(matrix, candidate) for candidate in segmentations(n, largest))
    assert value(matrix, cuts) == pytest.approx(best, abs=1e-9)
    assert cuts in list(segmentations(n, largest))


def test_kamradt_cuts_above_the_percentile() -> None:
    found = semantic.kamradt(PROSE, embed=hashed)
    spans = sentences(PROSE)
    starts = [spans.index(next(one for one in spans if one[0] == start)) for start, *_ in found]
    texts = [PROSE[start:end] for start, end in spans]
    windows = [" ".join(texts[max(0, i - 1) : i + 2]) for i in range(len(texts))]
    vectors = hashed(windows).astype(float)
    distances = [1 - a @ b for a, b in pairwise(vectors)]
    threshold = np.percentile(distances, 95)
    assert starts == [0, *(i + 1 for i, d in enumerate(distances) if d > threshold)]
    assert len(starts) == 7


def test_kamradt_modified_takes_exactly_as_many_cuts_as_the_size_asks_for() -> None:
    count = counter("cl100k")
    found = semantic.kamradt_modified(PROSE, embed=hashed, size=200, count=count, quirks=False)
    total = sum(count.count(PROSE[start:end]) for start, end in pieces(PROSE, count))
    assert len(found) == 1 + total // 200
