"""``chunkstudy run``: which conditions, where, and what became of them.

That is in this process, in several on this machine, or on a Dask cluster. Conditions are given out
in tasks: those of one collection and one encoder with its window, which share texts and documents.
One process runs a task, so that nothing in it is encoded twice. Whatever fails, its condition is
named and the others go on.
"""

from __future__ import annotations

import gc
import multiprocessing
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from chunkstudy.collections import registry
from chunkstudy.collections.registry import load_collection
from chunkstudy.core import models
from chunkstudy.core.errors import RecordError, UserError, one_line
from chunkstudy.core.files import check_writable
from chunkstudy.core.processes import cores, end_with_parent
from chunkstudy.core.project import Project, find_project
from chunkstudy.core.settings import Settings
from chunkstudy.llm.prices import in_words
from chunkstudy.pipeline import facts, records
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.pipeline.estimate import lines, of_conditions
from chunkstudy.pipeline.records import Outcome, complete, runs_of, scores_path
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.run import of_record, read_together
from chunkstudy.pipeline.vector_store import load_store

ADDRESS = re.compile(r"(?:tcp://|tls://)?[^\s/:]+:[0-9]+")
PATIENCE = 10.0
"""Seconds that a scheduler may take to answer."""
ONE_AT_A_TIME = threading.Lock()
"""A Dask worker with several threads runs one task after the other: torch has threads enough."""
DIED = "its process died, perhaps for want of memory; use fewer processes"
Task = tuple[Condition, ...]
"""Conditions of one collection and one encoder, in their order."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What became of a condition.

    Attributes:
        outcome: what its record will hold; None where it failed, or is recorded.
        failure: a sentence; empty where it did not fail.
    """

    condition: Condition
    seconds: float = 0.0
    failure: str = ""
    outcome: Outcome | None = None


def run(
    selected: Sequence[Condition],
    here: Project,
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
        UserError: if nothing can be begun.
    """
    if processes < 0:
        raise UserError(f"{processes} processes are too few; give 1 or more")
    if processes and dask:
        raise UserError("--processes and --dask each say where to run; give one of them")
    if dask and not ADDRESS.fullmatch(dask):
        raise UserError(f"{dask!r} is no address of a Dask scheduler; write host:port")
    todo = [c for c in selected if again or not complete(runs_of(c), c)]
    able = [c for c in todo if not reason_not_run(c)]
    why = " (`chunkstudy list` says why)" if len(able) < len(todo) else ""
    _say(
        f"{len(able)} to run, {len(selected) - len(todo)} recorded, "
        f"{len(todo) - len(able)} cannot be run here{why}"
    )
    tasks = tasks_of(able)
    estimates = of_conditions(chain.from_iterable(tasks), here)
    *of_each, total = lines(estimates)
    for line in (*(of_each if dry_run else ()), total):
        _say(line)
    if dry_run:
        return 0
    seconds = {condition: estimate.seconds for condition, estimate in estimates.items()}
    for folder in {runs_of(condition) for condition in able}:
        check_writable(folder)
    if processes or dask:
        _refuse_sold(able)
        tasks.sort(key=lambda task: sum(seconds[c] for c in task), reverse=True)
    results = in_processes(tasks, processes) if processes else in_this_process(tasks)
    if dask:
        results = on_dask(tasks, dask)
    failed = _work(results if tasks else (), seconds)
    done = [condition for condition in able if condition not in failed]
    for name in sorted({c.collection for c in done}.intersection(registry.COLLECTIONS)):
        facts.write(load_collection(name), here)
    for path in {
        scores_path(runs_of(c), c): 0 for c in done if c.collection not in registry.COLLECTIONS
    }:
        print(path)
    return len(failed)


def _work(results: Iterable[TaskResult], seconds: Mapping[Condition, float]) -> set[Condition]:
    """Say what becomes of conditions that take so many seconds; those that failed."""
    failed, remaining, total = set(), dict(seconds), len(seconds)
    for result in results:
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
    asks = Settings.from_env().llm == "record"
    for condition in conditions:
        names = [encoder.model for encoder in condition.encoders]
        sold = [name for name in names if models.spec(name).kind == "api"]
        asked = (condition.chunking.llm, condition.method.llm) if asks else ()
        if model := next(filter(None, [*sold, *asked]), ""):
            raise UserError(
                f"what {model} is asked for {condition} costs money, and the ceiling "
                "CHUNKSTUDY_BUDGET is one process's; run it without --processes and --dask"
            )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def tasks_of(conditions: Iterable[Condition]) -> list[Task]:
    """The tasks of some conditions, in the order of their first conditions."""
    groups: dict[tuple[str, str], list[Condition]] = {}
    for condition in conditions:
        groups.setdefault((condition.collection, condition.encoder), []).append(condition)
    return [tuple(group) for group in groups.values()]


def read_documents(task: Task) -> None:
    """Read the documents of a task once for all its conditions. What fails here fails again in a
    condition, which then is named."""
    with suppress(Exception):
        read_together(task, find_project().vectors)


def run_condition(condition: Condition) -> TaskResult:
    """Run a condition; an error becomes a sentence, which every process can read."""
    started, failure, outcome = time.perf_counter(), "", None
    try:
        outcome = of_record(condition, find_project().vectors)
    except Exception as error:
        failure = one_line(error)
    return TaskResult(condition, time.perf_counter() - started, failure, outcome)


def run_task(task: Task) -> Iterator[TaskResult]:
    """Run a task in this process."""
    read_documents(task)
    for condition in task:
        yield run_condition(condition)


def recorded(result: TaskResult) -> TaskResult:
    """Record an outcome. Only the process that was started writes, so that no two do."""
    failure = result.failure
    try:
        if result.outcome is not None:
            records.write(runs_of(result.condition), result.outcome)
    except (OSError, RecordError) as error:
        failure = one_line(error)
    return replace(result, outcome=None, failure=failure)


def in_this_process(tasks: Sequence[Task]) -> Iterator[TaskResult]:
    """One condition after the other."""
    for task in tasks:
        yield from map(recorded, run_task(task))


def in_processes(tasks: Sequence[Task], number: int) -> Iterator[TaskResult]:
    """So many processes on this machine, among which its cores are divided."""
    threads = max(1, cores() // number)
    with ThreadPoolExecutor(number) as pool:
        try:
            for future in as_completed([pool.submit(_apart, task, threads) for task in tasks]):
                yield from future.result()
        except BaseException:  # interrupted: what has not begun shall not
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _apart(task: Task, threads: int) -> list[TaskResult]:
    """Run a task in a process of its own, which is given one condition at a time: where it dies,
    that condition has failed, and another process goes on after it."""
    calls: list[tuple[Callable[[Any], Any], Any]] = [(read_documents, task)]
    calls += [(run_condition, condition) for condition in task]
    results: list[Any] = []
    while len(results) < len(calls):
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, spawn, _begin, (threads,)) as process:
            try:
                for function, given in calls[len(results) :]:
                    result = process.submit(function, given).result()
                    results.append(result and recorded(result))
            except BrokenProcessPool:
                results.append(TaskResult(calls[len(results)][1], failure=DIED))
    return results[1:]


def _begin(threads: int) -> None:
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(threads)
    threadpool_limits(threads, "blas")
    end_with_parent()


def on_dask(tasks: Sequence[Task], address: str) -> Iterator[TaskResult]:
    """The workers of a Dask scheduler, ``host:port``, which see the folders of this machine. What
    one finds is recorded once its task is done.

    Raises:
        UserError: if the package is missing, or nobody answers there.
    """
    try:
        import distributed
    except ImportError:
        raise UserError(
            "the package distributed is missing; install the extra `cluster` of this project"
        ) from None
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise UserError(
            f"no Dask scheduler answers at {address}; start one with `dask scheduler`"
        ) from error
    with client:
        task_of = {client.submit(_run_alone, task, pure=False): task for task in tasks}
        for future in distributed.as_completed(task_of, loop=client.loop):
            try:
                yield from map(recorded, future.result())
            except Exception as error:  # the worker's death, or the scheduler's
                failure = f"lost on the Dask cluster ({one_line(error)})"
                for condition in task_of[future]:
                    yield TaskResult(condition, failure=failure)


def _run_alone(task: Task) -> list[TaskResult]:
    """Run a task in a Dask worker, which keeps no model for the next one."""
    with ONE_AT_A_TIME:
        results = list(run_task(task))
        load_store.cache_clear()
        gc.collect()
        return results
