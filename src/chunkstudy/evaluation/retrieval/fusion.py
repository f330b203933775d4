"""Several rankings of the same chunks made into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkstudy.evaluation.retrieval.chunks import (
    NO_CHUNK,
    Ranking,
    Search,
    keep_best,
    nothing_kept,
)

CONSTANT = 60
FUSED = 1000
"""Chunks of each ranking that are made into one."""


def fused(ways: Sequence[Search], chunks: int) -> Search:
    """A search by the reciprocal ranks that searches of so many chunks give; one alone stays."""
    if len(ways) == 1:
        return ways[0]
    rankings = [way(min(FUSED, chunks)) for way in ways]
    return lambda depth: reciprocal_rank(rankings, depth)


def reciprocal_rank(rankings: Sequence[Ranking], depth: int) -> Ranking:
    """Reciprocal-rank fusion: a chunk's score is the sum of 1 / (60 + rank) over the rankings that
    hold it (Cormack, Clarke and Büttcher, SIGIR 2009); ties break by index.

    Args:
        rankings: of the same queries, each of shape (queries, its depth).
        depth: chunks kept per query.
    """
    queries = len(rankings[0].chunk)
    fused_ranking = nothing_kept(queries, depth)
    for row in range(queries):
        chunk = np.concatenate([ranking.chunk[row] for ranking in rankings])
        share = np.concatenate([1 / (CONSTANT + 1 + np.arange(r.chunk.shape[1])) for r in rankings])
        held = chunk != NO_CHUNK
        candidates, place = np.unique(chunk[held], return_inverse=True)
        total = np.bincount(place, share[held], len(candidates)).astype(np.float32)
        if len(candidates):
            keep_best(fused_ranking, slice(row, row + 1), total[None], candidates)
    return fused_ranking
