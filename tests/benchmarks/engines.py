"""``make bench``: our encoder beside the engines that others run the same weights with.

Texts and threads are alike. The texts are drawn from Chroma's corpora under its recursive chunker
of 200 tokens, so CHUNKSTUDY_DATA has to be set. The others compute in float32, in padded batches of
32 sorted by length; ours also in bfloat16. All take turns in every round, and the ratios are by
round: of time, which other work on the machine distorts, and of the processor's seconds, all
threads together, which it hardly does. What is not installed is left out, and says so; all of it
comes, in an environment of its own, by
``pip install '.[offline]' fastembed 'sentence-transformers[onnx,openvino]'``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chunkstudy.base.models import ModelSpec
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import chunk_documents
from chunkstudy.collections import chroma
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.chunking import build_chunker

MODELS = ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-mpnet-base-v2")
Engine = Callable[[Sequence[str]], NDArray[np.float32]]


def main() -> None:
    """Of each model that is here, how our time stands to every engine's."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.engines")
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    documents = chroma.load().documents
    chunks = chunk_documents(build_chunker("recursive-200-0", CORRECTED), documents)
    texts = random.Random(0).sample(chunks.texts(documents), options.texts)
    for spec in map(models.spec, MODELS):
        if not models.at_hand(spec):
            print(f"{spec.id} is left out: its weights are not here")
            continue
        ours, half = TransformerEncoder(spec), TransformerEncoder(spec, dtype="bfloat16")
        print(f"{spec.id}: {len(texts)} texts, {options.threads} threads")
        with tempfile.TemporaryDirectory() as folder:
            others = dict(installed(spec, options.threads, Path(folder)))
            engines = {"ours": ours.encode, "ours, bfloat16": half.encode, **others}
            compare(engines, texts, options.rounds)


def installed(spec: ModelSpec, threads: int, folder: Path) -> Iterator[tuple[str, Engine]]:
    """The engines that are installed, over the weights of this machine."""
    for backend, package in (("torch", "torch"), ("onnx", "onnxruntime"), ("openvino", "openvino")):
        needed = ["sentence_transformers", package, *(["optimum"] if backend != "torch" else [])]
        if lacking(f"sentence-transformers, {backend}", needed):
            continue
        from sentence_transformers import SentenceTransformer

        library = SentenceTransformer(
            str(models.weights_folder(spec)),
            device="cpu",
            backend=backend,
            model_kwargs=settings(backend, threads),
        )
        library.max_seq_length = spec.window
        yield f"sentence-transformers, {backend}", library.encode
        if backend == "onnx" and not lacking("fastembed", ["fastembed"]):
            library.save_pretrained(str(folder))
            yield "fastembed", fastembed(spec, folder, threads)


def lacking(name: str, packages: Sequence[str]) -> bool:
    """Whether one of its packages is not installed; it then says so."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        print(f"{name} is left out: {missing[0]} is not installed")
    return bool(missing)


def settings(backend: str, threads: int) -> dict[str, Any]:
    """What makes a back end use so many threads and float32."""
    if backend == "openvino":
        ours = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
        return {"ov_config": ours, "export": True}
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
        spec.slug, PoolingType.MEAN, True, ModelSource(hf=spec.slug), spec.dimension, str(file)
    )
    model = TextEmbedding(spec.slug, threads=threads, specific_model_path=str(folder))
    model.model.tokenizer.enable_truncation(spec.window)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        order = np.argsort([len(text) for text in texts], kind="stable")
        vectors = np.stack(list(model.embed([texts[i] for i in order], batch_size=32)))
        return vectors[np.argsort(order)].astype(np.float32)

    return encode


def compare(engines: dict[str, Engine], texts: Sequence[str], rounds: int) -> None:
    """Print the smallest, median and largest ratio of our time to each other's, the median ratio of
    processor seconds, and the least cosine between rows."""
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
        cosines = (vectors["ours"] * vectors[name]).sum(axis=1)
        cosines /= np.linalg.norm(vectors[name], axis=1)
        print(
            f"ours / {name}: time {wall[0]:.2f}, {median(wall):.2f}, {wall[-1]:.2f} (least, "
            f"median, most), processor {median(busy):.2f}; least cosine {cosines.min():.7f}"
        )


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
