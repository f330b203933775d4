"""Ranking of documents: a document scores as its best chunk (MaxP).

A ranking of documents has their indices where one of chunks has the chunks'."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Collection
from chunkstudy.evaluation.retrieval.chunks import (
    NO_CHUNK,
    Ranking,
    check_shapes,
    keep_best,
    nothing_kept,
    score_blocks,
)
from chunkstudy.evaluation.retrieval.small_to_large import best_of_each

Ints = NDArray[np.int64]


def search_documents(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    chunk_document: Ints,
    depth: int,
    excluded: Ints | None = None,
    block: int = 4096,
) -> Ranking:
    """Rank the documents for every query by their best chunk, over all chunks.

    A document without chunks is never returned.

    Args:
        queries: shape (queries, dimensions), float32.
        vectors: shape (chunks, dimensions), float32.
        chunk_document: shape (chunks,), the index of each chunk's document, ascending.
        depth: documents kept per query; may exceed the number of documents.
        excluded: shape (queries,), a document never returned to the query, or -1.
        block: vectors compared at once; the working memory grows with it, and beyond it only
            with what is returned.

    Raises:
        SearchError: if shapes do not fit, or a value is not finite.
    """
    check_shapes(queries, vectors, depth, block)
    ranking = nothing_kept(len(queries), depth)
    # The best score so far of the one document that the last block did not finish.
    unfinished = np.full(len(queries), -np.inf, dtype=np.float32)
    for rows, first, scores in score_blocks(queries, vectors, block):
        after = first + scores.shape[1]
        documents = chunk_document[first:after]
        starts = np.flatnonzero(np.diff(documents, prepend=-1))
        best = np.maximum.reduceat(scores, starts, axis=1)
        if first and chunk_document[first - 1] == documents[0]:
            best[:, 0] = np.maximum(best[:, 0], unfinished[rows])
        if after < len(vectors) and chunk_document[after] == documents[-1]:
            unfinished[rows] = best[:, -1]
            starts, best = starts[:-1], best[:, :-1]
        if excluded is not None:
            best[excluded[rows, None] == documents[starts]] = -np.inf
        keep_best(ranking, rows, best, documents[starts])
    return ranking


def documents_of(
    ranking: Ranking, chunk_document: Ints, depth: int, excluded: Ints | None = None
) -> Ranking:
    """Rank the documents that the chunks of a ranking belong to, each by its best chunk.

    How many documents are found depends on the ranking's depth, and ``ties_at_cut`` counts only
    documents that the ranking holds; ``ranking.ties_at_cut`` tells of the chunks that it does not.

    Args:
        ranking: chunks in order, shape (queries, chunk depth).
        chunk_document: shape (chunks,), the index of each chunk's document, ascending.
        depth: documents kept per query.
        excluded: shape (queries,), a document never returned to the query, or -1.
    """
    # Equal scores stand by chunk, hence by document, and stay so when later chunks are dropped.
    best = best_of_each(ranking, chunk_document, excluded)
    last = best.of_depth(depth).score[:, -1:]
    ties = ((best.score[:, depth:] == last) & ~np.isneginf(last)).sum(axis=1)
    return replace(best, ties_at_cut=ties).of_depth(depth)


def jina_depth(max_chunks: int) -> int:
    """How many chunks Jina's evaluation ranks before it scores documents.

    Source: jina-ai/late-chunking, chunked_pooling/mteb_chunked_eval.py (db558c3): 20, or the
    highest power of ten below 100 times the most chunks of a document, whichever is more.

    Args:
        max_chunks: the most chunks that any document of the collection has.

    Raises:
        ValueError: if there are no chunks.
    """
    if max_chunks < 1:
        raise ValueError(f"a collection to be searched has at least 1 chunk, not {max_chunks}")
    power = 10
    while 10 * power < 100 * max_chunks:
        power *= 10
    return max(20, power)


def own_documents(collection: Collection) -> Ints:
    """The document that bears each query's id, shape (queries,), or -1 (for ``excluded``)."""
    positions = collection.positions
    return np.asarray(
        [positions.get(query.id, NO_CHUNK) for query in collection.queries], dtype=np.int64
    )
