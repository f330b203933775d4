"""How fast texts become vectors, beside sentence-transformers and beside bare matrix products.

Run ``python -m tests.benchmarks.encoding [TEXTS] [ROUNDS]`` with CHUNKSTUDY_DATA set. The texts
are Chroma's corpora under its recursive chunker of 200 tokens, all of them by default and fewer
for the larger model. Rates count the float operations of unpadded tokens; the three take turns and
the ratios are medians over rounds, since the machine may be shared. A model whose weights are not
at hand is left out.
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

from chunkstudy.base.models import Architecture, ModelSpec
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import chunk_documents
from chunkstudy.collections import chroma
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunkers import build_chunker

MODELS = {
    "sentence-transformers/all-MiniLM-L6-v2": ("targets: 1.4 x, 0.75", None),
    "sentence-transformers/all-mpnet-base-v2": ("targets: 1.4 x, 0.8", 200),
}
"""What is to be reached, and how many texts are enough."""


def main() -> None:
    """Compare each model whose weights are at hand."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else None
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    documents = chroma.load().documents
    chunks = chunk_documents(build_chunker("recursive-200-0", CORRECTED), documents)
    texts = chunks.texts(documents)
    for model, (targets, enough) in MODELS.items():
        print(f"{model} ({targets})")
        if not models.at_hand(spec := models.spec(model)):
            print("left out: its weights are not here")
            continue
        number = min(limit or enough or len(texts), len(texts))
        compare(spec, random.Random(0).sample(texts, number), rounds)


def compare(spec: ModelSpec, texts: Sequence[str], rounds: int) -> None:
    """Print the three rates in GFLOP/s and the ratios of ours to the other two."""
    ours = TransformerEncoder(spec)
    assert spec.architecture
    theirs = SentenceTransformer(str(models.weights_folder(spec)), device="cpu")
    theirs.max_seq_length = spec.window
    lengths = [len(ids) for ids in ours.token_ids(texts)]
    work = sum(n * spec.flops_per_token(n) for n in lengths)
    print(f"{len(texts)} texts, {sum(lengths)} tokens, {work / 1e12:.2f} Tflop, "
          f"{torch.get_num_threads()} threads")  # fmt: skip
    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.encode(texts),
        "sentence-transformers": lambda: theirs.encode(texts),
        "matrix products": matrix_products(lengths, ours.batch_tokens, spec.architecture),
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
        middle = statistics.median(times)
        print(f"{name}: {work / middle / 1e9:.0f} GFLOP/s, {sum(lengths) / middle:.0f} tokens/s")
    for name in list(contenders)[1:]:
        ratio = statistics.median(
            b / a for a, b in zip(seconds["ours"], seconds[name], strict=True)
        )
        print(f"ours / {name}: {ratio:.2f}")


def matrix_products(lengths: Sequence[int], rows: int, sizes: Architecture) -> Callable[[], None]:
    """The same float operations at the model's shapes, and nothing between them."""
    hidden, wide = sizes.hidden, sizes.intermediate
    inputs = {width: torch.randn(rows, width) for width in (hidden, wide)}
    shapes = ((hidden, 3 * hidden), (hidden, hidden), (hidden, wide), (wide, hidden))
    weights = [torch.randn(shape) for shape in shapes]
    heads = [
        (torch.randn(times * sizes.heads, n, hidden // sizes.heads),
         torch.randn(times * sizes.heads, n, n))
        for n, times in Counter(lengths).items()
    ]  # fmt: skip

    @torch.inference_mode()
    def multiply() -> None:
        for _ in range(sizes.layers):
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
