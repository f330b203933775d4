"""Units of work: the conditions of one collection and one encoder with its window.

They share texts, documents and boundaries, so a unit is computed by one worker and nothing in it is
encoded twice. Units share nothing that decides a score; see docs/cluster.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from chunkstudy.runs.conditions import NONE, Condition, ConditionError

SHARD = re.compile(r"([1-9][0-9]*)/([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Unit:
    """Conditions to be computed together, in their order.

    Attributes:
        encoder: its slug, which names the window where it is not the encoder's own; ``none``
            where no model takes part.
    """

    collection: str
    encoder: str
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        by = "no encoder" if self.encoder == NONE else self.encoder
        number = len(self.conditions)
        return f"{self.collection}, {by} ({number} condition{'s' * (number > 1)})"

    @property
    def name(self) -> str:
        """Two parts of a path, the same whatever conditions were selected."""
        return f"{self.collection}/{self.encoder}"


def units(conditions: Iterable[Condition]) -> list[Unit]:
    """The units of some conditions, in the order of their first conditions."""
    groups: dict[tuple[str, str], list[Condition]] = {}
    for one in conditions:
        groups.setdefault((one.collection, one.encoder), []).append(one)
    return [Unit(*key, tuple(group)) for key, group in groups.items()]


def parse_shard(text: str) -> tuple[int, int]:
    """The number of a shard, from 1, and how many there are, from ``2/8``.

    Raises:
        ConditionError: if it is none.
    """
    match = SHARD.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise ConditionError(
            f"{text!r} is no shard; write its number and how many there are, from 1/8 to 8/8"
        )
    return int(match[1]), int(match[2])


def shards(some: Sequence[Unit], number: int, cost: Callable[[Unit], float]) -> list[list[Unit]]:
    """Units dealt to that many shards, the longest first and each to the shard that has least.

    Equal units and costs give equal shards wherever this is computed, in whatever order the units
    come. No shard costs more than 4/3 of what the best division's longest does (Graham 1969,
    Bounds on Multiprocessing Timing Anomalies).
    """
    dealt: list[list[Unit]] = [[] for _ in range(number)]
    load = [0.0] * number
    for unit in sorted(some, key=lambda one: (-cost(one), one.name)):
        least = load.index(min(load))
        dealt[least].append(unit)
        load[least] += cost(unit)
    return dealt
