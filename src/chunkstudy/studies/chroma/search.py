"""How far do Chroma's scores move when its own approximate search is run again?

What the official code asks of chromadb: a search list of 50, batches of 500 chunks, corpora in the
order of its questions (base_evaluation.py:64-98, 299-318). See
:mod:`chunkstudy.evaluation.retrieval.hnsw` for what chromadb makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.base.spans import Collection, chunk_documents
from chunkstudy.evaluation.measures.token_overlap import MIN, MIN_DEPTH, TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.hnsw import Graph, Ints, as_asked
from chunkstudy.evaluation.statistics import population_std
from chunkstudy.published.sources import CHROMA_LENGTH, TOKEN_WINDOWS
from chunkstudy.published.verdicts import OFFICIAL
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import MINILM, PRE_EMBEDDING, Condition
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.chroma.tables import MINILM_ROWS

COLLECTIONS = ("chroma",)
PACKAGES = ("chroma-hnswlib",)
CHUNKERS = (
    *(f"{row}{CHROMA_LENGTH}" if row.startswith("recursive") else row for row in MINILM_ROWS),
    *reversed(TOKEN_WINDOWS.values()),
)
"""The rows of the MiniLM table, recursive ones by the length function that prints their sizes, and
token windows at the sizes that they have too (:data:`chunkstudy.published.sources.TOKEN_WINDOWS`).
"""
SEEDS = 20
CUTS: tuple[int | str, ...] = (5, 10, MIN)
CELL = ["offsets", "part", "measure", "statistic"]


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``spread``: every printed kind of cell by exact search, and its lowest, mean and highest over
    the seeds of the graph, fractions; by the offsets at which the official code locates chunks, and
    by true ones."""
    store = context.store(MINILM)
    rows = []
    for name in collections:
        for at, slug in enumerate(CHUNKERS, start=1):
            context.say(f"{name}, {slug}: row {at} of {len(CHUNKERS)}")
            spread = searched_again(context, store, name, slug)
            setting = {one: OFFICIAL[one] for one in ("insertion", "search list")}
            rows.append(pd.DataFrame({"chunker": slug, **setting}, spread.index).join(spread))
    return {"spread": pd.concat(rows, ignore_index=True)}


def searched_again(context: Context, store: VectorStore, name: str, slug: str) -> pd.DataFrame:
    """A row of the published table: the columns of `CELL` and ``low, mean, high, exact``."""
    collection = context.collection(name)
    condition = Condition(name, slug, MINILM, PRE_EMBEDDING, AS_PUBLISHED_CHROMA.name)
    at_home = replace(AS_PUBLISHED_CHROMA, offsets="exact")
    true = chunk_documents(build_chunker(slug, at_home, store.encode, None), collection.documents)
    chunks = {
        "located": context.chunks(condition, store),
        "true": context.cut(f"{name}/{slug}/true offsets", true),
    }
    overlaps = {
        offsets: TokenOverlap.of(collection, some, AS_PUBLISHED_CHROMA.hit)
        for offsets, some in chunks.items()
    }
    queries = store.encode([query.text for query in collection.queries], "query")
    vectors = store.encode(chunks["located"].texts(collection.documents), label=slug)
    nearest = search(queries, vectors, MIN_DEPTH).chunk
    exact = cells(collection, overlaps, lambda _: nearest).rename(columns={"value": "exact"})
    order = as_asked(collection, chunks["located"])
    runs = []
    for seed in range(SEEDS):
        graph = Graph.build(vectors, order, seed)
        runs.append(cells(collection, overlaps, partial(graph.search, queries)))
    over_seeds = pd.concat(runs).groupby(CELL, sort=False)["value"]
    spread = over_seeds.agg(low="min", mean="mean", high="max").reset_index()
    return spread.merge(exact, on=CELL)


def cells(
    collection: Collection,
    overlaps: Mapping[str, TokenOverlap],
    ranked: Callable[[int], Ints],
) -> pd.DataFrame:
    """The columns of `CELL` and a value, a fraction: what the report prints, over all questions and
    by corpus.

    Args:
        collection: whose questions they are.
        overlaps: of the chunks, by kind of offsets.
        ranked: gives so many chunks a question, shape (queries, chunks), or more.
    """
    corpus = np.array([collection.groups[query.id] for query in collection.queries])
    parts = {"all": np.ones(len(corpus), dtype=np.bool_)}
    parts |= {name: corpus == name for name in sorted(set(corpus.tolist()))}
    rows = []
    for cut in CUTS:
        for offsets, overlap in overlaps.items():
            # What the official code asks for at the cut Min (base_evaluation.py:405-406).
            most = min(MIN_DEPTH, int(overlap.touching_counts.max()))
            scores = overlap.at(ranked(most if cut == MIN else int(cut)), cut)
            rows += [
                (offsets, part, f"{measure}@{cut}", statistic, value)
                for part, of in parts.items()
                for measure, statistic, value in _printed(scores, of)
            ]
    return pd.DataFrame(rows, columns=[*CELL, "value"])


def _printed(
    scores: dict[str, NDArray[np.float64]], of: NDArray[np.bool_]
) -> Iterator[tuple[str, str, float]]:
    """Mean and deviation of what the report prints."""
    for measure in ("SpanRecall", "SpanPrecision", "SpanIoU"):
        values = pd.Series(scores[measure][of])
        yield measure, "mean", float(values.mean())
        yield measure, "std", population_std(values)
