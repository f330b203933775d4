"""The rankings behind the scores, kept so that another measure can be computed from them.

A ranking is a frame with a row for each query and rank, best first, at most ``DEPTH`` ranks a
query; a query that retrieved nothing has no row. ``query`` and ``document`` are indices into the
collection's queries and (sorted) documents, whose digest the run holds. Documents have ``query,
document, score``; chunks ``query, document, start, end, score`` and, where chunks are judged one by
one, ``relevant``.

**Where it lies.** In ``rankings/<model>.parquet`` of its collection if it has at most ``MOST_ROWS``
rows; else outside the repository under its digest (``build/rankings``, or CHUNKSTUDY_RANKINGS), and
in the table at most its first chunks, whose ``score`` is missing. Rows are counted, not bytes of a
file, so that no version of a library moves a ranking: 9,000 are 20 ranks of 450 queries, so those
of SciFact, NFCorpus, TREC-COVID and Emma lie inside, and those of Chroma and ArguAna do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking

DEPTH = 20
PLANES = ("query", "document", "score")
MOST_ROWS = 9_000
FIRST = 10
"""Chunks a question kept of each of Chroma's records that pages show."""
Ints = NDArray[np.int64]


def of_documents(ranking: Ranking) -> pd.DataFrame:
    """The first documents of every query."""
    top = ranking.chunk[:, :DEPTH]
    query, rank = np.nonzero(top != NO_CHUNK)
    return _frame(query, {"document": top[query, rank]}, ranking.score[query, rank])


def of_chunks(
    ranking: Ranking,
    chunks: Chunks,
    relevant: Sequence[Ints] | None = None,
) -> pd.DataFrame:
    """The first chunks of every query."""
    queries, ranks = np.nonzero(ranking.chunk[:, :DEPTH] != NO_CHUNK)
    chunk = ranking.chunk[queries, ranks]
    columns = {
        "document": chunks.document[chunk],
        "start": chunks.start[chunk],
        "end": chunks.end[chunk],
    }
    frame = _frame(queries, columns, ranking.score[queries, ranks])
    if relevant is not None:
        pairs = {(query, index) for query, of in enumerate(relevant) for index in of.tolist()}
        flags = [pair in pairs for pair in zip(queries.tolist(), chunk.tolist(), strict=True)]
        frame["relevant"] = np.asarray(flags, dtype=bool)
    return frame


def first_chunks(ranking: pd.DataFrame) -> pd.DataFrame:
    """What is kept of a ranking of chunks that is too big to be kept whole."""
    top = ranking[ranking.groupby("query").cumcount() < FIRST]
    return top[["query", "document", "start", "end"]].assign(score=np.float32("nan"))


def rows(queries: int, ranking: pd.DataFrame) -> Ints:
    """Which rows are a query's, shape (queries, depth), ``NO_CHUNK`` where it has fewer ranks."""
    places = np.full((queries, DEPTH), NO_CHUNK, dtype=np.int64)
    places[ranking["query"], ranking.groupby("query").cumcount()] = np.arange(len(ranking))
    return places


def every_row(queries: int, ranking: pd.DataFrame) -> Ranking:
    """Every row of a ranking as a chunk of its own, at its rank."""
    chunk = rows(queries, ranking)
    score = np.full(chunk.shape, -np.inf, dtype=np.float32)
    held = chunk != NO_CHUNK
    score[held] = ranking["score"].to_numpy()[chunk[held]]
    return Ranking(chunk, score)


def spans(ranking: pd.DataFrame) -> Chunks:
    """Every row of a ranking of chunks as a chunk of its own."""
    columns = ("document", "start", "end")
    document, start, end = (ranking[name].to_numpy(np.int64) for name in columns)
    return Chunks(document, start, end)


def _frame(query: Ints, columns: dict[str, Ints], score: NDArray[np.float32]) -> pd.DataFrame:
    frame = pd.DataFrame({"query": query, **columns}).astype(np.int32)
    return frame.assign(score=score + np.float32(0))  # + 0 turns -0.0 into 0.0
