"""``make bench``: every speed claim as a ratio or a bound, both sides in one run."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from chunkstudy.chunkers.semantic import cluster_cuts
from tests.benchmarks import (
    contextualized,
    engines,
    language_models,
    machines,
    own,
    scoring,
)

FINANCE_PIECES = 4_836
MODELS = {
    "sentence-transformers/all-MiniLM-L6-v2": 1_000,
    "sentence-transformers/all-mpnet-base-v2": 200,
}
"""How many texts are enough to encode."""


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
    scoring.spans()
    print("\nranking documents and nDCG@10 at the size of SciFact (target: 2 s for 300 queries)")
    for queries in (scoring.QUERIES, 4 * scoring.QUERIES):
        scoring.documents(queries)
    print("\ncluster segmentation of the finance corpus")
    clustering()
    print("\ncontextualized encoding of SciFact documents (target: 3 x a loop)")
    contextualized.main()
    print("\nencoding recursive-200 chunks (targets: 0.7 of sentence-transformers' time, 1.3 of "
          "bare matrix products')")  # fmt: skip
    for model, texts in MODELS.items():
        engines.measure(model, texts, rounds=3)
    print("\nevaluating own documents with all-MiniLM-L6-v2")
    own.main()
    print(
        "\nbeside ONNX Runtime, OpenVINO and fastembed: in an environment of its own,\n"
        "  pip install '.[offline]' fastembed 'sentence-transformers[onnx,openvino]'\n"
        "  python -m tests.benchmarks.engines 600 5 1    # texts, rounds, threads"
    )
    print("\ntwo processes")
    machines.main()
    print("\nasking language models")
    language_models.main()


if __name__ == "__main__":
    main()
