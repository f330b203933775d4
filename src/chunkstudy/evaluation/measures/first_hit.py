"""Measures of in-document retrieval, in which only the first relevant chunk counts.

Source: LumberChunker's evaluation (Code/Eval_Retrieval_on_Book_Example.ipynb at 9356c3f), which
ielab's evaluation of GutenQA follows. It searches the query's own book, looks for the judged text
in the retrieved chunks, both lower-cased, stops at the first chunk that holds it, and takes
DCG = (2^1 - 1) / log2(rank + 1) of that rank, 0 if it is not within the cut. Chunks that hold the
text after it gain nothing. Nothing is divided by an ideal, so what the best retriever could reach
is the ceiling: 1 if any chunk is relevant, 0 where the chunker cut through the judged text.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Limit, Ranking

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def relevant_chunks(
    collection: Collection,
    chunks: Chunks,
    texts: Sequence[str],
    hit: Literal["substring", "overlap"],
    gold: Mapping[str, str] | None = None,
) -> list[Ints]:
    """The relevant chunks of every query, all of them in the query's own document.

    Args:
        collection: every query names its document.
        texts: the text of each chunk; read by ``substring`` alone.
        hit: ``substring``, as GutenQA was published: the judged text occurs in the chunk's text,
            both lower-cased; ``overlap``: the chunk shares a character with a judged span.
        gold: query id to judged text, for ``substring``.

    Returns:
        Chunk indices, ascending, one array for each query in the collection's order.

    Raises:
        ValueError: if a judged text is empty (it would occur in every chunk).
    """
    documents = Limit.of(collection, chunks).query_document.tolist()
    if hit == "overlap":
        return _overlapping(collection, chunks, documents)
    lowered = [text.lower() for text in texts]
    of_document = {
        document: np.flatnonzero(chunks.document == document) for document in set(documents)
    }
    relevant = []
    for query, document in zip(collection.queries, documents, strict=True):
        wanted = (gold or {}).get(query.id, "").lower()
        if not wanted:
            raise ValueError(f"query {query.id} has no judged text; give its gold string")
        relevant.append(
            of_document[document][
                [wanted in lowered[chunk] for chunk in of_document[document].tolist()]
            ]
        )
    return relevant


def dcg_first_hit(ranking: Ranking, relevant: Sequence[Ints], cut: int = 10) -> Floats:
    """1 / log2(rank + 1) of each query's first relevant chunk within the cut, else 0.

    Args:
        ranking: the search within each query's document.
        relevant: the relevant chunks of each query.

    Returns:
        Shape (queries,).
    """
    scores = np.zeros(len(relevant))
    for row, (ranked, wanted) in enumerate(zip(ranking.chunk, relevant, strict=True)):
        ranked = ranked[ranked != NO_CHUNK]
        hits = np.flatnonzero(np.isin(ranked[:cut], wanted))
        if len(hits):
            scores[row] = 1 / np.log2(hits[0] + 2)
    return scores


def ceiling(relevant: Sequence[Ints]) -> Floats:
    """The most that any retriever could reach, shape (queries,): 1 if any chunk is relevant."""
    return np.array([float(len(chunks) > 0) for chunks in relevant], dtype=np.float64)


def dcg_of_random_order(relevant: ArrayLike, searched: ArrayLike, cut: int = 10) -> Floats:
    """Return the expected DCG of a ranking in random order, computed exactly.

    Larger chunks are fewer and hit the judged text more often, so that chance alone scores higher:
    chunkers of different sizes can only be compared by DCG next to this number.

    Args:
        relevant: number of relevant chunks of each query, shape (queries,).
        searched: number of chunks that each query searches, shape (queries,).
        cut: number of ranks that count.

    Returns:
        Shape (queries,), between 0 and 1.
    """
    hits, chunks = (np.asarray(counts, dtype=np.float64) for counts in (relevant, searched))
    expected, missed = np.zeros(len(hits)), np.ones(len(hits))
    for rank in range(1, cut + 1):
        left = np.maximum(chunks - rank + 1, 0)
        hit = np.divide(hits, left, out=np.zeros_like(hits), where=left > 0).clip(max=1)
        expected += missed * hit / np.log2(rank + 1)
        missed *= 1 - hit
    return expected


def _overlapping(collection: Collection, chunks: Chunks, documents: Sequence[int]) -> list[Ints]:
    query, chunk = TokenOverlap.of(collection, chunks, "overlap").hit_pairs
    same = chunks.document[chunk] == np.asarray(documents, dtype=np.int64)[query]
    query, chunk = query[same], chunk[same]
    bounds = np.searchsorted(query, np.arange(len(documents) + 1)).tolist()
    return [chunk[low:high] for low, high in itertools.pairwise(bounds)]
