"""Small-to-large: what is matched is smaller than what is returned.

Sentences are embedded, and of the best ones the paragraph, the window around it, or the document is
handed over; of several that lie in one only the best counts. Documents are ranked so too, whatever
their chunks: each scores as its best (MaxP).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.spans import ChunkIndex, Chunks, Collection, Document
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking, Search

Ints = NDArray[np.int64]
FIRST = 200
"""Chunks that are searched at once; more where these hold too few groups."""


def within(small: Chunks, large: Chunks, documents: Sequence[Document]) -> ChunkIndex:
    """Match the small chunks, and return the large one that holds each, the first of several.

    A small chunk that runs through several large ones is cut where they end, and each piece returns
    its own; one with a text of its own stays whole and returns the one that shares most. A small
    chunk that shares no character with a large one returns itself.
    """
    rows: list[tuple[int, int, int, int, int, str]] = []  # document, matched, returned, text
    spans = zip(small.document.tolist(), small.start.tolist(), small.end.tolist(), strict=True)
    for (document, start, end), text in zip(spans, small.texts(documents), strict=True):
        candidates = slice(*np.searchsorted(large.document, (document, document + 1)))
        starts, ends = large.start[candidates], large.end[candidates]
        shared = np.minimum(ends, end) - np.maximum(starts, start)
        most = shared.max(initial=0)
        if not most:
            rows.append((document, start, end, start, end, text))
        elif most == end - start or small.text is not None:
            best = shared.argmax()
            rows.append((document, start, end, starts[best], ends[best], text))
        else:
            for low, high in zip(starts[shared > 0], ends[shared > 0], strict=True):
                first, last = max(start, low), min(end, high)
                piece = text[first - start : last - start]
                if piece.strip():
                    rows.append((document, first, last, low, high, piece))
    numbers = np.array([row[:5] for row in rows], dtype=np.int64).reshape(-1, 5)
    of, start, end, low, high = numbers.T
    texts = None if small.text is None else tuple(row[5] for row in rows)
    pieces = Chunks(of, start, end, texts, small.fallbacks, small.rewritten)
    return _index(pieces, low, high)


def around(small: Chunks, neighbours: int) -> ChunkIndex:
    """Match the small chunks, and return each with so many neighbours on either side."""
    places = np.arange(len(small))
    first = np.searchsorted(small.document, small.document)
    last = np.searchsorted(small.document, small.document, side="right") - 1
    start = small.start[np.maximum(places - neighbours, first)]
    end = small.end[np.minimum(places + neighbours, last)]
    return _index(small, start, end)


def index_chunks(chunks: Chunks) -> ChunkIndex:
    """Return the index of chunks that are matched and returned alike; equal spans count once."""
    return _index(chunks, chunks.start, chunks.end)


def _index(matched: Chunks, start: Ints, end: Ints) -> ChunkIndex:
    return ChunkIndex(matched, *returned(Chunks(matched.document, start, end)))


def returned(chunks: Chunks) -> tuple[Chunks, Ints]:
    """What chunks return, each span once in the order in which it first comes, and which of them
    each chunk returns, shape (chunks,)."""
    spans = np.stack([chunks.document, chunks.start, chunks.end], axis=1)
    _, first, place = np.unique(spans, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    firsts = first[order]
    spans_returned = Chunks(chunks.document[firsts], chunks.start[firsts], chunks.end[firsts], None)
    return spans_returned, rank[place.reshape(-1)]


def best_of_each(ranking: Ranking, group: Ints, excluded: Ints | None = None) -> Ranking:
    """The ranking of groups, each at the rank of its best chunk.

    Args:
        ranking: of chunks.
        group: shape (chunks,), the group of each.
        excluded: shape (queries,), a group never returned to the query, or -1.
    """
    groups = np.full_like(ranking.chunk, NO_CHUNK)
    held = ranking.chunk != NO_CHUNK
    groups[held] = group[ranking.chunk[held]]
    by_group = np.argsort(groups, axis=1, kind="stable")
    in_order = np.take_along_axis(groups, by_group, axis=1)
    new = np.zeros(groups.shape, dtype=bool)
    np.put_along_axis(new, by_group, np.diff(in_order, axis=1, prepend=NO_CHUNK) != 0, axis=1)
    if excluded is not None:
        new &= groups != excluded[:, None]
    order = np.argsort(~new, axis=1, kind="stable")
    groups[~new] = NO_CHUNK
    score = np.where(new, ranking.score, np.float32(-np.inf))
    groups, score = (np.take_along_axis(values, order, axis=1) for values in (groups, score))
    return Ranking(groups, score)


def own_documents(collection: Collection) -> Ints:
    """The document that bears each query's id, shape (queries,), or -1 (for ``excluded``)."""
    positions = collection.positions
    return np.asarray(
        [positions.get(query.id, NO_CHUNK) for query in collection.queries], dtype=np.int64
    )


def search_groups(
    search: Search,
    group: Ints,
    depth: int,
    enough: Callable[[Ranking], bool] = lambda _: True,
    excluded: Ints | None = None,
    first: int = FIRST,
) -> Ranking:
    """The ranking of groups by the best chunk of each, searched deeper until every query has so
    many groups and they are enough, or no chunk is left.

    Args:
        search: chunks to a depth.
        group: shape (chunks,), the group of each: what it returns, or its document.
        depth: groups wanted of each query; the ranking is padded to it.
        enough: whether a ranking of groups is, for a measure that reads further.
        excluded: as of ``best_of_each``.
        first: chunks that are searched at once.
    """
    chunks = max(1, min(first, len(group)))
    while True:
        ranking = best_of_each(search(chunks), group, excluded)
        full = bool(((ranking.chunk != NO_CHUNK).sum(axis=1) >= depth).all())
        if chunks >= len(group) or (full and enough(ranking)):
            break
        chunks = min(8 * chunks, len(group))
    return ranking.of_depth(max(depth, ranking.chunk.shape[1]))
