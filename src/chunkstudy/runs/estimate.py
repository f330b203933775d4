"""What a run would take, before it starts: tokens, operations, time, dollars.

Queries and search are left out, and so is what a language model takes to draw boundaries
(``asking_cost`` says it); documents beyond the window are counted once, although neighbouring
windows overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.collections import registry
from chunkstudy.encoders import models
from chunkstudy.llm.prices import PRICES
from chunkstudy.runs import facts, records
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.names import (
    CONTEXTUALIZED,
    ChunkerSpec,
    EncoderName,
    parse_chunker,
    parse_encoder,
    parse_ordering,
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


@dataclass(frozen=True, slots=True)
class Device:
    """What a run may be estimated for.

    Attributes:
        rate: floating-point operations a second that encoding is assumed to sustain. Two cores:
            what MiniLM's runs came to, in float32. GPUs: half of the maker's dense 16-bit rate.
    """

    description: str
    rate: float


TWO_CORES = "two-cores"
DEVICES = {
    TWO_CORES: Device("two CPU cores", 100e9),
    "t4": Device("an NVIDIA T4", 65e12 / 2),
    "a100": Device("an NVIDIA A100", 312e12 / 2),
    "h100": Device("an NVIDIA H100", 989e12 / 2),
    "h200": Device("an NVIDIA H200", 989e12 / 2),
}


def device(name: str) -> Device:
    """The device of that name.

    Raises:
        ValueError: if there is none, with the names there are.
    """
    if name not in DEVICES:
        raise ValueError(f"unknown device {name!r}; use one of {', '.join(DEVICES)}")
    return DEVICES[name]


def in_words(seconds: float) -> str:
    """A duration as a person says it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, slots=True)
class Reading:
    """Tokens that a model reads, a multiple of the collection's; conditions with the same key
    share them."""

    key: tuple[str, ...]
    model: str
    passes: float
    window: int = 0
    """Tokens of a document read at once; 0 where chunks or sentences are."""


@dataclass(frozen=True, slots=True)
class Price:
    """What one condition adds to those before it.

    Attributes:
        tokens: read by any model.
        operations: floating-point, of models that run here.
        dollars: of vectors that an API sells.
        blocked: whether the condition lacks something, see :mod:`.requirements`.
    """

    condition: Condition
    tokens: float
    operations: float
    dollars: float
    blocked: bool


def prices(conditions: Sequence[Condition], places: Places, again: bool = False) -> list[Price]:
    """A price per condition that is not recorded, or ``again`` of all, those that can be run here
    first.

    Protocols of one chunker share most vectors, boundaries of one model are drawn once, and
    contextualized conditions whose documents are laid out alike share one reading: each counts
    once, for the first condition that needs it.
    """
    missing = [c for c in conditions if again or not records.complete(places.runs / c.path)]
    blocked = {c: reason_not_run(c) is not None for c in missing}
    seen: set[tuple[str, ...]] = set()
    sizes: dict[str, int] = {}
    found = []
    for condition in sorted(missing, key=blocked.__getitem__):
        tokens = operations = dollars = 0.0
        for reading in readings(condition):
            if reading.key in seen:
                continue
            seen.add(reading.key)
            name = condition.collection
            if name not in sizes:
                sizes[name] = known_tokens(name, places) or DEFAULT_TOKENS
            read = sizes[name] * reading.passes
            length = attended(reading, name, sizes[name])
            tokens += read
            operations += read * models.spec(reading.model).flops_per_token(length)
            if reading.model in PRICES:
                dollars += PRICES[reading.model].dollars(read)
        found.append(Price(condition, tokens, operations, dollars, blocked[condition]))
    return found


def estimate(
    conditions: Sequence[Condition],
    places: Places,
    device_name: str = TWO_CORES,
    again: bool = False,
) -> Iterator[str]:
    """A line per condition that is not recorded, or ``again`` of all, and totals, on one of
    ``DEVICES``.

    Raises:
        ValueError: if the device is unknown.
    """
    on = device(device_name)
    found = prices(conditions, places, again)
    for name in dict.fromkeys(one.condition.collection for one in found):
        if not known_tokens(name, places):
            yield f"nobody has counted {name}: {DEFAULT_TOKENS:,} tokens are assumed of it"
    for one in found:
        yield f"{one.condition}\t{_line([one], on)}"
    for blocked, label in ((False, "can be run here"), (True, "need something first")):
        group = [one for one in found if one.blocked == blocked]
        if group:
            yield f"{len(group)} that {label}\t{_line(group, on)}"
    yield f"all {len(found)} on {on.description}\t{_line(found, on)}"


def open_by_model(conditions: Sequence[Condition], places: Places) -> Iterator[str]:
    """A line per model with conditions that could be run here and are not recorded: how many, how
    long, and how to start them; they can be stopped at any time and go on where they were."""
    on = DEVICES[TWO_CORES]
    open_of: dict[str, list[Price]] = {}
    for one in prices(conditions, places):
        if not one.blocked and one.condition.encoder != NONE:
            model = parse_encoder(one.condition.encoder).model
            open_of.setdefault(model, []).append(one)
    for model, some in open_of.items():
        seconds = sum(one.operations for one in some) / on.rate
        yield (
            f"{model}: {len(some)} open, at most {in_words(seconds)} on {on.description}; "
            f"`chunkstudy run --only '*/*/{EncoderName(model)!s}*/*/*'`"
        )


def readings(condition: Condition) -> Iterator[Reading]:
    """What a condition lets models read: to draw boundaries, then its chunks."""
    if condition.encoder == NONE:
        return
    spec = parse_chunker(condition.chunker)
    if passes := spec.entry.passes:
        encoder = spec.by or condition.encoder
        key = (condition.collection, encoder, f"boundaries of {spec.name}", *map(str, spec.sizes))
        yield Reading(key, parse_encoder(encoder).model, passes)
    model = parse_encoder(condition.encoder).model
    window = parse_ordering(condition.ordering).window
    yield Reading(_key(condition), model, _passes(condition, spec), window)


def attended(reading: Reading, collection: str, tokens: int) -> int:
    """How many tokens a token attends to in a collection of that size: those of a mean document,
    up to the window; 0 up to ``SHORT``, where attention costs little beside the linear layers."""
    length = min(reading.window, tokens // registry.find(collection).documents)
    return length if length > SHORT else 0


def known_tokens(name: str, places: Places) -> int:
    """WordPiece tokens of a collection, Chroma's in cl100k: as recorded, else as registered; 0
    where nobody counted them."""
    if not (found := facts.read(places, f"{name}_facts")).empty:
        return int(found["wordpiece_tokens"][0])
    return registry.find(name).tokens


def _key(condition: Condition) -> tuple[str, ...]:
    """What conditions have in common that read the same tokens."""
    if condition.ordering.startswith(CONTEXTUALIZED):
        packed = PROTOCOLS[condition.protocol].layout == "packed"
        if not packed and parse_ordering(condition.ordering).layout in ("", "averaged"):
            return (condition.collection, condition.encoder, condition.ordering)
        return (condition.collection, condition.encoder, condition.ordering, condition.chunker)
    if parse_ordering(condition.ordering).context:
        return (condition.collection, condition.encoder, condition.ordering, condition.chunker)
    return (condition.collection, condition.encoder, condition.chunker)


def _passes(condition: Condition, spec: ChunkerSpec) -> float:
    ordering = parse_ordering(condition.ordering)
    if ordering.window:
        return HALF_OVER if ordering.layout == "averaged" else 1.0
    size, overlap = spec.sizes if spec.entry.takes("overlap") else (1, 0)
    read = size / (size - overlap)
    return read * WITH_CONTEXT if ordering.context else read


def _line(some: Sequence[Price], on: Device) -> str:
    operations = sum(one.operations for one in some)
    return (
        f"{sum(one.tokens for one in some) / 1e6:.2f} M tokens\t"
        f"{operations:.1e} floating-point operations\t{in_words(operations / on.rate)}\t"
        f"${sum(one.dollars for one in some):.2f}"
    )
