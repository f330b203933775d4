"""Where units are run: in this process, in others on this machine, or on a Dask cluster.

Each gives back what became of every unit as soon as it is known, in no particular order.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from chunkstudy.base.processes import end_with_parent
from chunkstudy.runs.workers import Done, Order, perform, sentence

TRIES = 2
"""How often a unit is begun whose process dies; its vectors are kept, so the second goes on."""
SCHEME = "dask://"
FIRST, PATIENCE = 10.0, 120.0
"""Seconds that a scheduler may take to answer, and to come back when it was lost."""
Executor = Callable[[Sequence[Order]], Iterator[Done]]


class ExecutorError(RuntimeError):
    """Machines that cannot be reached; the message says what to do."""


def here(orders: Sequence[Order]) -> Iterator[Done]:
    """One unit after the other in this process."""
    return map(perform, orders)


def processes(number: int) -> Executor:
    """Processes on this machine, among which its cores are divided."""

    def run(orders: Sequence[Order]) -> Iterator[Done]:
        threads = max(1, cores() // number)
        pools = threading.local()

        def begin(order: Order) -> Done:
            for _ in range(TRIES):
                # One that computes with so many threads, and ends where this one does.
                pools.own = getattr(pools, "own", None) or ProcessPoolExecutor(
                    1, multiprocessing.get_context("spawn"), _begin, (threads,)
                )
                try:
                    done: Done = pools.own.submit(perform, order).result()
                    return done
                except BrokenProcessPool:
                    pools.own = None
            return Done(
                order.unit,
                failure=f"its process was killed {TRIES} times, perhaps for want of memory; use "
                "fewer processes",
            )

        # A pool of one process for each thread: where a process dies, it is known of which unit.
        with ThreadPoolExecutor(number) as starting:
            try:
                for future in as_completed([starting.submit(begin, one) for one in orders]):
                    yield future.result()
            except BaseException:  # interrupted: what has not begun shall not
                starting.shutdown(wait=False, cancel_futures=True)
                raise

    return run


def dask(address: str) -> Executor:
    """The workers of an existing scheduler, ``dask://host:port``; a lost one may come back.

    Raises:
        ExecutorError: if the address is none, or the package is not installed.
    """
    if not address.startswith(SCHEME) or ":" not in address.removeprefix(SCHEME):
        raise ExecutorError(f"{address!r} names no executor; write {SCHEME}host:port")
    try:
        import distributed
    except ImportError:
        raise ExecutorError(
            "the package distributed is missing; install the extra `cluster` of this project"
        ) from None

    def connect(seconds: float) -> Any:
        try:
            return distributed.Client(
                f"tcp://{address.removeprefix(SCHEME)}", timeout=seconds, set_as_default=False
            )
        except (OSError, TimeoutError) as error:
            raise ExecutorError(
                f"no Dask scheduler answers at {address}; start one with `dask scheduler`, and "
                "give the same command again: what is recorded is left alone"
            ) from error

    def run(orders: Sequence[Order]) -> Iterator[Done]:
        open_orders = {order.unit: order for order in orders}
        waited = FIRST
        while open_orders:
            client = connect(waited)
            waited = PATIENCE
            if not client.scheduler_info()["workers"]:
                print(f"the scheduler at {address} has no worker yet; waiting", file=sys.stderr)
            executor = client.get_executor(pure=False)
            futures = {executor.submit(perform, one): one for one in open_orders.values()}
            try:
                for future in as_completed(futures):
                    done = _outcome(future, futures[future])
                    if done is None:
                        break
                    del open_orders[done.unit]
                    yield done
            finally:
                client.close(timeout=2)

    return run


def cores() -> int:
    """Cores this process may use; fewer where OMP_NUM_THREADS says so."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(allowed or 1, int(asked) if asked.isdigit() and int(asked) else allowed or 1)


def _outcome(future: Future[Done], order: Order) -> Done | None:
    """What became of a unit; None where the scheduler was lost before that was known."""
    from distributed.scheduler import KilledWorker

    try:
        return future.result()
    except KilledWorker as error:
        return Done(
            order.unit,
            failure=f"its worker was lost again and again, last {error.last_worker.address}, "
            "perhaps for want of memory; give workers a higher --memory-limit",
        )
    except CancelledError:
        return None
    except Exception as error:  # of whatever a worker could not even begin
        return Done(order.unit, failure=sentence(error))


def _begin(threads: int) -> None:
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(threads)
    threadpool_limits(threads, "blas")
    end_with_parent()
