"""Exact search: every query is compared with every chunk, and equal scores have one order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.errors import UserError
from chunkstudy.core.spans import Chunks, Collection

NO_CHUNK = -1
_QUERIES_AT_ONCE = 256


@dataclass(frozen=True)
class Limit:
    """Which document each query may search (in-document tasks).

    Attributes:
        query_document: shape (queries,), the index of the document, or -1 for all of them.
        chunk_document: shape (chunks,), the index of each chunk's document.
    """

    query_document: NDArray[np.int64]
    chunk_document: NDArray[np.int64]

    @classmethod
    def of(cls, collection: Collection, chunks: Chunks) -> Limit:
        """Each query to the document that it names, or to none where it names none."""
        at = collection.positions
        named = [at[query.document] if query.document else -1 for query in collection.queries]
        return cls(np.asarray(named, dtype=np.int64), chunks.document)


@dataclass(frozen=True)
class Ranking:
    """The best chunks of every query: score descending, then chunk index ascending; or, where it
    says so, the best documents or other groups of chunks, each with the score of its best chunk.

    Attributes:
        chunk: shape (queries, depth), int64, the index of what is ranked; -1 where there is less
            than the depth.
        score: shape (queries, depth), float32; -inf where ``chunk`` is -1.
    """

    chunk: NDArray[np.int64]
    score: NDArray[np.float32]

    def of_depth(self, depth: int) -> Ranking:
        """The same, cut or padded to a depth."""
        missing = ((0, 0), (0, max(0, depth - self.chunk.shape[1])))
        chunk = np.pad(self.chunk, missing, constant_values=NO_CHUNK)
        score = np.pad(self.score, missing, constant_values=-np.inf)
        return Ranking(chunk[:, :depth], score[:, :depth])

    def tied_at(self, cut: int) -> NDArray[np.bool_]:
        """Shape (queries,): whether the order by index alone decided what the first ``cut`` are, of
        a ranking that is deeper or holds all that there is."""
        score = self.of_depth(cut + 1).score
        same: NDArray[np.bool_] = score[:, cut - 1] == score[:, cut]
        return same & ~np.isneginf(score[:, cut])


Search = Callable[[int], Ranking]
"""The best chunks of every query, to a depth."""


def search(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    depth: int,
    allowed: Limit | None = None,
    block: int = 4096,
) -> Ranking:
    """Rank the chunks for every query by dot product.

    Chunks follow the documents, which are in sorted id order, so ties break by that order.

    Args:
        queries: shape (queries, dimensions), float32.
        vectors: shape (chunks, dimensions), float32.
        depth: chunks kept per query; may exceed the number of chunks.
        allowed: limits queries to one document each.
        block: vectors compared at once; the working memory grows with it and with nothing else.

    Raises:
        UserError: if shapes do not fit or a value is not finite.
    """
    if queries.ndim != 2 or vectors.ndim != 2 or queries.shape[1] != vectors.shape[1]:
        raise UserError(
            f"queries of shape {queries.shape} and vectors of shape {vectors.shape} do not fit; "
            "both must be two-dimensional and equally wide"
        )
    if depth < 1 or block < 1:
        raise UserError(f"depth and block must be at least 1, not {depth} and {block}")
    if allowed is not None and (
        allowed.query_document.shape != (len(queries),)
        or allowed.chunk_document.shape != (len(vectors),)
    ):
        raise UserError("a limit must name one document per query and one per chunk")
    if allowed is not None:
        return _search_own(queries, vectors, depth, allowed, block)
    best = nothing_kept(len(queries), depth)
    _refuse_not_finite(queries, "query", 0)
    for first in range(0, len(vectors), block):
        part = vectors[first : first + block]
        _refuse_not_finite(part, "chunk", first)
        # A float32 product depends in its last bit on the block's shape and the machine; summed
        # in float64 and then rounded, equal vectors score the same wherever they stand.
        columns = part.astype(np.float64).T
        for low in range(0, len(queries), _QUERIES_AT_ONCE):
            rows = slice(low, min(low + _QUERIES_AT_ONCE, len(queries)))
            scores = (queries[rows].astype(np.float64) @ columns).astype(np.float32)
            keep_best(best, rows, scores, np.arange(first, first + len(part)))
    return best


def _search_own(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    depth: int,
    allowed: Limit,
    block: int,
) -> Ranking:
    """Each query compared with the chunks of its own document alone."""
    _refuse_not_finite(vectors, "chunk", 0)
    best = nothing_kept(len(queries), depth)
    for document in np.unique(allowed.query_document):
        rows = np.flatnonzero(allowed.query_document == document)
        own = np.flatnonzero((document < 0) | (allowed.chunk_document == document))
        ranking = search(queries[rows], vectors[own], depth, block=block)
        best.chunk[rows] = np.append(own, NO_CHUNK)[ranking.chunk]
        best.score[rows] = ranking.score
    return best


def nothing_kept(queries: int, depth: int) -> Ranking:
    """The ranking from which a search starts: padding only."""
    return Ranking(
        np.full((queries, depth), NO_CHUNK, dtype=np.int64),
        np.full((queries, depth), -np.inf, dtype=np.float32),
    )


def keep_best(
    kept: Ranking, rows: slice, scores: NDArray[np.float32], chunk: NDArray[np.int64]
) -> None:
    """Let scores of shape (rows, columns) compete with those kept; -inf is never kept.

    Args:
        chunk: ascending along the columns and above every chunk kept; broadcasts to ``scores``.
    """
    depth = kept.chunk.shape[1]
    # Kept chunks have the lower indices and stand in order, so equal scores stand by index here.
    score = np.concatenate([kept.score[rows], scores], axis=1)
    chunk = np.concatenate([kept.chunk[rows], np.broadcast_to(chunk, scores.shape)], axis=1)
    cut = np.partition(score, -depth, axis=1)[:, -depth]
    above = score > cut[:, None]
    at_cut = score == cut[:, None]
    room = depth - above.sum(axis=1)
    chosen = above | (at_cut & (np.cumsum(at_cut, axis=1, dtype=np.int32) <= room[:, None]))
    best_score = score[chosen].reshape(-1, depth)
    best_chunk = chunk[chosen].reshape(-1, depth)
    order = np.argsort(-best_score, axis=1, kind="stable")
    best_score = np.take_along_axis(best_score, order, axis=1)
    best_chunk = np.take_along_axis(best_chunk, order, axis=1)
    kept.score[rows] = best_score
    kept.chunk[rows] = np.where(np.isneginf(best_score), NO_CHUNK, best_chunk)


def _refuse_not_finite(values: NDArray[np.float32], kind: str, first: int) -> None:
    bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(bad):
        raise UserError(
            f"the vector of {kind} {first + bad[0]} is not finite, perhaps because its text is "
            "empty; encode it again or drop it"
        )
