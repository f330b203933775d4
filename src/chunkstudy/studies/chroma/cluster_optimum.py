"""Does Chroma's cluster chunker find the best of all segmentations, and does it keep its chunks
when text is added?

Asked of small random texts, of which every segmentation can be tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers.semantic import cluster_cuts
from chunkstudy.runs.study_runs import Context

NAME = "cluster-optimum"
COLLECTIONS: tuple[str, ...] = ()
TEXTS, PIECES, LONGEST = 100, 8, 3
"""Texts, pieces of each, and pieces that a chunk may hold."""
GROWING, BEFORE, ADDED = 50, 40, 20
"""Texts that grow, their pieces before, and those added."""


def tables(_: Context, __: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """``rewards``: per text the best reward of any segmentation, what the chunker reaches as the
    official code has it and as it is described, and the longest chunk of each. ``appended``: per
    text how many of its first boundaries are others once more text follows."""
    return {"rewards": _rewards(), "appended": _appended()}


def _rewards() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    rows = []
    for text in range(TEXTS):
        vectors = _unit(generator.normal(size=(PIECES, 4)))
        row: dict[str, float] = {
            "text": text,
            "best": max(_reward(vectors, cuts) for cuts in _segmentations(PIECES, LONGEST)),
        }
        for name, quirks in (("official", True), ("as described", False)):
            cuts = cluster_cuts(vectors, LONGEST, quirks=quirks)
            row |= {name: _reward(vectors, cuts), f"{name}, longest": _longest(cuts, PIECES)}
        rows.append(row)
    return pd.DataFrame(rows)


def _appended() -> pd.DataFrame:
    generator = np.random.default_rng(1)
    rows = []
    for text in range(GROWING):
        vectors = _unit(generator.normal(size=(BEFORE + ADDED, 8)))
        before = set(cluster_cuts(vectors[:BEFORE], 4, quirks=False))
        after = {cut for cut in cluster_cuts(vectors, 4, quirks=False) if cut < BEFORE}
        rows.append({"text": text, "boundaries": len(before), "changed": len(before ^ after)})
    return pd.DataFrame(rows)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _longest(cuts: list[int], n: int) -> int:
    return max(b - a for a, b in zip(cuts, [*cuts[1:], n], strict=True))


def _segmentations(n: int, longest: int) -> list[list[int]]:
    every = ([0, *cuts] for k in range(n) for cuts in combinations(range(1, n), k))
    return [cuts for cuts in every if _longest(cuts, n) <= longest]


def _reward(vectors: NDArray[np.float32], cuts: list[int]) -> float:
    """Sum over the pairs within chunks of similarity minus the mean over all pairs."""
    n = len(vectors)
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    above = similar - similar[np.triu_indices(n, 1)].mean()
    return sum(
        float(np.triu(above[start:end, start:end], 1).sum())
        for start, end in zip(cuts, [*cuts[1:], n], strict=True)
    )
