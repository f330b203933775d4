"""The hours that encoding the whole grid takes at measured speeds, beside the estimate's.

What is read is what ``chunkstudy estimate`` counts, for conditions that nobody has recorded and for
those recorded alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.runs import estimate, grids

COLUMNS = ("model", "million_tokens", "operations", "hours", "hours_estimated_on_an_h100")
ALL = "all"


@dataclass(frozen=True)
class Rates:
    """Floating-point operations a second that a model was seen to reach, for short texts and for
    texts as long as it reads."""

    short: float
    long: float

    def seconds(self, operations: float, length: int) -> float:
        """Of texts in which a token attends to ``length`` others; 0 is a short text."""
        return operations / (self.long if length else self.short)


def rows(rates: Mapping[str, Rates], places: Places) -> Iterator[tuple[str, ...]]:
    """Of every model that was measured and of all of them, the columns of :data:`COLUMNS`."""
    on = estimate.device("h100")
    found: dict[str, list[float]] = {}
    for name, tokens, length in _read(places):
        if name not in rates:
            continue
        operations = tokens * models.spec(name).flops_per_token(length)
        of_one = (tokens, operations, rates[name].seconds(operations, length), operations / on.rate)
        for key in (name, ALL):
            sums = found.setdefault(key, [0.0] * 4)
            found[key] = [a + b for a, b in zip(sums, of_one, strict=True)]
    for name in (*(one for one in found if one != ALL), ALL):
        tokens, operations, seconds, assumed = found.get(name, [0.0] * 4)
        hours = (f"{one / 3600:.4g}" for one in (seconds, assumed))
        yield name, f"{tokens / 1e6:.1f}", f"{operations:.3g}", *hours


def _read(places: Places) -> Iterator[tuple[str, float, int]]:
    """Each reading of the grid once: its model, its tokens, and how many a token attends to."""
    seen: set[tuple[str, ...]] = set()
    sizes: dict[str, int] = {}
    for condition in grids.grid():
        name = condition.collection
        for reading in estimate.readings(condition):
            if reading.key in seen:
                continue
            seen.add(reading.key)
            if name not in sizes:
                sizes[name] = estimate.known_tokens(name, places)
            length = estimate.attended(reading, name, sizes[name])
            yield reading.model, sizes[name] * reading.passes, length
