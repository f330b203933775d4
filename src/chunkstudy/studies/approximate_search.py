"""What does approximate search do to Chroma's scores, searched as the official code searches?

Chroma's index is HNSW with M = 16, a construction list of 100 and a search list of 50
(base_evaluation.py:299); faiss builds the same graph. Insertion order varies by seed, as the
official order of threads does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.grids import PRE
from chunkstudy.grid.scoring import OVERLAP_DEPTH as DEPTH
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.retrieval.chunks import search
from chunkstudy.studies.runner import Context

COLLECTIONS = ("chroma",)
PACKAGES = ("faiss-cpu",)
NEIGHBOURS, CONSTRUCTION = 16, 100
SEARCH_LISTS = (10, 20, 50)
SEEDS = (0, 1, 2)
CHUNKERS = (
    "recursive-250-0-wordpiece-special",
    "recursive-200-0-wordpiece-special",
    "token-250-0",
    "token-250-125",
)


def tables(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """``recall``: mean SpanRecall@5 exactly and under each search list and seed.

    ``missed`` is the share of the true five nearest that the index did not return.
    """
    import faiss

    rows: list[tuple[str, str, str, float, float]] = []
    store = context.store(MINILM)
    for name in collections:
        collection = context.collection(name)
        queries = store.encode([query.text for query in collection.queries], "query")
        for slug in CHUNKERS:
            condition = Condition(name, slug, MINILM, PRE, AS_PUBLISHED_CHROMA.name)
            chunks = context.chunks(condition, store)
            vectors = store.encode(chunks.texts(collection.documents))
            overlap = TokenOverlap.of(collection, chunks, AS_PUBLISHED_CHROMA.hit)
            exact = search(queries, vectors, DEPTH).chunk
            rows.append((slug, "exact", "", _recall(overlap, exact), 0.0))
            faiss.omp_set_num_threads(1)
            for seed in SEEDS:
                order = np.random.default_rng(seed).permutation(len(vectors))
                index = faiss.IndexHNSWFlat(vectors.shape[1], NEIGHBOURS)
                index.hnsw.efConstruction = CONSTRUCTION
                index.add(np.ascontiguousarray(vectors[order]))
                for size in SEARCH_LISTS:
                    index.hnsw.efSearch = size
                    found = np.asarray(index.search(queries, DEPTH)[1])
                    ranking = np.where(found >= 0, order[found], -1)
                    pairs = zip(exact[:, :5], ranking[:, :5], strict=True)
                    missed = 1 - float(np.mean([np.isin(a, b).mean() for a, b in pairs]))
                    recall = _recall(overlap, ranking)
                    rows.append((slug, str(size), str(seed), recall, missed))
    columns = ["chunker", "search list", "seed", "SpanRecall@5", "missed"]
    return {"recall": pd.DataFrame(rows, columns=columns)}


def _recall(overlap: TokenOverlap, ranking: NDArray[np.int64]) -> float:
    return float(overlap.at(ranking, 5)["SpanRecall"].mean())
