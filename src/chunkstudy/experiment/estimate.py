"""What a run would cost, before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from chunkstudy.chunkers import catalogue
from chunkstudy.encoders import models
from chunkstudy.experiment import records
from chunkstudy.experiment.conditions import NONE, Condition
from chunkstudy.experiment.encoding import CONTEXTUALIZED
from chunkstudy.experiment.places import Places
from chunkstudy.protocols import PROTOCOLS

CHROMA_TOKENS = 328_208  # cl100k, S0:269
DEFAULT_TOKENS = 2_000_000
"""WordPiece tokens assumed of a collection whose facts are not recorded yet."""
FLOPS_PER_TOKEN = {"sentence-transformers/all-MiniLM-L6-v2": 6 * 2 * (4 * 384**2 + 2 * 384 * 1536)}
ASSUMED_RATE = 100e9
"""Floating-point operations a second on two cores; what was measured stands in timing.json."""
PASSES = {"kamradt": 4.0, "kamradt-modified": 8.0, "cluster": 2.0, "semantic": 4.0}
"""How often a semantic chunker reads the collection: windows, pieces, and the chunks."""


def estimate(conditions: Sequence[Condition], places: Places) -> Iterator[str]:
    """A line per open condition and a total.

    Protocols of one chunker share most vectors, and contextualized conditions whose documents are
    laid out alike share one reading, so each counts once.
    """
    total = 0.0
    seen: set[tuple[str, ...]] = set()
    for condition in conditions:
        if records.complete(places.runs / condition.path) or condition.reason_not_run:
            continue
        model = None if condition.encoder == NONE else models.parse_slug(condition.encoder)[0]
        key = _reading(condition)
        tokens = 0.0
        if model is not None and key not in seen:
            tokens = _tokens(condition.collection, places) * _passes(condition)
        seen.add(key)
        seconds = tokens * FLOPS_PER_TOKEN.get(model or "", 0) / ASSUMED_RATE
        total += seconds
        yield f"{condition}\t{tokens / 1e6:.2f} M tokens\t{seconds / 60:.1f} min"
    yield f"about {total / 60:.0f} minutes on two cores, $0"


def _reading(condition: Condition) -> tuple[str, ...]:
    """What conditions have in common that read the same tokens."""
    if condition.ordering.startswith(CONTEXTUALIZED):
        if PROTOCOLS[condition.protocol].layout != "packed":
            return (condition.collection, condition.encoder, condition.ordering)
        return (condition.collection, condition.encoder, condition.ordering, condition.chunker)
    return (condition.collection, condition.encoder, condition.chunker)


def _tokens(collection: str, places: Places) -> int:
    if collection == "chroma":
        return CHROMA_TOKENS
    path = places.results / "parts" / f"{collection}_facts.csv"
    return int(pd.read_csv(path)["wordpiece_tokens"][0]) if path.exists() else DEFAULT_TOKENS


def _passes(condition: Condition) -> float:
    spec = catalogue.parse(condition.chunker)
    if condition.ordering.startswith(CONTEXTUALIZED):
        return 1.0
    if spec.name in PASSES:
        return PASSES[spec.name]
    if spec.name in ("recursive", "token"):
        size, overlap = spec.sizes
        return size / (size - overlap)
    return 1.0
