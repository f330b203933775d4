"""Chroma's graph search: what reaches it in which order, and what it finds beside exact search."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.hnsw import BATCH, Ints, Vectors, batches, graph, nearest

pytestmark = pytest.mark.skipif(
    find_spec("hnswlib") is None, reason="chroma-hnswlib comes ready built for Python 3.11 alone"
)

CHUNKS, QUERIES, DEPTH = 1300, 40, 20


def unit(rows: int, seed: int) -> Vectors:
    values = np.random.default_rng(seed).normal(size=(rows, 24))
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


VECTORS, ASKED = unit(CHUNKS, 1), unit(QUERIES, 2)
ORDER: Ints = np.arange(CHUNKS)[::-1].copy()
EXACT = search(ASKED, VECTORS, DEPTH).chunk


def test_every_chunk_comes_once_and_a_set_mixes_a_batch_and_never_two() -> None:
    every = batches(ORDER, seed=3)
    assert [len(batch) for batch in every] == [BATCH, BATCH, CHUNKS - 2 * BATCH]
    for at, batch in enumerate(every):
        own = ORDER[BATCH * at : BATCH * at + BATCH]
        assert sorted(batch.tolist()) == sorted(own.tolist()) and batch.tolist() != own.tolist()


def test_the_seed_decides_the_order() -> None:
    orders = {tuple(np.concatenate(batches(ORDER, seed))) for seed in (0, 0, 1)}
    assert len(orders) == 2


def test_a_list_as_long_as_the_collection_finds_what_exact_search_finds() -> None:
    found = nearest(graph(VECTORS, ORDER, seed=0), ASKED, DEPTH, CHUNKS)
    assert found.tolist() == EXACT.tolist()


def test_more_may_be_asked_for_than_the_list_holds() -> None:
    found = nearest(graph(VECTORS, ORDER, seed=0), ASKED, DEPTH, 10)
    assert found.shape == (QUERIES, DEPTH)
    assert all(len(set(row)) == DEPTH for row in found.tolist())
