"""What a run would take, before it starts: tokens, operations, time, dollars, and what language
models are asked for.

Queries and search are left out; documents beyond the window are counted once, although neighbouring
windows overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from chunkstudy.base.places import Places
from chunkstudy.chunkers.expected_requests import of_boundaries
from chunkstudy.collections import gutenqa, registry
from chunkstudy.encoders import models
from chunkstudy.llm.prices import PRICES, Estimate
from chunkstudy.runs import facts, records
from chunkstudy.runs.conditions import (
    ChunkerSpec,
    Condition,
    EmbeddingMethod,
    parse_encoder,
)
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


def in_words(seconds: float) -> str:
    """A duration as a person says it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, slots=True)
class Cost:
    """What some work takes; two add up.

    Attributes:
        tokens: read by any model.
        seconds: on some device.
        dollars: of what an API sells.
        operations: floating-point, of models that run here.
    """

    tokens: float = 0.0
    seconds: float = 0.0
    dollars: float = 0.0
    operations: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.tokens + other.tokens,
            self.seconds + other.seconds,
            self.dollars + other.dollars,
            self.operations + other.operations,
        )

    def __str__(self) -> str:
        return (
            f"{self.tokens / 1e6:.2f} M tokens\t{self.operations:.1e} floating-point operations\t"
            f"{in_words(self.seconds)}\t${self.dollars:.2f}"
        )


@dataclass(frozen=True, slots=True)
class Price:
    """What one condition adds to those before it; ``blocked`` where this machine lacks something
    for it (:mod:`.requirements`)."""

    condition: Condition
    cost: Cost
    blocked: bool


def total(prices: Iterable[Price]) -> Cost:
    """What several conditions take together."""
    return reduce(Cost.__add__, (price.cost for price in prices), Cost())


@dataclass(frozen=True, slots=True)
class Reading:
    """Tokens that a model reads, a multiple of the collection's; conditions with the same key
    share them."""

    key: tuple[str, ...]
    model: str
    passes: float
    window: int = 0
    """Tokens of a document read at once; 0 where chunks or sentences are."""

    def cost(self, collection: str, tokens: int, rate: float) -> Cost:
        """Of reading a collection of that many tokens at so many operations a second."""
        # A token attends to those of a mean document, up to the window; up to SHORT attention costs
        # little beside the linear layers.
        length = min(self.window, tokens // registry.find(collection).documents)
        read = tokens * self.passes
        each = models.spec(self.model).flops_per_token(length if length > SHORT else 0)
        dollars = PRICES[self.model].dollars(read) if self.model in PRICES else 0.0
        return Cost(read, read * each / rate, dollars, read * each)


def prices(
    conditions: Sequence[Condition],
    places: Places,
    again: bool = False,
    device: str = TWO_CORES,
) -> list[Price]:
    """A price per condition that is not recorded, or ``again`` of all, those that can be run here
    first.

    Protocols of one chunker share most vectors, boundaries of one model are drawn once, and
    contextualized conditions whose documents are laid out alike share one reading: each counts
    once, for the first condition that needs it.
    """
    missing = [c for c in conditions if again or not records.complete(places.runs, c)]
    blocked = {c: reason_not_run(c) is not None for c in missing}
    names = {condition.collection for condition in missing}
    sizes = {name: known_size(name, places)[1] or DEFAULT_TOKENS for name in names}
    seen: set[tuple[str, ...]] = set()
    priced = []
    for condition in sorted(missing, key=blocked.__getitem__):
        cost, name = Cost(), condition.collection
        for reading in readings(condition):
            if reading.key not in seen:
                seen.add(reading.key)
                cost += reading.cost(name, sizes[name], DEVICES[device])
        priced.append(Price(condition, cost, blocked[condition]))
    return priced


def estimate(
    conditions: Sequence[Condition],
    places: Places,
    device: str = TWO_CORES,
    again: bool = False,
) -> Iterator[str]:
    """A line per condition that is not recorded, or ``again`` of all, and totals, on one of
    ``DEVICES``; then one for each segmentation that a language model draws."""
    priced = prices(conditions, places, again, device)
    for name in dict.fromkeys(price.condition.collection for price in priced):
        if not known_size(name, places)[1]:
            yield f"nobody has counted {name}: {DEFAULT_TOKENS:,} tokens are assumed of it"
    for price in priced:
        yield f"{price.condition}\t{price.cost}"
    for blocked, label in ((False, "can be run here"), (True, "need something first")):
        group = [price for price in priced if price.blocked == blocked]
        if group:
            yield f"{len(group)} that {label}\t{total(group)}"
    yield f"all {len(priced)} on {device}\t{total(priced)}"
    for drawn in segmentations(conditions):
        expected, basis = drawn.takes(places)
        text = f"not known here: {basis}" if expected is None else f"{expected} ({basis})"
        yield f"boundaries of {drawn.collection}/{drawn.chunker} by {drawn.model}\t{text}"


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


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Boundaries that a language model draws once for all conditions that use them: by which
    chunker and model, of which collection."""

    collection: str
    chunker: str
    model: str

    def takes(self, places: Places) -> tuple[Estimate | None, str]:
        """What drawing them would take, and on what the number rests; None where the size of the
        collection is not known, and why."""
        documents, tokens, counted = known_size(self.collection, places)
        if not tokens:
            return None, "nobody has counted its texts; a run says what it takes before it starts"
        basis = "roughly, from a size that nobody counted here"
        if counted or self.collection == "chroma":
            basis = "from its texts, counted"
        if self.collection == gutenqa.FULL:
            basis = "99 of its 100 books are not here and taken to be as long as Emma"
        return of_boundaries(self.chunker, self.model, documents, tokens), basis


def segmentations(conditions: Iterable[Condition]) -> list[Segmentation]:
    """Those that the conditions need, each once, in their order."""
    needed = (
        Segmentation(condition.collection, spec.name, spec.llm)
        for condition in conditions
        if (spec := condition.chunking).llm
    )
    return list(dict.fromkeys(needed))


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
