"""In-document retrieval as GutenQA scores it: the first relevant chunk of the query's own book.

LumberChunker's evaluation gives relevance 1 to the first chunk that contains the judged text and 0
to all others, so DCG@k is 1 / log2(rank + 1) of that chunk if it is among the first k, else 0.
What no chunk contains cannot be found whatever the retriever; the ceiling says so per query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chunkstudy.retrieval import NO_CHUNK, Ranking
from chunkstudy.spans import Chunks, Collection

Relevant = list[NDArray[np.int64]]
"""Of each query, the indices of the chunks that answer it."""


def relevant_chunks(
    collection: Collection,
    chunks: Chunks,
    texts: Sequence[str],
    rule: Literal["substring", "overlap"],
    gold: Mapping[str, str] | None = None,
) -> Relevant:
    """Which chunks of a query's own document answer it.

    Args:
        collection: whose queries name a document.
        chunks: of the collection.
        texts: of each chunk, or of its parent.
        rule: ``substring``: the judged text occurs in the chunk's text, case aside; ``overlap``:
            the chunk shares a character with a judged span.
        gold: query id to judged text, for ``substring``; a query without one has no answer.
    """
    places = collection.positions
    lowered = [text.lower() for text in texts] if rule == "substring" else []
    spans = collection.judgments_by_query()
    found: Relevant = []
    for query in collection.queries:
        inside = np.ones(len(chunks), dtype=bool)
        if query.document is not None:
            inside = chunks.document == places[query.document]
        hit = np.zeros(len(chunks), dtype=bool)
        if rule == "substring":
            if wanted := (gold or {}).get(query.id, "").lower():
                hit = np.array([wanted in text for text in lowered], dtype=bool)
        else:
            for span in spans[query.id]:
                same = chunks.document == places[span.document]
                hit |= same & (chunks.start < span.end) & (chunks.end > span.start)
        found.append(np.flatnonzero(inside & hit))
    return found


def parents_of(chunks: Chunks) -> NDArray[np.int64]:
    """Shape (chunks,): a number for each distinct span, which propositions of one parent share."""
    spans = np.stack([chunks.document, chunks.start, chunks.end], axis=1)
    return np.unique(spans, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def dcg_first_hit(
    ranking: Ranking,
    relevant: Relevant,
    cut: int = 10,
    parents: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """DCG of the first relevant chunk among the first ``cut``, shape (queries,), in [0, 1].

    Args:
        ranking: of chunks, as deep as the cut, or deep enough to hold ``cut`` parents.
        relevant: of each query.
        cut: ranks that count.
        parents: shape (chunks,); chunks of one parent count once, at their best rank.
    """
    values = np.zeros(len(ranking.chunk))
    for row, (ranked, wanted) in enumerate(zip(ranking.chunk, relevant, strict=True)):
        seen = ranked[ranked != NO_CHUNK]
        if parents is not None:
            of_chunks = parents[seen]
            seen = seen[np.sort(np.unique(of_chunks, return_index=True)[1])]
        hits = np.flatnonzero(np.isin(seen[:cut], wanted))
        if len(hits):
            values[row] = 1 / np.log2(hits[0] + 2)
    return values


def ceiling(relevant: Relevant) -> NDArray[np.float64]:
    """The DCG of a retriever that ranks a relevant chunk first: 1, or 0 where there is none."""
    return np.array([float(len(wanted) > 0) for wanted in relevant])
