"""Approximate search in a graph (HNSW), built and searched as chromadb does with its hnswlib.

Source: chromadb 0.5.3, the version at the time of Chroma's report, segment/impl/vector
(local_hnsw.py:195-269, batch.py:34-36). The graph starts from hnswlib's fixed seed, but a batch
keeps its ids in a Python set of strings, so that chunks come in another order in every process;
with several threads the order is not even that of the set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks, Collection

if TYPE_CHECKING:
    import hnswlib

NEIGHBOURS, CONSTRUCTION_LIST, SEED = 16, 100, 100
CAPACITY, GROWTH = 1000, 1.2

SEARCH_LIST, BATCH = 50, 500
"""What the official code asks of chromadb (base_evaluation.py:64-98, 299-318)."""

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]


def batches(order: Ints, seed: int) -> list[Ints]:
    """Chunks in the batches in which they come, each in random order, as a set is.

    Args:
        order: every chunk once, as the caller adds them.
        seed: of the random order.
    """
    random = np.random.default_rng(seed)
    return [random.permutation(order[at : at + BATCH]) for at in range(0, len(order), BATCH)]


def graph(vectors: Vectors, order: Ints, seed: int) -> hnswlib.Index:
    """Unit vectors of shape (chunks, dimensions) in a graph of neighbours, added in :func:`batches`
    of the order given.

    Raises:
        ModuleNotFoundError: without the package chroma-hnswlib.
    """
    import hnswlib

    index = hnswlib.Index(space="l2", dim=vectors.shape[1])
    index.init_index(
        max_elements=CAPACITY, ef_construction=CONSTRUCTION_LIST, M=NEIGHBOURS, random_seed=SEED
    )
    index.set_num_threads(1)
    for batch in batches(order, seed):
        wanted = index.get_current_count() + len(batch)
        if wanted > index.get_max_elements():
            index.resize_index(max(int(wanted * GROWTH), CAPACITY))
        index.add_items(vectors[batch], batch)
    return index


def nearest(index: hnswlib.Index, queries: Vectors, depth: int) -> Ints:
    """The nearest chunks that a graph finds, shape (queries, depth), best first.

    Args:
        index: the graph.
        queries: unit vectors, shape (queries, dimensions).
        depth: chunks wanted of each; where that is more than the search list, hnswlib takes a
            longer one.
    """
    index.set_ef(SEARCH_LIST)
    labels, _ = index.knn_query(queries, k=depth)
    chunks: Ints = labels.astype(np.int64)
    return chunks


def as_asked(collection: Collection, chunks: Chunks) -> Ints:
    """Chunks as the official code adds them: documents in the order in which questions are asked of
    them, those that nobody asks of at the end."""
    judged = collection.judgments_by_query()
    documents = [
        judgment.document for query in collection.queries for judgment in judged.get(query.id, ())
    ]
    places = [collection.positions[name] for name in dict.fromkeys(documents)]
    rest = sorted(set(range(len(collection.documents))) - set(places))
    return np.concatenate([np.flatnonzero(chunks.document == place) for place in (*places, *rest)])
