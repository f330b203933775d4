"""How long a unit would take, so that shards are alike and a run can say what remains.

Shards are dealt on every machine by itself. What a unit costs may therefore depend on nothing that
differs between machines or changes while others run: not on which records are there, nor on sizes
that a finished run has counted, only on what is registered.
"""

from __future__ import annotations

from chunkstudy.collections import registry
from chunkstudy.encoders import models
from chunkstudy.runs import devices
from chunkstudy.runs.estimate import DEFAULT_TOKENS, attended, readings
from chunkstudy.runs.units import Unit

WITHOUT_ENCODING = 5e-6
"""Seconds a condition takes to chunk, search and score, by token of the collection: the records of
eight collections took a median of 2 to 7 seconds a million tokens on one core."""
STARTING = 3.0
"""Seconds for loading a model and a collection."""
BEHIND_API = 1e-5
"""Seconds assumed of an API, by token."""


def seconds(unit: Unit, device: str = devices.TWO_CORES) -> float:
    """The estimated seconds of a unit on a device, nothing of it being recorded or remembered."""
    size = registry.find(unit.collection).tokens or DEFAULT_TOKENS
    rate = devices.device(device).rate
    spent = STARTING + WITHOUT_ENCODING * size * len(unit.conditions)
    shared = {one.key: one for condition in unit.conditions for one in readings(condition)}
    for reading in shared.values():
        spec = models.spec(reading.model)
        length = attended(reading, unit.collection, size)
        operations = size * reading.passes * spec.flops_per_token(length)
        spent += operations / rate if operations else BEHIND_API * size * reading.passes
    return spent


def in_words(amount: float) -> str:
    """Seconds as a person says them."""
    if amount < 120:
        return f"{amount:.0f} s"
    return f"{amount / 60:.0f} min" if amount < 2 * 3600 else f"{amount / 3600:.1f} h"
