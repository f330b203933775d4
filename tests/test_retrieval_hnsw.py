"""Chroma's graph search: what reaches it in which order, and what it finds beside exact search."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.hnsw import Graph, Insertion, Ints, Vectors, missed

pytestmark = pytest.mark.skipif(
    find_spec("hnswlib") is None, reason="chroma-hnswlib comes ready built for Python 3.11 alone"
)

CHUNKS, QUERIES, DEPTH = 1300, 40, 20
AS_WRITTEN = Insertion(500, "written")
OFFICIAL = Insertion(500, "set")
ON_DISK = Insertion(100, "set", rest="compared")


def unit(rows: int, seed: int) -> Vectors:
    values = np.random.default_rng(seed).normal(size=(rows, 24))
    return (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)


VECTORS, ASKED = unit(CHUNKS, 1), unit(QUERIES, 2)
ORDER: Ints = np.arange(CHUNKS)[::-1].copy()
EXACT = search(ASKED, VECTORS, DEPTH).chunk


@pytest.mark.parametrize("insertion", [AS_WRITTEN, OFFICIAL, ON_DISK, Insertion(500, "shuffled")])
def test_every_chunk_comes_once_whatever_the_order(insertion: Insertion) -> None:
    batches = insertion.batches(ORDER, seed=3)
    assert sorted(np.concatenate(batches).tolist()) == sorted(ORDER.tolist())
    assert {len(one) for one in batches[:-1]} == {insertion.batch}


def test_a_set_mixes_a_batch_and_never_two() -> None:
    for at, batch in enumerate(OFFICIAL.batches(ORDER, seed=3)):
        own = ORDER[500 * at : 500 * at + 500]
        assert set(batch.tolist()) == set(own.tolist()) and batch.tolist() != own.tolist()


def test_the_seed_decides_the_order_except_as_written() -> None:
    def orders(insertion: Insertion) -> set[tuple[int, ...]]:
        return {tuple(np.concatenate(insertion.batches(ORDER, seed))) for seed in (0, 0, 1)}

    assert len(orders(OFFICIAL)) == 2 and len(orders(Insertion(500, "shuffled"))) == 2
    assert orders(AS_WRITTEN) == {tuple(ORDER)}


@pytest.mark.parametrize("insertion", [AS_WRITTEN, OFFICIAL, ON_DISK])
def test_a_list_as_long_as_the_collection_finds_what_exact_search_finds(
    insertion: Insertion,
) -> None:
    found = Graph.build(VECTORS, ORDER, insertion, seed=0).search(ASKED, DEPTH, CHUNKS)
    assert found.tolist() == EXACT.tolist()


def test_chunks_that_fill_no_batch_are_compared_one_by_one() -> None:
    kept = ORDER[:1250]
    graph = Graph.build(VECTORS, kept, ON_DISK, seed=0)
    assert sorted(graph.outside.tolist()) == sorted(kept[1200:].tolist())
    assert graph.index.get_current_count() == 1200
    found = graph.search(VECTORS[graph.outside], 1, 50)
    assert found[:, 0].tolist() == graph.outside.tolist()


def test_more_may_be_asked_for_than_the_list_holds() -> None:
    found = Graph.build(VECTORS, ORDER, OFFICIAL, seed=0).search(ASKED, DEPTH, 10)
    assert found.shape == (QUERIES, DEPTH)
    assert all(len(set(row)) == DEPTH for row in found.tolist())


def test_a_text_that_stands_twice_is_not_missed() -> None:
    twice = np.concatenate([VECTORS, VECTORS])
    exact = search(ASKED, twice, 5).chunk
    other = np.where(exact < CHUNKS, exact + CHUNKS, exact - CHUNKS)
    assert missed(ASKED, twice, other, exact).tolist() == [0.0] * QUERIES
    worst = search(-ASKED, twice, 5).chunk
    assert missed(ASKED, twice, worst, exact).tolist() == [1.0] * QUERIES
