"""Our encoder beside the engines that others run the same weights with, texts and threads alike.

Run ``python -m tests.benchmarks.engines [TEXTS] [ROUNDS] [THREADS] [MODEL]`` with CHUNKSTUDY_DATA
set where they are installed, for instance by ``pip install '.[offline]' fastembed
'sentence-transformers[onnx,openvino]'``. The texts are drawn from Chroma's corpora under its
recursive chunker of 200 tokens. Bare matrix products of the model's shapes, with nothing between
them, say what any engine could reach. The others compute in float32, in padded batches of 32 sorted
by length; ours also in bfloat16. All take turns in every round, and the ratios are by round: of
time, which other work on the machine distorts, and of the processor's seconds, all threads
together, which it hardly does. What is not installed is left out, and says so.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chunkstudy.base.models import Architecture, ModelSpec
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import chunk_documents
from chunkstudy.collections import chroma
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunking import build_chunker

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
BATCH = 32
Engine = Callable[[Sequence[str]], NDArray[np.float32] | None]


def main() -> None:
    """As the command line says."""
    count, rounds, threads = (
        int(given) if given else usual
        for given, usual in zip([*sys.argv[1:4], "", "", ""], (300, 5, 1), strict=False)
    )
    torch.set_num_threads(threads)
    measure(sys.argv[4] if len(sys.argv) > 4 else MODEL, count, rounds)


def measure(model: str, count: int, rounds: int) -> None:
    """Print our share of each engine's time, and how far its vectors are from ours."""
    spec, threads = models.spec(model), torch.get_num_threads()
    if not models.at_hand(spec):
        print(f"{model} is left out: its weights are not here")
        return
    assert spec.architecture
    texts = chunks(count)
    ours, half = TransformerEncoder(spec), TransformerEncoder(spec, dtype="bfloat16")
    lengths = [len(ids) for ids in ours.token_ids(texts)]
    print(f"{spec.id}: {len(texts)} texts, {sum(lengths):,} tokens, {threads} threads")
    products = matrix_products(lengths, ours.batch_tokens, spec.architecture)
    engines: dict[str, Engine] = {"ours": ours.encode, "ours, bfloat16": half.encode}
    with tempfile.TemporaryDirectory() as folder:
        engines |= dict(others(spec, threads, Path(folder)))
        compare(engines | {"bare matrix products": lambda _: products()}, texts, rounds)


def chunks(count: int) -> list[str]:
    """So many chunks of Chroma's corpora."""
    documents = chroma.load().documents
    cut = chunk_documents(build_chunker("recursive-200-0", CORRECTED), documents)
    return random.Random(0).sample(cut.texts(documents), count)


def others(spec: ModelSpec, threads: int, folder: Path) -> Iterator[tuple[str, Engine]]:
    """Those that are installed, over the weights of this machine."""
    weights, window = str(models.weights_folder(spec)), spec.window
    for backend, package in (("torch", ""), ("onnx", "onnxruntime"), ("openvino", "openvino")):
        needed = ["sentence_transformers", *([package, "optimum"] if package else [])]
        if lacking(f"sentence-transformers, {backend}", needed):
            continue
        from sentence_transformers import SentenceTransformer

        library = SentenceTransformer(
            weights, device="cpu", backend=backend, model_kwargs=settings(backend, threads)
        )
        library.max_seq_length = window
        yield f"sentence-transformers, {backend}", library.encode
        if backend == "onnx" and not lacking("fastembed", ["fastembed"]):
            library.save_pretrained(str(folder))
            yield "fastembed", fastembed(spec, folder, threads)


def settings(backend: str, threads: int) -> dict[str, Any]:
    """What makes a back end use so many threads and float32."""
    if backend == "openvino":
        return {
            "ov_config": {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"},
            "export": True,
        }
    if backend == "onnx":
        from onnxruntime import SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = threads
        return {"session_options": options, "provider": "CPUExecutionProvider", "export": True}
    return {}


def fastembed(spec: ModelSpec, folder: Path, threads: int) -> Engine:
    """fastembed over the file that sentence-transformers wrote for ONNX."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    (file,) = (path.relative_to(folder) for path in folder.rglob("*.onnx"))
    TextEmbedding.add_custom_model(
        "minilm", PoolingType.MEAN, True, ModelSource(hf="minilm"), spec.dimension, str(file)
    )
    model = TextEmbedding("minilm", threads=threads, specific_model_path=str(folder))
    model.model.tokenizer.enable_truncation(spec.window)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        order = np.argsort([len(text) for text in texts], kind="stable")
        found = np.stack(list(model.embed([texts[i] for i in order], batch_size=BATCH)))
        return found[np.argsort(order)].astype(np.float32)

    return encode


def lacking(name: str, packages: Sequence[str]) -> bool:
    """Whether one of its packages is not installed; it then says so."""
    missing = [one for one in packages if importlib.util.find_spec(one) is None]
    if missing:
        print(f"{name} is left out: {missing[0]} is not installed")
    return bool(missing)


def compare(engines: dict[str, Engine], texts: Sequence[str], rounds: int) -> None:
    """Print the smallest, median and largest ratio of our time to each other's, the median ratio of
    processor seconds, and the least cosine."""
    vectors = {name: engine(texts) for name, engine in engines.items()}
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
    for _ in range(rounds):
        for name, engine in engines.items():
            started, busy = time.perf_counter(), time.process_time()
            engine(texts)
            took[name].append((time.perf_counter() - started, time.process_time() - busy))
    print(f"ours: {median(wall for wall, _ in took['ours']):.2f} s")
    for name in list(engines)[1:]:
        ratios = np.array(took["ours"]) / np.array(took[name])
        wall, busy = np.sort(ratios, axis=0).T
        print(
            f"ours / {name}: time {wall[0]:.2f}, {median(wall):.2f}, {wall[-1]:.2f} (least, "
            f"median, most), processor {median(busy):.2f}{_alike(vectors['ours'], vectors[name])}"
        )


def _alike(ours: NDArray[np.float32] | None, theirs: NDArray[np.float32] | None) -> str:
    """The least cosine between rows, where there are any."""
    if ours is None or theirs is None:
        return ""
    cosines = (ours * theirs).sum(axis=1) / np.linalg.norm(theirs, axis=1)
    return f"; least cosine {cosines.min():.7f}"


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
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
