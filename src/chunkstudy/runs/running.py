"""``chunkstudy run``: which conditions, where, and what became of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from chunkstudy.base import models
from chunkstudy.base.files import check_writable
from chunkstudy.base.places import Places
from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import Condition, ConditionError
from chunkstudy.runs.estimate import in_words, prices
from chunkstudy.runs.executors import (
    Executor,
    Task,
    in_processes,
    in_this_process,
    on_dask,
    tasks_of,
)
from chunkstudy.runs.records import complete, runs_of, scores_path
from chunkstudy.runs.requirements import reason_not_run


def run(
    selected: Sequence[Condition],
    places: Places,
    *,
    processes: int = 0,
    dask: str = "",
    dry_run: bool = False,
    again: bool = False,
) -> int:
    """Run conditions that are not recorded, and say on stderr how far it is.

    Args:
        processes: on this machine; 0: in this process.
        dask: the address of a Dask scheduler, or empty.
        again: whether what is recorded is run as well.

    Returns:
        How many conditions failed; each said why.

    Raises:
        ConditionError, ExecutorError: if nothing can be begun.
    """
    executor = _executor(processes, dask)
    todo = [c for c in selected if again or not complete(runs_of(c), c)]
    able = [c for c in todo if not reason_not_run(c)]
    _say(
        f"{len(able)} to run, {len(selected) - len(todo)} recorded, "
        f"{len(todo) - len(able)} cannot be run here"
    )
    priced = prices(able, places, again=True)
    seconds = dict(zip(priced["condition"], priced["seconds"], strict=True))
    tasks = tasks_of(able)
    if dry_run:
        ordered = [condition for task in tasks for condition in task]
        for number, condition in enumerate(ordered, start=1):
            _say(f"[{number}/{len(ordered)}] {condition}")
        _say(f"at most {in_words(sum(seconds.values()))} on two cores")
        return 0
    for folder in {runs_of(condition) for condition in able}:
        check_writable(folder)
    if executor is not in_this_process:
        _refuse_sold(able)
        tasks.sort(key=lambda task: sum(seconds[c] for c in task), reverse=True)
    failed = _work(executor, tasks, seconds)
    done = [condition for condition in able if condition not in failed]
    for name in sorted({c.collection for c in done}.intersection(registry.COLLECTIONS)):
        facts.write(load_collection(name), places)
    for path in {
        scores_path(runs_of(c), c): 0 for c in done if c.collection not in registry.COLLECTIONS
    }:
        print(path)
    return len(failed)


def _executor(processes: int, dask: str) -> Executor:
    if processes < 0:
        raise ConditionError(f"{processes} processes are too few; give 1 or more")
    if processes and dask:
        raise ConditionError("--processes and --dask each say where to run; give one of them")
    if dask:
        return on_dask(dask)
    return in_processes(processes) if processes else in_this_process


def _work(
    executor: Executor, tasks: Sequence[Task], seconds: Mapping[Condition, float]
) -> set[Condition]:
    """Run tasks; the conditions that failed."""
    failed = set()
    remaining = {c: seconds[c] for task in tasks for c in task}
    total = len(remaining)
    for result in executor(tasks) if tasks else ():
        condition = result.condition
        del remaining[condition]
        if result.failure:
            failed.add(condition)
            _say(f"chunkstudy: {condition} failed: {result.failure}")
            continue
        left = f", at most {in_words(sum(remaining.values()))} left on two cores"
        took = f"took {in_words(result.seconds)}{left if remaining else ''}"
        _say(f"[{total - len(remaining)}/{total}] {condition} {took}")
    return failed


def _refuse_sold(conditions: Sequence[Condition]) -> None:
    """Refuse to let several processes ask for money, each of which would spend the whole budget."""
    asks = os.environ.get("CHUNKSTUDY_LLM") == "record"
    for condition in conditions:
        names = [encoder.model for encoder in condition.encoders]
        sold = [name for name in names if models.spec(name).kind == "api"]
        asked = (condition.chunking.llm, condition.method.llm) if asks else ()
        if model := next(filter(None, [*sold, *asked]), ""):
            raise ConditionError(
                f"what {model} is asked for {condition} costs money, and the ceiling "
                "CHUNKSTUDY_BUDGET is one process's; run it without --processes and --dask"
            )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
