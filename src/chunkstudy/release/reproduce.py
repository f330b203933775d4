"""``chunkstudy reproduce``: everything derived from the records, and every stage run live on the
built-in collection, on as many cores as there are.

Live means with chunkers with and without a model, plain and late, searched and measured in two
tasks, and compared with the stored scores; every other kind of condition is run by
``make check-runs``.

Published cells are held against the records first; notebooks follow, side by side, those that sum
up after the others; then what README and paper quote. The built-in collection runs beside these. A
line tells what is done, of how much, after how long.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from chunkstudy.core.errors import RecordError, StudyError, of_the_system
from chunkstudy.core.files import check_writable, write_text
from chunkstudy.core.processes import cores, end_with_parent
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.display import latex
from chunkstudy.display.formats import write_csv
from chunkstudy.notebook import summary_files
from chunkstudy.pipeline import records
from chunkstudy.pipeline.conditions import LATE_512, MINILM, MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.run import read_together, run
from chunkstudy.published import side_by_side
from chunkstudy.release import notebooks, readme
from chunkstudy.user_data.inspector import pages as inspector

Work = tuple[Callable[..., str], tuple[Any, ...]]
"""What a process does: a function, and what it is given."""
LIVE = [
    tuple(
        Condition("builtin", chunker, MINILM, PRE_EMBEDDING, CORRECTED.name)
        for chunker in ("recursive-200-0", "token-250-125", "cluster-200")
    ),
    tuple(
        Condition("builtin-graded", chunker, MINILM_512, LATE_512, CORRECTED.name)
        for chunker in ("none", "sentence-5")
    ),
]
"""The conditions run live, in parts that share vectors."""
TOLERANCE = 0.005
"""Of a mean over queries: another machine's rounding may swap two neighbours in a ranking."""


def reproduce(places: Project) -> None:
    """Derive everything from the records, run the built-in collection live, draw its pages.

    Raises:
        StudyError: naming every part of a stage that failed, once the others are done.
        OSError: if nothing can be written, before anything is done.
    """
    for folder in (places.results, places.figures, places.generated):
        check_writable(folder)
    with pool() as processes:
        from_records(places, processes, beside=[(run_live, (places,))])


def from_records(
    places: Project, processes: ProcessPoolExecutor, beside: Sequence[Work] = ()
) -> None:
    """Everything that follows from the records, and what is done beside the notebooks; what sums up
    waits for what it sums up, and is left out where some of that failed.

    Raises:
        StudyError: as :func:`reproduce` does.
    """
    first, *last = (
        [(notebooks.run_one, (places, source)) for source in sources]
        for sources in notebooks.in_turn(places)
    )
    stages: list[tuple[str, Sequence[Work]]] = [
        ("published numbers", [(compare, (places,))]),
        ("notebooks", [*beside, *first]),
        *(("notebooks", works) for works in last),
        ("quoted", [(publish, (places,))]),
    ]
    started = time.monotonic()
    for stage, works in stages:
        failed = []
        waiting = [processes.submit(work, *given) for work, given in works]
        for done, future in enumerate(as_completed(waiting), start=1):
            try:
                outcome = future.result()
            except Exception as error:
                outcome = of_the_system(error) if isinstance(error, OSError) else str(error)
                failed.append(outcome)
            seconds = time.monotonic() - started
            line = f"[{seconds:4.0f} s] {stage}, {done} of {len(works)}: {outcome}"
            print(line, file=sys.stderr, flush=True)
        if failed:
            raise StudyError(f"{len(failed)} parts failed: {'; '.join(failed)}")


def compare(places: Project) -> str:
    """Write ``results/comparison.csv``: every published cell beside ours, with its verdict."""
    comparison = side_by_side.compare(places, Library(places))
    write_csv(places.results / "comparison.csv", comparison)
    return f"{len(comparison):,} published numbers"


def publish(places: Project) -> str:
    """Write what README, REPRODUCING and paper quote, from tables and the notebooks' answers."""
    numbers = sorted(summary_files.numbers(places).items())
    lines = (f"\\chunkvalue{{{name}}}{{{latex.escape(text)}}}\n" for name, text in numbers)
    write_text(places.generated / "numbers.tex", "".join(lines))
    readme.fill(places)
    return "README and the paper's numbers"


def run_live(places: Project) -> str:
    """Run the built-in collection into ``build``, part by part, so that nothing is embedded twice,
    compare the means over queries with the stored ones, and draw the inspector's pages.

    Raises:
        RecordError: if there is no record, or a mean is further from its stored value than the
            tolerance.
    """
    furthest = 0.0
    for unit in LIVE:
        read_together(unit, places.vectors)
        for condition in unit:
            outcome = run(condition, places.vectors, places.build / "runs")
            stored = records.read(places.runs, condition).scores
            apart = records.max_difference(outcome.scores, stored)
            if apart > TOLERANCE:
                raise RecordError(
                    f"{condition} gives scores that differ by {apart:.4f} from the stored ones; "
                    "check that requirements.lock is installed as it stands"
                )
            furthest = max(furthest, apart)
    page = places.display(inspector.write(places, "builtin"))
    return f"built-in collection live, largest difference of a mean {furthest:.6f}; {page}"


def pool() -> ProcessPoolExecutor:
    """Processes that use one thread each, so that they do not fight for the cores."""
    return ProcessPoolExecutor(cores(), mp_context=get_context("spawn"), initializer=begin)


def begin() -> None:
    """Keep a worker, and the kernels it starts, to one thread each; it ends with its parent."""
    end_with_parent()
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
