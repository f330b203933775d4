"""Where conditions are run: in this process, in several on this machine, or on a Dask cluster.

Conditions are given out in tasks: those of one collection and one encoder with its window, which
share texts and documents. One process runs a task, so that nothing in it is encoded twice. Whatever
fails, its condition is named and the others go on.
"""

from __future__ import annotations

import gc
import multiprocessing
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from chunkstudy.base import places
from chunkstudy.base.faults import one_line
from chunkstudy.base.processes import cores, end_with_parent
from chunkstudy.runs import records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.records import Outcome, RecordError
from chunkstudy.runs.run import of_record, read_together
from chunkstudy.runs.store import load_store

ADDRESS = re.compile(r"(?:tcp://|tls://)?[^\s/:]+:[0-9]+")
PATIENCE = 10.0
"""Seconds that a scheduler may take to answer."""
ONE_AT_A_TIME = threading.Lock()
"""A Dask worker with several threads runs one task after the other: torch has threads enough."""
DIED = "its process died, perhaps for want of memory; use fewer processes"


class ExecutorError(RuntimeError):
    """Machines that cannot be reached; the message says what to do."""


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


Executor = Callable[[Sequence[Task]], Iterator[TaskResult]]
"""Records each condition of some tasks once it is here, and gives its result, in any order."""


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
        read_together(task, places.find().vectors)


def run_condition(condition: Condition) -> TaskResult:
    """Run a condition; an error becomes a sentence, which every process can read."""
    started, failure, outcome = time.perf_counter(), "", None
    try:
        outcome = of_record(condition, places.find().vectors)
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
            records.write(records.runs_of(result.condition), result.outcome)
    except (OSError, RecordError) as error:
        failure = one_line(error)
    return replace(result, outcome=None, failure=failure)


def in_this_process(tasks: Sequence[Task]) -> Iterator[TaskResult]:
    """One condition after the other."""
    for task in tasks:
        yield from map(recorded, run_task(task))


def in_processes(number: int) -> Executor:
    """So many processes on this machine, among which its cores are divided."""
    threads = max(1, cores() // number)

    def run_all(tasks: Sequence[Task]) -> Iterator[TaskResult]:
        with ThreadPoolExecutor(number) as pool:
            try:
                for future in as_completed([pool.submit(_apart, task, threads) for task in tasks]):
                    yield from future.result()
            except BaseException:  # interrupted: what has not begun shall not
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    return run_all


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


def on_dask(address: str) -> Executor:
    """The workers of a Dask scheduler, ``host:port``, which see the folders of this machine. What
    one finds is recorded once its task is done.

    Raises:
        ExecutorError: if the address is none or the package is missing; when the first result is
            asked for, if nobody answers there.
    """
    if not ADDRESS.fullmatch(address):
        raise ExecutorError(f"{address!r} is no address of a Dask scheduler; write host:port")
    try:
        import distributed
    except ImportError:
        raise ExecutorError(
            "the package distributed is missing; install the extra `cluster` of this project"
        ) from None

    def run_all(tasks: Sequence[Task]) -> Iterator[TaskResult]:
        try:
            client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise ExecutorError(
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

    return run_all


def _run_alone(task: Task) -> list[TaskResult]:
    """Run a task in a Dask worker, which keeps no model for the next one."""
    with ONE_AT_A_TIME:
        results = list(run_task(task))
        load_store.cache_clear()
        gc.collect()
        return results
