"""How much of a device's bfloat16 matrix rate encoding reaches at multilingual-e5-large's size.

Run ``python -m tests.benchmarks.devices [--tiny] [--kind KIND]``; it prints CSV with the device's
name and needs no weights, since random ones cost the same. ``--tiny`` shrinks everything, to try
the script on a processor. Operations are those of the tokens asked for: padding counts as loss.
The last column is the largest 1 - cosine between bfloat16 and float32 vectors of the same texts.
"""

from __future__ import annotations

import argparse
import csv
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch

from chunkstudy.encoders.loading import load
from chunkstudy.encoders.pooling import mean_pool
from chunkstudy.encoders.registry import MODELS, ModelSpec
from chunkstudy.encoders.transformer import BATCH_TOKENS
from tests import checkpoints

COLUMNS = (
    "device",
    "torch",
    "kind",
    "lengths",
    "texts",
    "tokens_per_second",
    "teraflops",
    "matrix_teraflops",
    "share",
    "largest_cosine_deviation",
)
VOCABULARY = 1000  # looking a word up costs no multiplication, so few words do
SHORT, LONG = 512, 8192


def main() -> None:
    """Print a row for texts of 512 tokens, of 8,192, and of lengths mixed up to 512."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--kind", default="xlm_roberta", choices=checkpoints.KINDS)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    budget = 2 * LONG if options.tiny else BATCH_TOKENS["cuda"]
    draw = random.Random(0)
    mixed = [draw.randint(8, SHORT) for _ in range(budget // SHORT)]
    lengths = {
        str(SHORT): [SHORT] * (budget // SHORT),
        str(LONG): [LONG] * (1 if options.tiny else budget // LONG),
        f"8-{SHORT}": sorted(mixed),
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "model"
        spec = random_checkpoint(options.kind, folder, options.tiny)
        rough = load(spec, folder, device, torch.bfloat16)
        exact = load(spec, folder, device, torch.float32)
    rate = matrix_rate(device, 512 if options.tiny else 8192, options.repeats)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    for name, wanted in lengths.items():
        batches = [
            [[draw.randrange(4, VOCABULARY) for _ in range(n)] for n in batch]
            for batch in packed(wanted, budget)
        ]
        seconds = median_seconds(lambda b=batches: run(rough, b), device, options.repeats)  # type: ignore[misc]
        work = sum(spec.flops_per_token(n) * n for n in wanted)
        deviation = checkpoints.largest_cosine_deviation(
            *(run(model, [batches[-1][-2:]]) for model in (rough, exact))
        )
        figures = (sum(wanted) / seconds, work / seconds / 1e12, rate / 1e12)
        what = (name_of(device), torch.__version__, options.kind, name, len(wanted))
        found = (*(f"{figure:.4g}" for figure in figures), f"{work / seconds / rate:.3f}")
        table.writerow((*what, *found, f"{deviation:.2g}"))
        sys.stdout.flush()


def random_checkpoint(kind: str, folder: Path, tiny: bool) -> ModelSpec:
    """Random weights at multilingual-e5-large's size, in the layout of a kind."""
    sizes = MODELS["intfloat/multilingual-e5-large"].architecture
    assert sizes is not None
    config = checkpoints.configuration(kind, layers=2, heads=4, positions=LONG)
    changes = {"vocab_size": VOCABULARY}
    if not tiny:
        wanted = (sizes.layers, sizes.hidden, sizes.heads, sizes.intermediate)
        changes |= dict(zip(checkpoints.size_keys(kind), wanted, strict=True))
    config |= changes
    weights = checkpoints.random_weights(kind, config)
    half = {key: tensor.bfloat16() for key, tensor in weights.items()}
    checkpoints.write(folder, kind, config, half)
    return checkpoints.specification(folder, kind, config)


def packed(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Ascending lengths in batches of as many tokens as the encoder takes."""
    batch: list[int] = []
    for length in lengths:
        if batch and sum(batch) + length > budget:
            yield batch
            batch = []
        batch.append(length)
    yield batch


@torch.inference_mode()
def run(model: object, batches: Sequence[Sequence[Sequence[int]]]) -> torch.Tensor:
    """Vectors of all texts, read and pooled as the encoder does."""
    groups = [group for batch in batches for group in model.states(batch)]  # type: ignore[attr-defined]
    return torch.cat([mean_pool(group) for group in groups]).cpu()


def matrix_rate(device: torch.device, size: int, repeats: int) -> float:
    """Floating-point operations a second of one large square bfloat16 product."""
    left, right = (torch.randn(size, size, device=device).bfloat16() for _ in range(2))
    return 2 * size**3 / median_seconds(lambda: left @ right, device, 4 * repeats)


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
    main()
