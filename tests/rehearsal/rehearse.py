"""The rehearsal from beginning to end: run the published grid, judge every published cell, say what
is missing.

It keeps everything below one folder and begins anew there when the code has changed, so that a
rehearsal that was stopped goes on and one that passed says something of today's code.
"""

from __future__ import annotations

import fnmatch
import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pandas as pd

import chunkstudy
from chunkstudy.base.files import sha256, write_text
from chunkstudy.base.places import Places
from chunkstudy.published import side_by_side
from chunkstudy.published.cells import read
from chunkstudy.published.sources import conditions_of, source_of
from chunkstudy.runs import records, running, study_runs
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library
from chunkstudy.runs.published_grid import corrected, published_grid
from chunkstudy.show.formats import write_csv
from tests.rehearsal import marks
from tests.rehearsal.stand import standing

STUDIES = ("berlin", "document-lengths", "chunk-sizes")
"""Those that published cells wait for."""
TESTS = Path(__file__).parents[1]
Say = Callable[[str], object]


class RehearsalError(RuntimeError):
    """What the rehearsal found missing or broken; the message says what and how much."""


@dataclass(frozen=True)
class Found:
    """What a rehearsal came to.

    Attributes:
        conditions: how many there are, and how many of them have records.
        missing: conditions without a record, and why.
        cells: published cells by verdict.
        not_run: ids of cells that could be judged and are not, and why.
        broken: what could not be computed at all.
        seconds: it took.
    """

    conditions: tuple[int, int]
    missing: dict[str, str]
    cells: dict[str, int]
    not_run: dict[str, str]
    broken: list[str]
    seconds: float

    @property
    def whole(self) -> bool:
        return not (self.missing or self.not_run or self.broken)

    def lines(self) -> list[str]:
        """What it came to, for people."""
        every, recorded = self.conditions
        counts = ", ".join(f"{number} {name}" for name, number in sorted(self.cells.items()))
        lines = [
            f"{recorded} of {every} conditions recorded in {self.seconds:.0f} seconds",
            f"published cells: {counts}",
        ]
        lines += [f"no record of {name}: {why}" for name, why in self.missing.items()]
        lines += [f"not run: {name}: {why}" for name, why in self.not_run.items()]
        return lines + [f"broken: {one}" for one in self.broken]


def rehearse(real: Places, root: Path, only: Sequence[str] = ("*",), say: Say = print) -> Found:
    """Run the published grid and judge the published cells below ``root``.

    Args:
        real: the checkout, whose published cells are taken.
        root: the rehearsal's own folder.
        only: patterns of conditions; cells are judged where they name all.
        say: takes a line on how far it is.

    Raises:
        RehearsalError: if the folder holds something else.
    """
    started = time.monotonic()
    begin(real, root)
    everything = conditions(real)
    chosen = [one for one in everything if any(fnmatch.fnmatch(str(one), p) for p in only)]
    with standing(root) as stand:
        say(f"{len(chosen)} conditions to rehearse in {root}")
        broken = _run(stand.places, chosen, say)
        missing = {
            str(one): one.reason_not_run or "see what is broken"
            for one in chosen
            if not records.complete(stand.places.runs / one.path)
        }
        table = pd.DataFrame()
        if len(chosen) == len(everything):
            broken += _study(stand.places, say)
            say("judging published cells")
            table = side_by_side.compare(stand.places, Library(stand.places))
            write_csv(stand.places.results / "comparison.csv", table.drop(columns="place"))
    found = _found(table, (len(chosen), len(chosen) - len(missing)), missing, broken, started)
    marks.every_file(root)
    write_text(root / "rehearsal.txt", "\n".join((marks.SENTENCE, "", *found.lines(), "")))
    return found


def begin(real: Places, root: Path) -> None:
    """Make the folder ready: anew where the code or the published cells are others than last time.

    Raises:
        RehearsalError: if something else lies there.
    """
    mark, code = root / marks.FILE, root / "code.txt"
    if root.exists() and any(root.iterdir()) and not mark.is_file():
        raise RehearsalError(f"{root} holds something else than a rehearsal; name another folder")
    now = f"{_digest(real)}\n"
    if not code.is_file() or code.read_text(encoding="utf-8") != now:
        shutil.rmtree(root, ignore_errors=True)
        write_text(mark, marks.SENTENCE + "\n")
        shutil.copytree(real.results / "published", root / "results" / "published")
        write_text(code, now)


def conditions(real: Places) -> list[Condition]:
    """Every condition of the published grid and of any published cell, those of one model and
    collection beside each other."""
    of_cells = [one for cell in read(real) for one in conditions_of(source_of(cell))]
    every = dict.fromkeys([*of_cells, *map(corrected, of_cells), *published_grid()])
    return sorted(every, key=lambda one: (one.encoder, one.collection, one.ordering, one.chunker))


def _run(places: Places, chosen: Sequence[Condition], say: Say) -> list[str]:
    """Run model by model and collection by collection; one that fails stops no other."""
    broken = []
    for (encoder, collection), some in groupby(chosen, lambda one: (one.encoder, one.collection)):
        say(f"{collection} with {encoder}")
        try:
            running.run(list(some), places)
        except (ValueError, RuntimeError, OSError) as error:
            broken.append(f"{collection} with {encoder}: {error}")
    return broken


def _study(places: Places, say: Say) -> list[str]:
    broken = []
    for name in STUDIES:
        say(f"study {name}")
        try:
            study_runs.run(places, name)
        except (ValueError, RuntimeError, OSError) as error:
            broken.append(f"study {name}: {error}")
    return broken


def _found(
    judged: pd.DataFrame,
    counts: tuple[int, int],
    missing: dict[str, str],
    broken: list[str],
    started: float,
) -> Found:
    cells: dict[str, int] = {}
    not_run: dict[str, str] = {}
    if len(judged):
        cells = _counts(judged["verdict"])
        waiting = judged[judged["verdict"] == "not_run"]
        names = waiting[
            ["work", "table", "collection", "chunker", "encoder", "ordering", "measure"]
        ]
        keys = [" ".join(row) for row in names.fillna("").astype(str).to_numpy()]
        not_run = dict(zip(keys, waiting["needs"], strict=True))
    seconds = time.monotonic() - started
    return Found(counts, missing, cells, not_run, broken, seconds)


def _counts(values: pd.Series) -> dict[str, int]:
    return {str(name): int(number) for name, number in values.value_counts().items()}


def _digest(real: Places) -> str:
    """Of the code, that of the tests too, and the published cells."""
    folders = (Path(chunkstudy.__file__).parent, TESTS, real.results / "published")
    files = (
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    )
    return hashlib.sha256("".join(f"{p.name} {sha256(p)}\n" for p in files).encode()).hexdigest()
