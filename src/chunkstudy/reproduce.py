"""``chunkstudy reproduce``: everything derived from the records, and every stage run live on the
built-in collection, on as many cores as there are.

Tables come first; figures and notebooks, which show them, follow, then the site, which shows all
three; the built-in collection runs beside these. One line tells what is done, of how much, after
how long.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.thread import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from chunkstudy import derive, live, notebooks
from chunkstudy.faults import of_the_system
from chunkstudy.files import check_writable
from chunkstudy.places import Places
from chunkstudy.processes import end_with_parent
from chunkstudy.site import inspector


class ReproduceError(RuntimeError):
    """Some part failed while the others finished; the message names each."""


@dataclass
class Stage:
    """A part of the work: its name, how many pieces it has, and how many are done."""

    name: str
    pieces: int = 0
    done: int = 0


@dataclass
class Board:
    """Work handed to processes, and what became of it."""

    pool: ProcessPoolExecutor
    started: float = field(default_factory=time.monotonic)
    waiting: dict[Future[Any], tuple[Stage, Callable[[Any], None]]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def submit(
        self, stage: Stage, then: Callable[[Any], None], work: Callable[..., Any], *given: Any
    ) -> None:
        """Run ``work(*given)`` in a process and hand its result to ``then`` in this one."""
        stage.pieces += 1
        self.waiting[self.pool.submit(work, *given)] = (stage, then)

    def finish(self) -> None:
        """Wait for everything, including what a result lets begin.

        Raises:
            ReproduceError: if a piece failed; the others are finished first.
        """
        while self.waiting:
            for future in wait(self.waiting, return_when=FIRST_COMPLETED).done:
                stage, then = self.waiting.pop(future)
                stage.done += 1
                try:
                    result = future.result()
                except Exception as error:
                    said = of_the_system(error) if isinstance(error, OSError) else str(error)
                    self.failed.append(said)
                    self.say(f"{stage.name}: {said}")
                    continue
                then(result)
                self.say(f"{stage.name}, {stage.done} of {stage.pieces}: {result}")
        if self.failed:
            raise ReproduceError(f"{len(self.failed)} parts failed: {'; '.join(self.failed)}")

    def say(self, text: str) -> None:
        print(f"[{time.monotonic() - self.started:4.0f} s] {text}", file=sys.stderr, flush=True)


def reproduce(places: Places, workers: int | None = None) -> None:
    """Derive tables, figures and notebooks, run the built-in collection live, draw its pages.

    Raises:
        ReproduceError: naming every part that failed, once the others are done.
        OSError: if nothing can be written, before anything is done.
    """
    check_writable(places.results)
    with pool(workers) as processes, ThreadPoolExecutor(1) as here:
        board = Board(processes)
        names = ("tables", "built-in collection, live", "figures", "notebooks", "paper and site",
                 "inspector")  # fmt: skip
        stages = {name: Stage(name) for name in names}

        def figures(_: str) -> None:
            for name in derive.figure_names():
                board.submit(stages["figures"], pages, derive.figure, places, name)

        def pages(_: str) -> None:
            if stages["figures"].done == stages["figures"].pieces:
                for source in notebooks.independent(places):
                    board.submit(stages["notebooks"], overview, notebooks.run_one, places, source)

        def overview(_: str) -> None:
            if stages["notebooks"].done == stages["notebooks"].pieces:
                source = notebooks.overview(places)
                board.submit(stages["notebooks"], published, notebooks.run_one, places, source)

        def published(_: str) -> None:
            board.submit(stages["paper and site"], nothing, derive.publish, places)

        def embedded(_: str = "") -> None:  # one by one, so that nothing is embedded twice
            if units:
                of = stages["built-in collection, live"]
                board.submit(of, embedded, live.compare, places, units.pop(0))
            else:
                board.submit(stages["inspector"], nothing, inspect_builtin, places)

        units = live.units()
        embedded()
        # In a thread, which can hand groups of tables to the processes, as none of these could.
        tables = here.submit(derive.tables, places, processes.map)
        stages["tables"].pieces, board.waiting[tables] = 1, (stages["tables"], figures)
        board.finish()


def pool(workers: int | None = None) -> ProcessPoolExecutor:
    """Processes that use one thread each, so that they do not fight for the cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ProcessPoolExecutor(
        workers or cores or 1, mp_context=get_context("spawn"), initializer=begin
    )


def begin() -> None:
    """Keep a worker, and the kernels it starts, to one thread each; it ends with its parent."""
    end_with_parent()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def inspect_builtin(places: Places) -> str:
    """The inspector's pages of the built-in collection."""
    return inspector.write(places, "builtin").relative_to(places.root).as_posix()


def nothing(_: object) -> None:
    """What follows a piece that nothing waits for."""
