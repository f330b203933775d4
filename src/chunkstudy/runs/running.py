"""``chunkstudy run``: which conditions, in which units, where, and what became of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from chunkstudy.base.places import Places
from chunkstudy.collections import registry
from chunkstudy.runs import executors, facts, records
from chunkstudy.runs.conditions import Condition, ConditionError
from chunkstudy.runs.estimate import in_words, of_unit
from chunkstudy.runs.executors import Executor
from chunkstudy.runs.run import load_collection
from chunkstudy.runs.units import Unit, parse_shard, shards, units
from chunkstudy.runs.workers import Done, Order, gather_here, records_folder, versions

SEEN_WITHIN = 60.0
"""Seconds that a network file system may take to show what another machine wrote: directories are
believed unchanged for that long (nfs(5), acdirmax)."""


@dataclass(frozen=True, slots=True)
class Where:
    """On which machines to run; at most one of the three is given.

    Attributes:
        processes: on this machine; 0: in this process.
        executor: the address of a scheduler, or empty.
        shard: which part of the units, or empty.
    """

    processes: int = 0
    executor: str = ""
    shard: str = ""

    def __post_init__(self) -> None:
        if (self.processes > 0) + bool(self.executor) + bool(self.shard) > 1:
            raise ConditionError(
                "--processes, --executor and --shard each say by themselves where to run; give one"
            )
        if self.processes < 0:
            raise ConditionError(f"{self.processes} processes are too few; give 1 or more")

    @property
    def many(self) -> bool:
        """Whether several processes may be at work."""
        return bool(self.processes or self.executor or self.shard)

    def run(self) -> Executor:
        if self.executor:
            return executors.dask(self.executor)
        if self.processes:
            return executors.processes(self.processes)
        return executors.here


def run(
    selected: Sequence[Condition], places: Places, where: Where, dry_run: bool, again: bool
) -> int:
    """Run conditions that are not recorded, and say on stderr how far it is.

    Returns:
        How many units failed; each said why.

    Raises:
        ConditionError, ExecutorError: if nothing can be begun.
    """
    mine = _dealt(units(selected), where, dry_run)
    chosen = [c for unit in mine for c in unit.conditions]
    # Which conditions are mine never depends on what is recorded, since shards begin one by one.
    todo = [c for c in chosen if again or not records.complete(records_folder(c, places))]
    able = [c for c in todo if not c.reason_not_run]
    _say(
        f"{len(able)} to run, {len(chosen) - len(todo)} recorded, "
        f"{len(todo) - len(able)} cannot be run here"
    )
    work = units(able)
    if dry_run:
        numbers = count(1)
        for unit in work:
            _say(f"{unit}: {in_words(of_unit(unit))} on two cores")
            for condition in unit.conditions:
                _say(f"[{next(numbers)}/{len(able)}] {condition}")
        return 0
    failed = _work(work, places, where, again)
    for condition in (c for c in able if c.collection not in registry.COLLECTIONS):
        print(records_folder(condition, places))
    return failed


def _work(work: Sequence[Unit], places: Places, where: Where, again: bool) -> int:
    refused = [done for done in map(_refused, work) if done] if where.many else []
    for done in refused:
        _say(f"{done.unit} failed")
        _say(f"chunkstudy: {done.failure}")
    going = [unit for unit in work if unit not in {done.unit for done in refused}]
    if where.many:
        going.sort(key=of_unit, reverse=True)
    failed = len(refused)
    whole: set[str] = set()
    remains = sum(map(of_unit, going))
    orders = [_order(unit, where, again) for unit in going]
    for number, done in enumerate(where.run()(orders) if orders else (), start=1):
        remains -= of_unit(done.unit)
        failure = done.failure or (_unseen(done.unit, places) if where.executor else "")
        took = "failed" if failure else f"took {in_words(done.seconds)}"
        left = f", at most {in_words(remains)} left on two cores"
        _say(f"[{number}/{len(going)}] {done.unit} {took}{left if number < len(going) else ''}")
        if failure:
            failed += 1
            _say(f"chunkstudy: {failure}")
        else:
            whole.add(done.unit.collection)
    for name in sorted(whole.intersection(registry.COLLECTIONS)):
        facts.write(load_collection(name), places)
    if where.processes and not failed:
        for order in orders:
            gather_here(order)
    return failed


def _dealt(some: list[Unit], where: Where, dry_run: bool) -> list[Unit]:
    """The units of this shard, in their order; all where there are no shards."""
    if not where.shard:
        return some
    mine, of = parse_shard(where.shard)
    dealt = shards(some, of, of_unit)
    for number, shard in enumerate(dealt if dry_run else (), start=1):
        cost = in_words(sum(map(of_unit, shard)))
        this = ", this one" if number == mine else ""
        names = "; ".join(map(str, shard)) or "nothing, since there are fewer units than shards"
        _say(f"shard {number}/{of}{this}: {cost} on two cores: {names}")
    return [unit for unit in some if unit in dealt[mine - 1]]


def _order(unit: Unit, where: Where, again: bool) -> Order:
    if where.executor:
        collection = load_collection(unit.collection).digest()
        return Order(unit, again, versions=versions(), collection_sha256=collection)
    return Order(unit, again, alone=not where.many, here=not where.shard)


def _refused(unit: Unit) -> Done | None:
    """Why a unit is not for several processes, each of which would spend the whole budget."""
    asks = os.environ.get("CHUNKSTUDY_LLM") == "record"
    for need in (need for condition in unit.conditions for need in condition.needs()):
        if need.sold and (asks or need.kind != "replies"):
            why = (
                f"what {need.of} is asked costs money, and the ceiling CHUNKSTUDY_BUDGET is one "
                "process's; run this unit without --processes, --executor and --shard"
            )
            return Done(unit, failure=why)
    return None


def _unseen(unit: Unit, places: Places) -> str:
    """That a worker's records are not to be seen from here, if so."""
    folders = [records_folder(condition, places) for condition in unit.conditions]
    end = time.monotonic() + SEEN_WITHIN
    while missing := [folder for folder in folders if not records.complete(folder)]:
        if time.monotonic() > end:
            return (
                f"its worker ended well, and {missing[0]} is not there; let CHUNKSTUDY_ROOT name "
                "one shared folder for the command and its workers"
            )
        time.sleep(1)
    return ""


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
