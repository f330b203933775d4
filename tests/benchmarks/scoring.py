"""Time and memory of scoring, with random rankings and vectors, so that no model is needed.

``spans`` scores one condition at the size of Chroma's collection, in chunks of 100 characters (the
most any published condition comes near), and needs CHUNKSTUDY_DATA; ``documents`` ranks documents
by their best chunk at the size of SciFact under a chunker that makes 30,000 chunks.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from chunkstudy.base.spans import Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.collections import chroma
from chunkstudy.evaluation.measures.ranking import per_query
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search
from chunkstudy.evaluation.retrieval.documents import DocumentRanking, search_documents

SIZE = 100
DEPTH = 20
DOCUMENTS, CHUNKS, DIMENSIONS, DEEP = 5_183, 30_000, 384, 100
QUERIES = 300


def spans() -> None:
    """Print seconds and peak megabytes of building the scorer, of scoring, and of a search."""
    collection = chroma.load()
    chunks = chunk_documents(
        lambda text: [(s, min(s + SIZE, len(text))) for s in range(0, len(text), SIZE)],
        collection.documents,
    )
    generator = np.random.default_rng(0)
    ranking = generator.integers(0, len(chunks), size=(len(collection.queries), DEPTH))
    print(f"{len(collection.queries)} queries, {len(chunks)} chunks of {SIZE} characters")

    def score() -> None:
        for hit in ("touching", "overlap"):
            overlap = TokenOverlap.of(collection, chunks, hit)
            overlap.precision_omega()
            for cut in (5, 10, "Min"):
                overlap.at(ranking, cut)

    report("both hit rules: PrecisionOmega, @5, @10, @Min", score)
    queries = generator.standard_normal((len(collection.queries), 384), dtype=np.float32)
    vectors = generator.standard_normal((len(chunks), 384), dtype=np.float32)
    report("exact search, 384 dimensions", lambda: search(queries, vectors, DEPTH))


def documents(number: int) -> None:
    """Rank and score for this many queries, beside the whole matrix."""
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((CHUNKS, DIMENSIONS), dtype=np.float32)
    chunk_document = np.sort(generator.integers(0, DOCUMENTS, CHUNKS))
    queries = generator.standard_normal((number, DIMENSIONS), dtype=np.float32)
    named = tuple(Document(f"{i:04d}", "text") for i in range(DOCUMENTS))
    collection = Collection(
        "random",
        named,
        tuple(Query(str(i), "") for i in range(number)),
        tuple(
            Judgment(str(i), named[d].id, 0, 4)
            for i, d in enumerate(generator.integers(0, DOCUMENTS, number))
        ),
    )

    def rank() -> DocumentRanking:
        return search_documents(queries, vectors, chunk_document, DEEP)

    ranking = rank()
    whole = number * CHUNKS * 4 / 1e6
    print(f"{number} queries, {CHUNKS} chunks (all scores at once: {whole:.0f} MB)")
    report("search and nDCG@10", lambda: per_query(collection, rank(), ("nDCG@10",)), 3)
    report("of that nDCG@10", lambda: per_query(collection, ranking, ("nDCG@10",)), 3)


def report(name: str, work: Callable[[], object], repeats: int = 5) -> None:
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    tracemalloc.start()  # separately, since tracing slows the work down
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{name}: {min(seconds):.3f} s (best of {repeats}), peak {peak / 1e6:.0f} MB")
