"""Where does exact search end, and what does approximate search then do to a verdict?

Vectors are random, with the means and covariances that MiniLM's vectors of Chroma's chunks and
questions have. Chunks come in topics, and a question leans on one chunk, so that at the size of
Chroma's corpora questions are as near to their answers as there and as many are found. Seconds are
one thread's processor time, so that other work on the machine does not count. The graph is
chromadb's (:mod:`chunkstudy.evaluation.retrieval.hnsw`).
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import torch

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.encoders.interface import Role
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.hnsw import Graph, Insertion, Ints, Vectors, missed
from chunkstudy.evaluation.statistics.intervals import Floats
from chunkstudy.evaluation.statistics.paired import paired_difference
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.grids import PRE
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context

T = TypeVar("T")
COLLECTIONS = ("chroma",)
PACKAGES = ("chroma-hnswlib", "scipy")
CHUNKER = "recursive-200-0"
DEPTH = 5
DIMENSIONS = (384, 1024)
EXACT_SIZES = (3_000, 10_000, 30_000, 100_000, 300_000)
ASKED = (1, 32, 256)
TIMES = 3
SEEDS = 6
GRAPHS = {10_000: SEEDS, 30_000: SEEDS, 100_000: 2}
"""Chunks, and how many graphs are built of them, each from another order."""
BRANCHES, LEVELS = 8, 4
"""Chunks lie as in a tree: eight make a topic, eight of those a wider one, four times over."""
ROUNDS, STEPS = 3, 12
SEARCH_LISTS = (10, 50, 200)
OFFICIAL = Insertion(500, "set")
QUERIES = 500
REMEMBERED = (5_000, 20_000)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``exact``: seconds of exact search by chunks, dimension and queries. ``graph``: of each size
    and seed, seconds to build and to search, the share of the nearest chunks that are missed, and
    recall at five beside exact search. ``memory``: bytes that a chunk takes while it is encoded
    and searched.
    """
    torch.set_num_threads(1)
    (name,) = collections
    real = real_chunks(context, name)
    shape = Shape.like(real)
    context.say(f"{len(real.vectors)} chunks, cosine {real.cosine():.3f}, {shape.lean=:.3f}")
    context.say("seconds of exact search")
    exact = pd.DataFrame(_exact())
    context.say("memory")
    memory = pd.DataFrame(_memory())
    rows = [{"vectors": "real", **row} for seed in range(SEEDS) for row in _graph(real, seed)]
    for chunks, seeds in {len(real.vectors): SEEDS, **GRAPHS}.items():
        drawn = shape.draw(chunks, seed=chunks)
        for seed in range(seeds):
            context.say(f"a graph of {chunks} chunks, {seed + 1} of {seeds}")
            rows += [{"vectors": "drawn", **row} for row in _graph(drawn, seed)]
    return {"exact": exact, "memory": memory, "graph": pd.DataFrame(rows)}


@dataclass(frozen=True)
class Gaussian:
    """A normal distribution: ``mean`` (dimensions,), ``factor`` (dimensions, dimensions)."""

    mean: Vectors
    factor: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> Gaussian:
        """The distribution of some vectors; directions they do not span stay empty."""
        values, directions = np.linalg.eigh(np.cov(vectors.astype(np.float64), rowvar=False))
        factor = directions * np.sqrt(np.maximum(values, 0))
        return cls(vectors.mean(axis=0), factor.T.astype(np.float32))

    def normal(self, rows: int, random: np.random.Generator) -> Vectors:
        """Deviations from the mean, shape (rows, dimensions)."""
        return random.standard_normal((rows, len(self.mean)), dtype=np.float32) @ self.factor


@dataclass(frozen=True)
class Asked:
    """Chunks (chunks, dimensions), questions, and of each question the chunks that answer it."""

    vectors: Vectors
    questions: Vectors
    answers: list[Ints]

    def hits(self, found: Ints) -> Floats:
        """Whether a question has an answer among the chunks found, shape (questions, depth)."""
        pairs = zip(found, self.answers, strict=True)
        return np.array([float(np.isin(one, answers).any()) for one, answers in pairs])

    def cosine(self) -> float:
        """Of a question with its nearest answer, in the mean."""
        pairs = zip(self.questions, self.answers, strict=True)
        return float(np.mean([(self.vectors[answers] @ one).max() for one, answers in pairs]))

    def recall(self) -> float:
        """The share of questions with an answer among the first, by exact search."""
        return float(self.hits(search(self.questions, self.vectors, DEPTH).chunk).mean())


@dataclass(frozen=True)
class Shape:
    """How chunks and questions are drawn.

    Attributes:
        chunks: their distribution.
        questions: theirs.
        lean: how much of the chunk that answers it is added to a question.
        topic: the share of the chunks' variance that topics have in common, each level alike.
    """

    chunks: Gaussian
    questions: Gaussian
    lean: float = 0.0
    topic: float = 0.0

    @classmethod
    def like(cls, real: Asked) -> Shape:
        """Drawn so that, at the size of the real chunks, questions are as near to their answers
        and exact search finds as many of them."""
        found = cls(Gaussian.of(real.vectors), Gaussian.of(real.questions))
        cosine, recall, chunks = real.cosine(), real.recall(), len(real.vectors)
        for _ in range(ROUNDS):
            lean = solve(partial(found.reached_by, chunks), cosine, 5.0)
            found = replace(found, lean=lean)
            topic = solve(partial(found.lost_by, chunks), 1 - recall)
            found = replace(found, topic=topic)
        return found

    def reached_by(self, chunks: int, lean: float) -> float:
        return replace(self, lean=lean).draw(chunks, 0).cosine()

    def lost_by(self, chunks: int, topic: float) -> float:
        return 1 - replace(self, topic=topic).draw(chunks, 0).recall()

    def draw(self, chunks: int, seed: int) -> Asked:
        random = np.random.default_rng(seed)
        place = np.arange(chunks)
        moved = np.sqrt(1 - self.topic) * self.chunks.normal(chunks, random)
        for level in range(1, LEVELS + 1):
            shared = self.chunks.normal(-(-chunks // BRANCHES**level), random)
            moved += np.sqrt(self.topic / LEVELS) * shared[place // BRANCHES**level]
        vectors = unit(self.chunks.mean + moved.astype(np.float32))
        own = random.integers(chunks, size=QUERIES)
        words = unit(self.questions.mean + self.questions.normal(QUERIES, random))
        leaning = words + np.float32(self.lean) * vectors[own]
        return Asked(vectors, unit(leaning), [np.array([one]) for one in own])


def real_chunks(context: Context, name: str) -> Asked:
    """A collection whose queries have excerpts, under MiniLM; an answer shares a character."""
    store = context.store(MINILM)
    collection = context.collection(name)
    cut = context.chunks(Condition(name, CHUNKER, MINILM, PRE, CORRECTED.name), store)
    places = {query.id: at for at, query in enumerate(collection.queries)}
    answers: list[list[int]] = [[] for _ in places]
    for one in collection.judgments:
        here = cut.document == collection.positions[one.document]
        hit = here & (cut.start < one.end) & (cut.end > one.start)
        answers[places[one.query]] += np.flatnonzero(hit).tolist()
    return Asked(
        store.encode(cut.texts(collection.documents)),
        store.encode([query.text for query in collection.queries], "query"),
        [np.array(one) for one in answers],
    )


def solve(rising: Callable[[float], float], wanted: float, high: float = 1.0) -> float:
    """Where a rising function has a value, between 0 and ``high``."""
    low = 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return low


def unit(vectors: Vectors) -> Vectors:
    found: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


def _exact() -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(0)
    for dimension in DIMENSIONS:
        vectors = unit(random.standard_normal((max(EXACT_SIZES), dimension), dtype=np.float32))
        queries = unit(random.standard_normal((max(ASKED), dimension), dtype=np.float32))
        for chunks in EXACT_SIZES:
            for asked in ASKED:
                part = (queries[:asked], vectors[:chunks], DEPTH)
                spent = median(_timed(lambda part=part: search(*part))[1] for _ in range(TIMES))  # type: ignore[misc]
                yield {
                    "dimension": dimension,
                    "chunks": chunks,
                    "queries": asked,
                    "seconds": spent,
                }


def _memory() -> Iterator[dict[str, Any]]:
    """What the store holds at most while chunks are encoded, without their texts."""
    for dimension in DIMENSIONS:
        for chunks in REMEMBERED:
            texts = [f"chunk {number}" for number in range(chunks)]
            with TemporaryDirectory() as folder:
                store = VectorStore(Drawn(dimension), Path(folder))
                gc.collect()
                tracemalloc.start()
                store.encode(texts)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            yield {"dimension": dimension, "chunks": chunks, "bytes a chunk": peak / chunks}


class Drawn:
    """An encoder whose vectors are drawn, for what a store costs beside encoding."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def describe(self) -> dict[str, Any]:
        return {"id": "drawn", "dimension": self.dimension}

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:  # noqa: ARG002
        return [text.encode().ljust(32, b"\0") for text in texts]

    def encode(self, texts: Sequence[str], role: Role = "document") -> Vectors:  # noqa: ARG002
        random = np.random.default_rng(len(texts))
        return random.standard_normal((len(texts), self.dimension), dtype=np.float32)


def _graph(asked: Asked, seed: int) -> Iterator[dict[str, Any]]:
    """A row per search list."""
    vectors, questions = asked.vectors, asked.questions
    nearest = search(questions, vectors, DEPTH).chunk
    by_exact = asked.hits(nearest)
    order = np.arange(len(vectors))
    graph, building = _timed(lambda: Graph.build(vectors, order, OFFICIAL, seed))
    for size in SEARCH_LISTS:
        found, searching = _timed(lambda size=size: graph.search(questions, DEPTH, size))  # type: ignore[misc]
        hits = asked.hits(found)
        difference = paired_difference(hits, by_exact)
        yield {
            "chunks": len(vectors),
            "seed": seed,
            "search list": size,
            "building seconds": building,
            "searching seconds": searching / len(questions),
            "missed": float(missed(questions, vectors, found, nearest).mean()),
            "recall": float(hits.mean()),
            "exact recall": float(by_exact.mean()),
            "low": difference.interval.low,
            "high": difference.interval.high,
        }


def _timed(task: Callable[[], T]) -> tuple[T, float]:
    """What a task gives, and the processor's seconds it took."""
    started = time.process_time()
    return task(), time.process_time() - started
