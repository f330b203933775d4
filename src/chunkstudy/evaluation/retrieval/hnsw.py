"""Approximate search in a graph (HNSW), built and searched as chromadb does with its hnswlib.

Source: chromadb 0.5.3, the version at the time of Chroma's report, segment/impl/vector
(local_hnsw.py:195-269, local_persistent_hnsw.py:225-420, batch.py:34-36). The graph starts from
hnswlib's fixed seed, but a batch keeps its ids in a Python set of strings, so that chunks come in
another order in every process; with several threads the order is not even that of the set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.evaluation.retrieval.chunks import Ranking, SearchError

if TYPE_CHECKING:
    import hnswlib

NEIGHBOURS, CONSTRUCTION_LIST, SEED = 16, 100, 100
CAPACITY, GROWTH = 1000, 1.2

SEARCH_LIST, BATCH = 50, 500
"""What the official code asks of chromadb (base_evaluation.py:64-98, 299-318)."""

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Insertion:
    """How chunks come into the graph.

    Attributes:
        batch: chunks added by one call.
        order: ``set``: batch after batch, each in random order, as a set is; ``written``: in order,
            and hnswlib's seed is varied instead; ``shuffled``: all chunks in random order.
        rest: whether chunks that fill no batch are ``added`` all the same, or stay outside and are
            ``compared`` one by one.
        threads: that add at once; with more than one no run repeats another.
    """

    batch: int
    order: Literal["set", "written", "shuffled"]
    rest: Literal["added", "compared"] = "added"
    threads: int = 1

    def batches(self, order: Ints, seed: int) -> list[Ints]:
        """The chunks in the batches in which they come.

        Args:
            order: every chunk once, as the caller adds them.
            seed: of the random order.
        """
        random = np.random.default_rng(seed)
        if self.order == "shuffled":
            order = random.permutation(order)
        found = [order[at : at + self.batch] for at in range(0, len(order), self.batch)]
        return [random.permutation(one) for one in found] if self.order == "set" else found


@dataclass(frozen=True)
class Graph:
    """Chunks in a graph, and those that were left outside."""

    index: hnswlib.Index
    vectors: Vectors
    outside: Ints

    @classmethod
    def build(cls, vectors: Vectors, order: Ints, insertion: Insertion, seed: int) -> Graph:
        """Add unit vectors of shape (chunks, dimensions) in the order given.

        Raises:
            ModuleNotFoundError: without the package chroma-hnswlib.
        """
        import hnswlib

        batches = insertion.batches(order, seed)
        outside = np.empty(0, dtype=np.int64)
        if insertion.rest == "compared" and len(batches[-1]) < insertion.batch:
            outside = batches.pop()
        index = hnswlib.Index(space="l2", dim=vectors.shape[1])
        own_seed = SEED + seed if insertion.order == "written" else SEED
        index.init_index(
            max_elements=CAPACITY,
            ef_construction=CONSTRUCTION_LIST,
            M=NEIGHBOURS,
            random_seed=own_seed,
        )
        index.set_num_threads(insertion.threads)
        for batch in batches:
            wanted = index.get_current_count() + len(batch)
            if wanted > index.get_max_elements():
                index.resize_index(max(int(wanted * GROWTH), CAPACITY))
            index.add_items(vectors[batch], batch)
        return cls(index, vectors, outside)

    def search(self, queries: Vectors, depth: int, list_size: int) -> Ints:
        """The nearest chunks that the graph finds, shape (queries, depth), best first.

        Args:
            queries: unit vectors, shape (queries, dimensions).
            depth: chunks wanted of each.
            list_size: candidates kept while searching; hnswlib keeps ``depth`` where that is more.
        """
        self.index.set_ef(list_size)
        labels, distances = self.index.knn_query(queries, k=depth)
        found = labels.astype(np.int64)
        if not len(self.outside):
            return found
        compared = 2 - 2 * (queries @ self.vectors[self.outside].T)
        every = np.concatenate([found, np.broadcast_to(self.outside, compared.shape)], axis=1)
        order = np.argsort(np.concatenate([distances, compared], axis=1), axis=1, kind="stable")
        return np.take_along_axis(every, order[:, :depth], axis=1)


def missed(queries: Vectors, vectors: Vectors, found: Ints, exact: Ints) -> NDArray[np.float64]:
    """Shape (queries,): the share of the nearest chunks that were not found, nor others as near.

    Args:
        queries: unit vectors, shape (queries, dimensions).
        vectors: unit vectors, shape (chunks, dimensions).
        found: chunks, shape (queries, depth).
        exact: the nearest, of the same shape.
    """

    def nearness(of: Ints) -> NDArray[np.float64]:
        # In one order of summation, so that equal texts are equally near.
        return np.einsum("qd,qkd->qk", queries.astype(np.float64), vectors[of].astype(np.float64))

    reached: NDArray[np.bool_] = nearness(found) >= nearness(exact).min(axis=1, keepdims=True)
    return 1 - reached.mean(axis=1)


def as_published(queries: Vectors, vectors: Vectors, depth: int, order: Ints) -> Ranking:
    """Rank the chunks as one run of Chroma's official code does, always with the same order in its
    batches.

    Args:
        queries: unit vectors, shape (queries, dimensions).
        vectors: unit vectors, shape (chunks, dimensions).
        depth: chunks kept per query.
        order: every chunk once, as the official code adds them (:func:`as_asked`).

    Raises:
        SearchError: without the package chroma-hnswlib.
    """
    try:
        graph = Graph.build(vectors, order, Insertion(BATCH, "set"), seed=0)
    except ModuleNotFoundError as error:
        raise SearchError(
            "the published search needs the package chroma-hnswlib, which is built for Python "
            "below 3.12; install it, or search exactly"
        ) from error
    depth = min(depth, len(vectors))
    found = graph.search(queries, depth, SEARCH_LIST)
    score = np.einsum("qd,qkd->qk", queries, vectors[found]).astype(np.float32)
    return Ranking(found, score, np.zeros(len(found), dtype=np.int64))


def as_asked(collection: Collection, chunks: Chunks) -> Ints:
    """Chunks as the official code adds them: documents in the order in which questions are asked of
    them, those that nobody asks of at the end."""
    judged = collection.judgments_by_query()
    asked = [one.document for query in collection.queries for one in judged.get(query.id, ())]
    places = [collection.positions[name] for name in dict.fromkeys(asked)]
    rest = sorted(set(range(len(collection.documents))) - set(places))
    return np.concatenate([np.flatnonzero(chunks.document == one) for one in (*places, *rest)])
