"""The rehearsal from beginning to end: run the published grid, judge every published cell, say what
is missing.

It keeps everything below one folder and begins anew there, so that what passed says something of
today's code.
"""

from __future__ import annotations

import fnmatch
import shutil
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from chunkstudy.base.files import write_text
from chunkstudy.base.places import Places
from chunkstudy.commands import experiments
from chunkstudy.published import side_by_side
from chunkstudy.published.cells import KEYS, read
from chunkstudy.published.sources import conditions_of, source_of
from chunkstudy.runs import records, running, study_runs
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library
from chunkstudy.runs.published_grid import corrected, published_grid
from chunkstudy.runs.requirements import reason_not_run
from chunkstudy.study.formats import write_csv
from tests.rehearsal.stand import MARK, SENTENCE, standing

STUDIES = ("berlin", "document-lengths", "chunk-sizes")
"""Those that published cells wait for."""
Say = Callable[[str], object]


class RehearsalError(RuntimeError):
    """What the rehearsal found missing or broken; the message says what and how much."""


def rehearse(
    real: Places, root: Path, only: Sequence[str] = ("*",), say: Say = print
) -> dict[str, str]:
    """Run the published grid and judge the published cells below ``root``.

    Args:
        real: the checkout, whose published cells are taken.
        root: the rehearsal's own folder.
        only: patterns of conditions; cells are judged where they name all.
        say: takes a line on how far it is.

    Returns:
        What is missing or broken, and why; nothing where the rehearsal is whole.

    Raises:
        RehearsalError: if the folder holds something else.
    """
    started = time.monotonic()
    begin(real, root)
    everything = conditions(real)
    chosen = [one for one in everything if any(fnmatch.fnmatch(str(one), p) for p in only)]
    with standing(root) as stand:
        say(f"{len(chosen)} conditions to rehearse in {root}")
        faults = _run(stand.places, chosen, say)
        for condition in chosen:
            if not records.complete(stand.places.runs, condition):
                why = reason_not_run(condition) or "see what is broken"
                faults[f"no record of {condition}"] = why
        say(f"{len(records.find(stand.places.runs))} of {len(chosen)} conditions recorded in "
            f"{time.monotonic() - started:.0f} seconds")  # fmt: skip
        if len(chosen) == len(everything):
            faults |= _study(stand.places, say) | _judge(stand.places, say)
    return faults


def begin(real: Places, root: Path) -> None:
    """Make the folder ready, with nothing but the published cells in it.

    Raises:
        RehearsalError: if something else lies there.
    """
    if root.exists() and any(root.iterdir()) and not (root / MARK).is_file():
        raise RehearsalError(f"{root} holds something else than a rehearsal; name another folder")
    shutil.rmtree(root, ignore_errors=True)
    write_text(root / MARK, SENTENCE + "\n")
    shutil.copytree(real.results / "published", root / "results" / "published")


def conditions(real: Places) -> list[Condition]:
    """Every condition of the published grid and of any published cell, those of one model and
    collection beside each other."""
    of_cells = [one for cell in read(real) for one in conditions_of(source_of(cell))]
    every = dict.fromkeys([*of_cells, *map(corrected, of_cells), *published_grid()])
    return sorted(every, key=lambda one: (one.encoder, one.collection, one.ordering, one.chunker))


def _run(places: Places, chosen: Sequence[Condition], say: Say) -> dict[str, str]:
    """Run model by model and collection by collection; one that fails stops no other."""
    broken = {}
    for (encoder, collection), some in groupby(chosen, lambda one: (one.encoder, one.collection)):
        say(f"{collection} with {encoder}")
        try:
            running.run(list(some), places)
        except (ValueError, RuntimeError, OSError) as error:
            broken[f"{collection} with {encoder}"] = str(error)
    return broken


def _study(places: Places, say: Say) -> dict[str, str]:
    broken = {}
    for name in STUDIES:
        say(f"study {name}")
        try:
            study_runs.run(places, experiments.of(experiments.module_of(name)))
        except (ValueError, RuntimeError, OSError) as error:
            broken[f"study {name}"] = str(error)
    return broken


def _judge(places: Places, say: Say) -> dict[str, str]:
    """Judge every published cell; those that nothing could be compared with, and why."""
    table = side_by_side.compare(places, Library(places))
    table.insert(0, "rehearsal", SENTENCE)
    write_csv(places.results / "comparison.csv", table.drop(columns="place"))
    counts = table["verdict"].value_counts().sort_index()
    say("published cells: " + ", ".join(f"{number} {name}" for name, number in counts.items()))
    waiting = table[table["verdict"] == "not_run"]
    names = [" ".join(row) for row in waiting[list(KEYS)].fillna("").astype(str).to_numpy()]
    return dict(zip(names, waiting["needs"], strict=True))
