"""What two processes cost beside one process, and nothing else.

Run ``python -m tests.benchmarks.machines [TEXTS] [ROUNDS]``. Texts are encoded in equal parts: by
one process with two threads and by two with one thread each. The contenders take turns and the
ratios are medians, since others may share the machine; starting processes and loading models is not
counted, since a run does it once.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch

from chunkstudy.collections import builtin
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.names import parse_encoder

CHARACTERS = 600
ENCODER: list[TransformerEncoder] = []


def texts(number: int) -> list[str]:
    """So many pieces of the built-in collection, of about 130 tokens."""
    documents = builtin.load().documents
    pieces = [
        document.text[at : at + CHARACTERS]
        for document in documents
        for at in range(0, len(document.text), CHARACTERS)
    ]
    return [pieces[i % len(pieces)] + f" {i}" for i in range(number)]


def work(number: int, threads: int) -> float:
    """Encode so many texts in this process; the seconds it took."""
    torch.set_num_threads(threads)
    if not ENCODER:
        ENCODER.append(TransformerEncoder(models.spec(parse_encoder(MINILM).model)))
    chosen = texts(number)
    started = time.perf_counter()
    ENCODER[0].encode(chosen)
    return time.perf_counter() - started


def _clocked(task: Callable[[], object]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def processes(number: int, rounds: int) -> None:
    """Two processes of one thread to one of two: at least 0.95 of its texts a second."""
    context = get_context("spawn")
    first, second = (ProcessPoolExecutor(1, mp_context=context) for _ in range(2))
    with first, second:
        for one in (first, second):
            one.submit(work, 8, 1).result()
        ratios = []
        for _ in range(rounds):
            together = _clocked(lambda: first.submit(work, number, 2).result())
            apart = _clocked(
                lambda: [
                    one.result()
                    for one in [each.submit(work, number // 2, 1) for each in (first, second)]
                ]
            )
            ratios.append(together / apart)
            print(f"one process of two threads {together:.1f} s, two of one {apart:.1f} s")
    print(f"two processes to one: {statistics.median(ratios):.2f} (target: 0.95)")


def main() -> None:
    """Parts of about ten seconds on a quiet machine, or as many texts as given."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_500
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    processes(number, rounds)


if __name__ == "__main__":
    main()
