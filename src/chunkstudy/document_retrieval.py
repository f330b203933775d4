"""Ranking documents by their best chunk (MaxP): over all chunks, or over a stated depth of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.retrieval import NO_CHUNK, Ranking, SearchError, check_shapes, refuse_not_finite

_QUERIES_AT_ONCE = 256


@dataclass(frozen=True)
class DocumentRanking:
    """The best documents of every query: score descending, then document index ascending.

    Attributes:
        document: shape (queries, depth), int64; -1 where there are fewer documents.
        score: shape (queries, depth), float32, of the best chunk; -inf where ``document`` is -1.
        ties_at_cut: shape (queries,), documents left out although they score the same as the last
            one kept.
    """

    document: NDArray[np.int64]
    score: NDArray[np.float32]
    ties_at_cut: NDArray[np.int64]


def search_documents(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    chunk_document: NDArray[np.int64],
    depth: int,
    excluded: NDArray[np.int64] | None = None,
    block: int = 4096,
) -> DocumentRanking:
    """Rank documents by the dot product of their best chunk, over all chunks.

    Working memory is a block of queries by a block of chunks and by all documents.

    Args:
        queries: shape (queries, dimensions), float32.
        vectors: shape (chunks, dimensions), float32.
        chunk_document: shape (chunks,), ascending; a document without chunks is never returned.
        depth: documents kept per query; may exceed their number.
        excluded: shape (queries,), a document that is never returned to that query, or -1.
        block: vectors compared at once.

    Raises:
        SearchError: if shapes do not fit, chunks are out of order or a value is not finite.
    """
    check_shapes(queries, vectors, depth, block)
    parts = []
    for low in range(0, len(queries), _QUERIES_AT_ONCE):
        rows = slice(low, low + _QUERIES_AT_ONCE)
        documents, best = best_per_document(queries[rows], vectors, chunk_document, block)
        without = None if excluded is None else excluded[rows]
        parts.append(_top(best, documents, depth, without))
    return _stack(parts, depth)


def best_per_document(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    chunk_document: NDArray[np.int64],
    block: int = 4096,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The best score of every document that has chunks.

    Returns:
        Document indices, ascending, shape (documents,), and scores, (queries, documents).

    Raises:
        SearchError: if chunks are out of order or a value is not finite.
    """
    refuse_not_finite(queries, "query", 0)
    refuse_not_finite(vectors, "chunk", 0)
    if chunk_document.shape != (len(vectors),) or (np.diff(chunk_document) < 0).any():
        raise SearchError("every chunk must name its document, and chunks must follow documents")
    documents, first = np.unique(chunk_document, return_index=True)
    best = np.full((len(queries), len(first)), -np.inf, dtype=np.float32)
    wide = queries.astype(np.float64)
    for start in range(0, len(vectors), block):
        part = vectors[start : start + block]
        # Summed in float64 and then rounded, equal vectors score the same wherever they stand.
        scores = (wide @ part.astype(np.float64).T).astype(np.float32)
        here = int(np.searchsorted(first, start, side="right")) - 1
        after = int(np.searchsorted(first, start + len(part), side="left"))
        cuts = np.maximum(first[here:after] - start, 0)
        maxima = np.maximum.reduceat(scores, cuts, axis=1)
        np.maximum(best[:, here:after], maxima, out=best[:, here:after])
    return documents, best


def documents_of(
    ranking: Ranking,
    chunk_document: NDArray[np.int64],
    depth: int,
    excluded: NDArray[np.int64] | None = None,
) -> DocumentRanking:
    """Rank documents by their best chunk among those of a ranking: MaxP at a stated depth.

    Args:
        ranking: of chunks, at the depth in question.
        chunk_document: shape (chunks,), the document of each chunk.
        depth: documents kept per query.
        excluded: shape (queries,), a document that is never returned to that query, or -1.
    """
    parts = []
    for row, (chunks, scores) in enumerate(zip(ranking.chunk, ranking.score, strict=True)):
        there = chunks != NO_CHUNK
        documents, first = np.unique(chunk_document[chunks[there]], return_index=True)
        without = None if excluded is None else excluded[row : row + 1]
        parts.append(_top(scores[there][first][None, :], documents, depth, without))
    return _stack(parts, depth)


def jina_depth(chunks_of_longest: int) -> int:
    """How many chunks Jina's evaluation ranks, given the most chunks of any document.

    The largest of 1, 3, 5, 10, 20 and every 10^n below 100 times that number
    (mteb_chunked_eval.py:332-338), so one long document changes the depth for all queries.
    """
    depths = [20]
    power = 10
    while power < 100 * chunks_of_longest:
        depths.append(power)
        power *= 10
    return max(depths)


def _top(
    score: NDArray[np.float32],
    documents: NDArray[np.int64],
    depth: int,
    excluded: NDArray[np.int64] | None,
) -> DocumentRanking:
    """The first ``depth`` of the documents, which are ascending, by score and then index."""
    if excluded is not None:
        score = np.where(documents[None, :] == excluded[:, None], np.float32(-np.inf), score)
    document = np.broadcast_to(documents, score.shape)
    ties = np.zeros(len(score), dtype=np.int64)
    if score.shape[1] > depth:
        cut = np.partition(score, -depth, axis=1)[:, -depth][:, None]
        at_cut = score == cut
        room = depth - (score > cut).sum(axis=1)
        chosen = (score > cut) | (at_cut & (np.cumsum(at_cut, axis=1) <= room[:, None]))
        ties = np.where(np.isneginf(cut[:, 0]), 0, at_cut.sum(axis=1) - room)
        score = score[chosen].reshape(-1, depth)
        document = document[chosen].reshape(-1, depth)
    order = np.argsort(-score, axis=1, kind="stable")
    score = np.take_along_axis(score, order, axis=1)
    document = np.take_along_axis(document, order, axis=1)
    return DocumentRanking(np.where(np.isneginf(score), NO_CHUNK, document), score, ties)


def _stack(parts: list[DocumentRanking], depth: int) -> DocumentRanking:
    """Parts one below the other, each widened to ``depth``."""

    def widen(values: NDArray[np.generic], fill: float) -> NDArray[np.generic]:
        return np.pad(values, ((0, 0), (0, depth - values.shape[1])), constant_values=fill)

    if not parts:
        nothing = np.zeros((0, depth))
        return DocumentRanking(
            nothing.astype(np.int64), nothing.astype(np.float32), nothing[:, 0].astype(np.int64)
        )
    return DocumentRanking(
        np.concatenate([widen(part.document, NO_CHUNK) for part in parts]).astype(np.int64),
        np.concatenate([widen(part.score, -np.inf) for part in parts]).astype(np.float32),
        np.concatenate([part.ties_at_cut for part in parts]),
    )
