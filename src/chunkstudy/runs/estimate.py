"""What a run would take, before it starts: tokens, operations, time, dollars, and what language
models are asked for.

Queries and search are left out; documents beyond the window are counted once, although neighbouring
windows overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.places import Places
from chunkstudy.chunkers.expected_requests import of_boundaries
from chunkstudy.collections import gutenqa, registry
from chunkstudy.encoders import models
from chunkstudy.llm.prices import PRICES, Estimate
from chunkstudy.runs import facts, records
from chunkstudy.runs.conditions import ChunkerSpec, Condition, EmbeddingMethod, parse_encoder
from chunkstudy.runs.requirements import reason_not_run

WITH_CONTEXT = 1.25
"""What is read of a chunk with a context before it, to the chunk alone: on Chroma's corpora a
context is a quarter of 200 tokens."""
HALF_OVER = 2.0
"""How often a token is read by layouts whose windows share half of theirs."""
SHORT = 512
DEFAULT_TOKENS = 2_000_000
"""Assumed of a collection of which nothing is recorded."""
TWO_CORES = "two-cores"
DEVICES = {TWO_CORES: 100e9, "a100": 312e12 / 2, "h100": 989e12 / 2}
"""Floating-point operations a second that encoding is assumed to sustain. Two cores: what MiniLM's
runs came to, in float32. GPUs: half of the maker's dense 16-bit rate."""
AMOUNTS = ["tokens", "operations", "dollars"]


def in_words(seconds: float) -> str:
    """A duration as a person says it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


class Reading(NamedTuple):
    """Tokens that a model reads, a multiple of the collection's; conditions with the same key
    share them."""

    key: tuple[str, ...]
    model: str
    passes: float
    window: int = 0
    """Tokens of a document read at once; 0 where chunks or sentences are."""

    def amounts(self, collection: str, tokens: int) -> NDArray[np.float64]:
        """``AMOUNTS`` of reading a collection of that many tokens."""
        # A token attends to those of a mean document, up to the window; up to SHORT attention costs
        # little beside the linear layers.
        length = min(self.window, tokens // registry.find(collection).documents)
        read = tokens * self.passes
        each = models.spec(self.model).flops_per_token(length if length > SHORT else 0)
        dollars = PRICES[self.model].dollars(read) if self.model in PRICES else 0.0
        return np.array([read, read * each, dollars])


def prices(
    conditions: Sequence[Condition],
    places: Places,
    again: bool = False,
    device: str = TWO_CORES,
) -> pd.DataFrame:
    """A row per condition that is not recorded, or ``again`` of all, those that can be run here
    first: what it adds to those before it.

    Protocols of one chunker share most vectors, boundaries of one model are drawn once, and
    contextualized conditions whose documents are laid out alike share one reading: each counts
    once, for the first condition that needs it.

    Returns:
        ``condition``; ``blocked`` where this machine lacks something for it
        (:mod:`.requirements`); ``tokens`` read by any model; floating-point ``operations`` of
        models that run here; ``dollars`` of what an API sells; ``seconds`` on one of ``DEVICES``.
    """
    missing = [c for c in conditions if again or not records.complete(places.runs, c)]
    blocked = {c: reason_not_run(c) is not None for c in missing}
    names = {condition.collection for condition in missing}
    sizes = {name: known_size(name, places)[1] or DEFAULT_TOKENS for name in names}
    seen: set[tuple[str, ...]] = set()
    rows = []
    for condition in sorted(missing, key=blocked.__getitem__):
        total, name = np.zeros(len(AMOUNTS)), condition.collection
        for reading in readings(condition):
            if reading.key not in seen:
                seen.add(reading.key)
                total += reading.amounts(name, sizes[name])
        rows.append((condition, blocked[condition], *total.tolist()))
    priced = pd.DataFrame(rows, columns=["condition", "blocked", *AMOUNTS])
    priced = priced.astype(dict.fromkeys(AMOUNTS, float))  # also where there is no row
    return priced.assign(seconds=priced["operations"] / DEVICES[device])


def estimate(
    conditions: Sequence[Condition],
    places: Places,
    device: str = TWO_CORES,
    again: bool = False,
) -> Iterator[str]:
    """A line per condition that is not recorded, or ``again`` of all, and totals, on one of
    ``DEVICES``; then one for each segmentation that a language model draws."""
    priced = prices(conditions, places, again, device)
    for name in dict.fromkeys(condition.collection for condition in priced["condition"]):
        if not known_size(name, places)[1]:
            yield f"nobody has counted {name}: {DEFAULT_TOKENS:,} tokens are assumed of it"
    for _, price in priced.iterrows():
        yield f"{price['condition']}\t{_amounts(price)}"
    for blocked, label in ((False, "can be run here"), (True, "need something first")):
        group = priced[priced["blocked"] == blocked]
        if len(group):
            yield f"{len(group)} that {label}\t{_amounts(group.sum(numeric_only=True))}"
    yield f"all {len(priced)} on {device}\t{_amounts(priced.sum(numeric_only=True))}"
    for name, chunker, model, expected, basis in segmentations(conditions, places):
        text = f"not known here: {basis}" if expected is None else f"{expected} ({basis})"
        yield f"boundaries of {name}/{chunker} by {model}\t{text}"


def _amounts(price: pd.Series[Any]) -> str:
    return (
        f"{price['tokens'] / 1e6:.2f} M tokens\t"
        f"{price['operations']:.1e} floating-point operations\t"
        f"{in_words(price['seconds'])}\t${price['dollars']:.2f}"
    )


def readings(condition: Condition) -> Iterator[Reading]:
    """What a condition lets models read: to draw boundaries, then its chunks."""
    if condition.model is None:
        return
    spec, method = condition.chunking, condition.method
    if passes := spec.entry.passes:
        encoder = spec.by or condition.encoder
        key = (condition.collection, encoder, f"boundaries of {spec.name}", *map(str, spec.sizes))
        yield Reading(key, parse_encoder(encoder).model, passes)
    key = (condition.collection, condition.encoder)
    if method.window or method.context:
        key += (condition.ordering,)
    packed = condition.rules.layout == "packed"
    # Windows that do not depend on chunks are read once for all chunkers.
    if not method.window or packed or method.layout not in ("", "averaged"):
        key += (condition.chunker,)
    yield Reading(key, condition.model.model, _passes(method, spec), method.window)


class Segmentation(NamedTuple):
    """Boundaries that a language model draws once for all conditions that use them: by which
    chunker and model, of which collection; what drawing them would take, None where the size of the
    collection is not known; and on what that rests."""

    collection: str
    chunker: str
    model: str
    expected: Estimate | None
    basis: str


def segmentations(conditions: Iterable[Condition], places: Places) -> Iterator[Segmentation]:
    """Those that the conditions need, each once, in their order."""
    needed = ((condition.collection, condition.chunking) for condition in conditions)
    for name, chunker, model in dict.fromkeys((c, one.name, one.llm) for c, one in needed):
        if not model:
            continue
        documents, tokens, counted = known_size(name, places)
        expected = of_boundaries(chunker, model, documents, tokens) if tokens else None
        if not tokens:
            basis = "nobody has counted its texts; a run says what it takes before it starts"
        elif name == gutenqa.FULL:
            basis = "99 of its 100 books are not here and taken to be as long as Emma"
        elif counted or name == "chroma":
            basis = "from its texts, counted"
        else:
            basis = "roughly, from a size that nobody counted here"
        yield Segmentation(name, chunker, model, expected, basis)


def known_size(name: str, places: Places) -> tuple[int, int, bool]:
    """Documents and WordPiece tokens of a collection, Chroma's in cl100k, and whether they are as
    recorded, not as registered; 0 tokens where nobody counted them."""
    if not (recorded := facts.read(places, f"{name}_facts")).empty:
        return int(recorded["documents"][0]), int(recorded["wordpiece_tokens"][0]), True
    entry = registry.find(name)
    return entry.documents, entry.tokens, False


def _passes(method: EmbeddingMethod, spec: ChunkerSpec) -> float:
    if method.window:
        return HALF_OVER if method.layout == "averaged" else 1.0
    size, overlap = spec.sizes if spec.entry.takes("overlap") else (1, 0)
    read = size / (size - overlap)
    return read * WITH_CONTEXT if method.context else read
