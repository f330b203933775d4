"""How fast texts become vectors, beside sentence-transformers and beside bare matrix products.

Run ``python tests/benchmarks/encoding.py [TEXTS] [ROUNDS]`` with CHUNKSTUDY_DATA set. The texts
are Chroma's corpora under its recursive chunker of 200 tokens, all of them by default. Rates count
the float operations of unpadded tokens; the three take turns and the ratios are medians over
rounds, since the machine may be shared.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

import torch
from sentence_transformers import SentenceTransformer

from chunkstudy.chunkers import catalogue
from chunkstudy.collections import chroma
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.protocols import CORRECTED
from chunkstudy.spans import chunk_documents

LAYERS, HEADS, HIDDEN, WIDE = 6, 12, 384, 1536
SHAPES = ((HIDDEN, 3 * HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, WIDE), (WIDE, HIDDEN))


def main() -> None:
    """Print the three rates in GFLOP/s and the ratios of ours to the other two."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else None
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    documents = chroma.load().documents
    chunks = chunk_documents(catalogue.build("recursive-200-0", CORRECTED), documents)
    texts = chunks.texts(documents)
    if limit:
        texts = random.Random(0).sample(texts, min(limit, len(texts)))
    ours = TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"))
    theirs = SentenceTransformer(str(models.weights_folder(ours.spec)), device="cpu")
    lengths = [len(ids) for ids in ours.token_ids(texts)]
    work = float_operations(lengths)
    print(f"{len(texts)} texts, {sum(lengths)} tokens, {work / 1e12:.2f} Tflop, "
          f"{torch.get_num_threads()} threads")  # fmt: skip
    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.encode(texts),
        "sentence-transformers": lambda: theirs.encode(texts),
        "matrix products": matrix_products(lengths, ours.batch_tokens),
    }
    theirs.encode(texts[:32])
    ours.encode(texts[:32])
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, task in contenders.items():
            started = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - started)
    for name, times in seconds.items():
        print(f"{name}: {work / statistics.median(times) / 1e9:.0f} GFLOP/s")
    for name in list(contenders)[1:]:
        ratio = statistics.median(
            b / a for a, b in zip(seconds["ours"], seconds[name], strict=True)
        )
        print(f"ours / {name}: {ratio:.2f}")


def float_operations(lengths: Sequence[int]) -> int:
    """Of the linear layers and the two products of attention, two for each multiply-add."""
    linear = sum(rows * columns for rows, columns in SHAPES)
    return sum(LAYERS * (2 * n * linear + 4 * n * n * HIDDEN) for n in lengths)


def matrix_products(lengths: Sequence[int], rows: int) -> Callable[[], None]:
    """The same float operations at the model's shapes, and nothing between them."""
    inputs = {width: torch.randn(rows, width) for width in (HIDDEN, WIDE)}
    weights = [torch.randn(shape) for shape in SHAPES]
    heads = [
        (torch.randn(times * HEADS, n, HIDDEN // HEADS), torch.randn(times * HEADS, n, n))
        for n, times in Counter(lengths).items()
    ]

    @torch.inference_mode()
    def multiply() -> None:
        for _ in range(LAYERS):
            for start in range(0, sum(lengths), rows):
                size = min(rows, sum(lengths) - start)
                for weight in weights:
                    torch.mm(inputs[weight.shape[0]][:size], weight)
            for states, attention in heads:
                torch.bmm(states, states.transpose(1, 2))
                torch.bmm(attention, states)

    return multiply


if __name__ == "__main__":
    main()
