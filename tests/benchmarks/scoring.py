"""Time and memory of scoring one condition at the size of Chroma's collection.

Run ``python tests/benchmarks/scoring.py`` with CHUNKSTUDY_DATA set; chunks of 100 characters
(the most any published condition comes near) and a random ranking, so no model is needed.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from chunkstudy.base.spans import chunk_documents
from chunkstudy.collections import chroma
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import search

SIZE = 100
DEPTH = 20


def main() -> None:
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


if __name__ == "__main__":
    main()
