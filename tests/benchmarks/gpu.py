"""What a GPU makes of every architecture at its real size.

Run ``make bench-gpu``, or ``python -m tests.benchmarks.gpu [--small]``. It needs no weights and no
network. It prints a table as CSV: tokens a second, the share of what a large matrix product reaches
on the same machine in the same number format, and peak memory, for texts of 512 tokens, of as many
as the model reads, and of mixed lengths. Operations are those of the tokens asked for: padding
counts as loss.

``--small`` shrinks everything, to try the script on a processor.
"""

from __future__ import annotations

import csv
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from chunkstudy.core.models import MODELS, Architecture, ModelSpec
from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.checkpoint import load
from chunkstudy.encoders.interface import batches
from chunkstudy.encoders.transformer import BATCH_TOKENS
from tests import checkpoints

NO_GPU = (
    "no GPU that torch can use is here; run this where there is one, or with --small, which only "
    "tries the benchmark"
)
FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
SPEED = ("device", "torch", "model", "format", "lengths", "texts", "tokens_per_second",
         "teraflops", "matrix_teraflops", "share", "peak_gigabytes")  # fmt: skip
FIRST_WORD = 4  # before it stand special tokens
VOCABULARY = 1000
"""Looking a word up costs no multiplication, so few words do."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        short, long: tokens of a text, where the model has as many positions.
        budget: tokens of a batch.
        matrix: rows of the square matrices whose product is the limit.
        repeats: of each measurement.
    """

    short: int = 512
    long: int = 8192
    budget: int = BATCH_TOKENS["cuda"]
    matrix: int = 8192
    repeats: int = 5


TINY = Architecture(layers=2, hidden=48, heads=4, intermediate=96)
SMALL = Sizes(short=32, long=64, budget=256, matrix=128, repeats=1)
Texts = list[list[int]]


def main(small: bool) -> None:
    """Print the table."""
    if not (torch.cuda.is_available() or small):
        sys.exit(NO_GPU)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sizes = SMALL if small else Sizes()
    limits = {name: matrix_rate(device, sizes, dtype) for name, dtype in FORMATS.items()}
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(SPEED)
    for spec in architectures():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "model"
            made = random_checkpoint(spec, folder, small)
            for name, dtype in FORMATS.items():
                model = load(made, folder, device, dtype)
                for lengths, row in speed(model, made, sizes, limits[name]):
                    where = (name_of(device), torch.__version__, spec.id, name, lengths)
                    table.writerow((*where, *row))
                    sys.stdout.flush()
                del model


def architectures() -> list[ModelSpec]:
    """The first model of every architecture and size."""
    same: dict[tuple[object, ...], ModelSpec] = {}
    for spec in MODELS.values():
        if spec.architecture is not None:
            same.setdefault((spec.kind, spec.architecture, spec.positions), spec)
    return list(same.values())


def random_checkpoint(spec: ModelSpec, folder: Path, small: bool) -> ModelSpec:
    """Random weights of a model's kind and size, which cost what trained ones do, and what the
    registry would say of them."""
    assert spec.architecture is not None
    sizes, positions = spec.architecture, spec.positions
    if small:
        sizes, positions = replace(TINY, gated=sizes.gated), min(positions, SMALL.long)
    config = checkpoints.configuration(spec.kind, positions=positions)
    wanted = (sizes.layers, sizes.hidden, sizes.heads, sizes.intermediate)
    config |= dict(zip(checkpoints.size_keys(spec.kind), wanted, strict=True))
    config["vocab_size"] = VOCABULARY
    weights = checkpoints.random_weights(spec.kind, config)
    checkpoints.write(folder, spec.kind, config, weights)
    return checkpoints.specification(folder, spec.kind, config)


def speed(
    model: Bert, spec: ModelSpec, sizes: Sizes, limit: float
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Of each set of lengths its name and the columns from ``texts`` on; a set that the memory
    does not hold has no speed.

    Operations are per second, ``limit`` too.
    """
    draw = random.Random(0)
    short, long = (min(one, spec.positions) for one in (sizes.short, sizes.long))
    wanted = {
        str(short): [short] * (sizes.budget // short),
        str(long): [long] * max(1, sizes.budget // long),
        f"8-{short}": sorted(draw.randint(8, short) for _ in range(sizes.budget // short)),
    }
    for name, lengths in wanted.items():
        texts = [[draw.randrange(FIRST_WORD, VOCABULARY) for _ in range(n)] for n in lengths]
        read = [[texts[i] for i in batch] for batch in batches(lengths, sizes.budget)]
        on_gpu = model.device.type == "cuda"
        if on_gpu:
            torch.cuda.reset_peak_memory_stats(model.device)
        try:
            seconds = median_seconds(partial(run, model, read), model.device, sizes.repeats)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            yield name, (len(lengths), "", "", "", "", "out of memory")
            continue
        rate = sum(spec.flops_per_token(n) * n for n in lengths) / seconds
        figures = (sum(lengths) / seconds, rate / 1e12, limit / 1e12)
        peak = f"{torch.cuda.max_memory_allocated(model.device) / 1e9:.2f}" if on_gpu else ""
        shown = (*(f"{one:.4g}" for one in figures), f"{rate / limit:.3f}", peak)
        yield name, (len(lengths), *shown)


@torch.inference_mode()
def run(model: Bert, read: list[Texts]) -> torch.Tensor:
    """Vectors of all texts, read and pooled as the encoder does."""
    groups = [group for batch in read for group in model.states(batch)]
    return torch.cat([group.mean(dim=1) for group in groups]).cpu()


def matrix_rate(device: torch.device, sizes: Sizes, dtype: torch.dtype) -> float:
    """Floating-point operations a second of one large square product."""
    size = sizes.matrix
    left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    return 2 * size**3 / median_seconds(lambda: left @ right, device, 4 * sizes.repeats)


def median_seconds(task: Callable[[], object], device: torch.device, repeats: int) -> float:
    """The median of several runs after one that does not count."""
    seconds = []
    for turn in range(repeats + 1):
        started = time.perf_counter()
        task()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        if turn:
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def name_of(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU {platform.machine()}, {torch.get_num_threads()} threads"


if __name__ == "__main__":
    main("--small" in sys.argv)
