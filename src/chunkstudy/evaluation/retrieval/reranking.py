"""The first chunks of a ranking in another order: that of a reranker, which reads a query and a
chunk together and so sees more than two vectors tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking, Search

FIRST = 50
"""Chunks of each query that a reranker reads."""
Pair = tuple[str, str]
"""A query and a chunk."""
Score = Callable[[Sequence[Pair]], NDArray[np.float32]]
"""Of each pair how well the chunk answers the query, shape (pairs,); higher is better."""


class Reranked:
    """A search whose first chunks stand in a reranker's order, of equal ones in their own; those
    behind follow as they were, and score less than all that were read.

    Args:
        search: what finds the chunks.
        queries: their texts.
        chunks: theirs, in the order of the indices that ``search`` gives.
        score: the reranker.
        first: how many chunks of each query it reads.
    """

    def __init__(
        self,
        search: Search,
        queries: Sequence[str],
        chunks: Sequence[str],
        score: Score,
        first: int = FIRST,
    ) -> None:
        self._search = search
        before = search(min(first, len(chunks)))
        held = np.nonzero(before.chunk != NO_CHUNK)
        self.pairs: list[Pair] = [
            (queries[row], chunks[chunk])
            for row, chunk in zip(held[0].tolist(), before.chunk[held].tolist(), strict=True)
        ]
        scores = np.full(before.chunk.shape, -np.inf, dtype=np.float32)
        scores[held] = score(self.pairs)
        order = np.argsort(-scores, axis=1, kind="stable")
        self._chunk = np.take_along_axis(before.chunk, order, axis=1)
        self._score = np.take_along_axis(scores, order, axis=1)

    def __call__(self, depth: int) -> Ranking:
        read = self._chunk.shape[1]
        if depth <= read:
            return Ranking(self._chunk[:, :depth], self._score[:, :depth])
        whole = self._search(depth)
        lowest = np.min(self._score, axis=1, initial=np.inf, where=self._chunk != NO_CHUNK)
        behind = np.where(np.isfinite(lowest), lowest, 0)[:, None] - 1 - np.arange(depth - read)
        behind = np.where(whole.chunk[:, read:] == NO_CHUNK, -np.inf, behind).astype(np.float32)
        chunk = np.concatenate([self._chunk, whole.chunk[:, read:]], axis=1)
        return Ranking(chunk, np.concatenate([self._score, behind], axis=1))
