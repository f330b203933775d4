"""What a run would cost, before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkstudy.encoders import models
from chunkstudy.experiment import records
from chunkstudy.experiment.conditions import NONE, Condition
from chunkstudy.experiment.places import Places

CHROMA_TOKENS = 328_208  # cl100k, S0:269
FLOPS_PER_TOKEN = {"sentence-transformers/all-MiniLM-L6-v2": 6 * 2 * (4 * 384**2 + 2 * 384 * 1536)}
ASSUMED_RATE = 100e9
"""Floating-point operations a second on two cores; what was measured stands in timing.json."""
PASSES = {"kamradt": 4.0, "kamradt-modified": 8.0, "cluster": 2.0}
"""How often a semantic chunker reads the collection: windows, pieces, and the chunks."""


def estimate(conditions: Sequence[Condition], places: Places) -> Iterator[str]:
    """A line per open condition and a total; protocols of one chunker share their vectors."""
    total = 0.0
    seen: set[tuple[str, str, str]] = set()
    for condition in conditions:
        key = (condition.collection, condition.chunker, condition.encoder)
        if records.complete(places.runs / condition.path) or condition.reason_not_run:
            continue
        model = None if condition.encoder == NONE else models.parse_slug(condition.encoder)[0]
        tokens = 0.0 if model is None or key in seen else CHROMA_TOKENS * _passes(condition.chunker)
        seen.add(key)
        seconds = tokens * FLOPS_PER_TOKEN.get(model or "", 0) / ASSUMED_RATE
        total += seconds
        yield f"{condition}\t{tokens / 1e6:.2f} M tokens\t{seconds / 60:.1f} min"
    yield f"about {total / 60:.0f} minutes on two cores, $0"


def _passes(chunker: str) -> float:
    for name, passes in sorted(PASSES.items(), key=lambda item: -len(item[0])):
        if chunker.startswith(name):
            return passes
    numbers = [int(part) for part in chunker.split("-") if part.isdecimal()]
    size, overlap = numbers[0], numbers[1]
    return size / (size - overlap)
