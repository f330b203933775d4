"""``make bench``: every speed claim as a ratio or a bound, both sides in one run."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from chunkstudy.chunkers.semantic import cluster_cuts
from tests.benchmarks import (
    contextualized,
    encoding,
    language_models,
    machines,
    own,
    ranking,
    scoring,
)

FINANCE_PIECES = 4_836


def clustering() -> None:
    """Cluster segmentation of as many pieces as finance has, without encoding."""
    vectors = np.random.default_rng(0).normal(size=(FINANCE_PIECES, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for pieces in (FINANCE_PIECES // 2, FINANCE_PIECES):
        tracemalloc.start()
        started = time.perf_counter()
        cluster_cuts(vectors[:pieces], 8, quirks=False)
        seconds = time.perf_counter() - started
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        print(f"cluster, {pieces} pieces: {seconds:.3f} s, peak {peak:.0f} MiB (target: 0.5 s)")


def main() -> None:
    print("scoring one condition (target: 0.2 s, 300 MB)")
    scoring.main()
    print("\nranking documents and nDCG@10 at the size of SciFact (target: 2 s for 300 queries)")
    ranking.main()
    print("\ncluster segmentation of the finance corpus")
    clustering()
    print("\ncontextualized encoding of SciFact documents (target: 3 x a loop)")
    contextualized.main()
    print("\nencoding recursive-200 chunks")
    encoding.main()
    print("\nevaluating own documents with all-MiniLM-L6-v2")
    own.main()
    print(
        "\nbeside ONNX Runtime, OpenVINO and fastembed: in an environment of its own,\n"
        "  pip install '.[offline]' fastembed 'sentence-transformers[onnx,openvino]'\n"
        "  python -m tests.benchmarks.engines 600 5 1    # texts, rounds, threads"
    )
    print("\nprocesses and machines")
    machines.main()
    print("\nasking language models")
    language_models.main()


if __name__ == "__main__":
    main()
