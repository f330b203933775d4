"""What approximate search does to the scores: HNSW as the official code configures it.

Chroma's index is HNSW with M = 16, a construction list of 100 and a search list of 50
(base_evaluation.py:299); faiss builds the same graph. Insertion order varies by seed, as the
official order of threads does.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.chunkers import catalogue
from chunkstudy.files import write_text
from chunkstudy.grid.conditions import MINILM
from chunkstudy.grid.run import load_collection, load_store
from chunkstudy.grid.scoring import OVERLAP_DEPTH as DEPTH
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.retrieval.chunks import search
from chunkstudy.spans import chunk_documents

NEIGHBOURS, CONSTRUCTION = 16, 100
SEARCH_LISTS = (10, 20, 50)
SEEDS = (0, 1, 2)
CHUNKERS = (
    "recursive-250-0-wordpiece-special",
    "recursive-200-0-wordpiece-special",
    "token-250-0",
    "token-250-125",
)


def measure(chunkers: list[str], places: Places) -> pd.DataFrame:
    """Write ``results/noise/hnsw.csv``: recall at 5 exactly and under each search list and seed.

    ``missed`` is the share of the true five nearest that the index did not return.
    """
    import faiss

    collection = load_collection("chroma")
    store = load_store(MINILM, places.vectors)
    queries = store.encode([query.text for query in collection.queries], "query")
    rows = []
    for slug in chunkers:
        chunks = chunk_documents(
            catalogue.build(slug, AS_PUBLISHED_CHROMA, store.encode), collection.documents
        )
        vectors = store.encode(chunks.texts(collection.documents))
        overlap = TokenOverlap.of(collection, chunks, AS_PUBLISHED_CHROMA.hit)
        exact = search(queries, vectors, DEPTH).chunk
        rows.append((slug, "exact", "", _recall(overlap, exact), "0.0000"))
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
                kept = [
                    np.isin(a, b).mean() for a, b in zip(exact[:, :5], ranking[:, :5], strict=True)
                ]
                missed = f"{1 - np.mean(kept):.4f}"
                rows.append((slug, str(size), str(seed), _recall(overlap, ranking), missed))
    table = pd.DataFrame(rows, columns=["chunker", "search list", "seed", "SpanRecall@5", "missed"])
    path = places.results / "noise" / "hnsw.csv"
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
    return table


def _recall(overlap: TokenOverlap, ranking: NDArray[np.int64]) -> str:
    return f"{overlap.at(ranking, 5)['SpanRecall'].mean():.6f}"
