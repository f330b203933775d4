"""Published cells beside reproduced ones, with a verdict each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.published.cells import COLUMNS as CELL_COLUMNS
from chunkstudy.published.cells import Cell, frame, read
from chunkstudy.published.sources import (
    Change,
    Mean,
    NoCondition,
    Similarity,
    Source,
    conditions_of,
    pattern,
    source_of,
    with_conditions,
    work_of,
)
from chunkstudy.published.verdicts import Stack, fits, verdict
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import LARGE, MINILM, Condition
from chunkstudy.runs.library import Library
from chunkstudy.runs.needs import weights_needed
from chunkstudy.runs.published_grid import corrected

SIZES = {LARGE: ("cl100k", 0), models.parse_slug(MINILM)[0]: ("wordpiece", 2)}
"""What Chroma's chunk sizes count, by model: the unit, and the special tokens on top of it."""
NUMBERS = ["reproduced", "corrected", "difference", "low", "high", "stack_low", "stack_high"]
BESIDE = ["protocol", "run", *NUMBERS, "setting", "verdict", "fits", "reason"]
COLUMNS = [*CELL_COLUMNS, *BESIDE]
COMPUTED = "computed from"
"""How the reason of a cell begins that several conditions make."""
SEARCHED_AGAIN = "chroma-search"
"""The experiment that ran Chroma's search again, with all-MiniLM-L6-v2 on Chroma's corpora."""
OFFICIAL = {"insertion": "official", "search list": 50, "offsets": "located"}
"""The one setting of it whose spread decides whether a published cell lies within the stack's, so
that it is measured for every one of them."""
SETTING = f"{SEARCHED_AGAIN}, official"
"""That setting, as the column ``setting`` names it."""


def compare(
    places: Places,
    library: Library,
    cells: Sequence[Cell] | None = None,
    source: Callable[[Cell], Source] = source_of,
) -> pd.DataFrame:
    """A row per published cell: what it says, what was reproduced, and a verdict.

    Args:
        places: of the cells, and of what measured the published stack and similarities.
        library: the records.
        cells: every published one unless named.
        source: what a cell is judged by.

    Returns:
        The columns `COLUMNS`. What was reproduced stands in the printed unit, unrounded; NaN where
        there is none. ``stack_low`` and ``stack_high`` are what the published stack gave when run
        again in ``setting``; ``fits`` says whether an exact cell was rounded or truncated.
    """
    cells = read(places) if cells is None else cells
    comparison = _Comparison(places, library)
    beside = pd.DataFrame([comparison.row(cell, source(cell)) for cell in cells], columns=BESIDE)
    return frame(cells).join(beside.astype(dict.fromkeys(NUMBERS, float)))


def needs_of(reason: str) -> list[str]:
    """What a cell waits for, one by one, from its column ``reason``."""
    if reason.startswith(COMPUTED):
        reason = reason.split(": ", 1)[1]
    return reason.split("; ")


@dataclass(frozen=True)
class Reproduced:
    """A cell's value from records, in its printed unit."""

    value: float
    low: float = math.nan
    high: float = math.nan
    """The interval of a mean over queries; NaN for anything else."""


class Stacks:
    """What the published stack gave, where it was run again."""

    def __init__(self, places: Places) -> None:
        self._spread = _stacks(places)

    def of(self, cell: Cell, source: Source | None) -> Stack | None:
        """The spread of a cell in its printed unit; None where nothing was run again."""
        if not isinstance(source, Condition):
            return None
        if (source.collection, source.encoder) != ("chroma", MINILM):
            return None
        key = (source.chunker, cell.part, cell.measure, cell.statistic)
        if key not in self._spread:
            return None
        low, high = self._spread[key]
        return Stack(scale_of(cell) * low, scale_of(cell) * high, SETTING)


def scale_of(cell: Cell) -> float:
    """What a score, which is a fraction, is multiplied by to stand in the cell's unit."""
    return 100.0 if cell.unit == "percent" else 1.0


class _Comparison:
    """Published cells against the records of one library."""

    def __init__(self, places: Places, library: Library) -> None:
        self.library = library
        self.stacks = Stacks(places)
        self.similarities = _similarities(places)
        self._scores: dict[tuple[Condition, str, str], pd.Series] = {}

    def row(self, cell: Cell, source: Source) -> dict[str, object]:
        """What stands beside a cell; numbers that there are none of have no entry."""
        row: dict[str, object] = {
            "protocol": work_of(cell).protocol,
            "run": "",
            "setting": "",
            "verdict": "not_run",
            "fits": "",
            "reason": "",
        }
        if isinstance(source, NoCondition):
            return row | {"reason": source.reason}
        if isinstance(source, Similarity):
            return row | self._similarity(cell, source)
        row |= {"run": pattern(source), "protocol": next(conditions_of(source)).protocol}
        if reason := self._why_missing(source):
            return row | {"reason": reason}
        ours = self._reproduced(cell, source)
        row |= {"low": ours.low, "high": ours.high}
        twin = with_conditions(source, corrected)
        if all(self.library.get(one) for one in conditions_of(twin)):
            row["corrected"] = self._reproduced(cell, twin).value
        return row | self._judged(cell, ours, source)

    def _judged(
        self, cell: Cell, ours: Reproduced, source: Source | None = None
    ) -> dict[str, object]:
        stack = self.stacks.of(cell, source)
        row: dict[str, object] = {
            "reproduced": ours.value,
            "difference": ours.value - cell.value,
            "verdict": verdict(cell, ours.value, stack),
            "fits": fits(cell, ours.value),
        }
        if stack is not None:
            row |= {"stack_low": stack.low, "stack_high": stack.high, "setting": stack.setting}
        return row

    def _similarity(self, cell: Cell, source: Similarity) -> dict[str, object]:
        found = self.similarities
        if len(found):
            own = (found["encoder"] == source.model) & (found["chunk"] == source.chunk)
            found = found[own]
        if found.empty:
            needs = weights_needed(models.spec(source.model))
            return {"reason": "; ".join([*map(str, needs), "needs `chunkstudy study berlin` then"])}
        measured = found.iloc[0]
        row: dict[str, object] = {"run": "studies/berlin"}
        if source.arm != "plain":
            row["corrected"] = float(measured["late"])
        return row | self._judged(cell, Reproduced(float(measured[source.arm])))

    def _why_missing(self, source: Source) -> str:
        """Why a cell has no score: what its condition needs, or all that several need."""
        wanted = list(dict.fromkeys(conditions_of(source)))
        missing = [one for one in wanted if self.library.get(one) is None]
        if not missing:
            return ""
        # What this machine has is left out, so that the table is the same everywhere.
        needs = dict.fromkeys(need for one in missing for need in one.needs())
        reason = "; ".join(map(str, needs)) or f"open: run `chunkstudy run --only '{missing[0]}'`"
        if len(wanted) == 1:
            return reason
        left = "none of which was" if len(missing) == len(wanted) else f"{len(missing)} not"
        return f"{COMPUTED} {len(wanted)} conditions, {left} run: {reason}"

    def _reproduced(self, cell: Cell, source: Source) -> Reproduced:
        """The cell's value, all of whose conditions have records."""
        if isinstance(source, Mean):
            parts = [self._reproduced(cell, part) for part in source.parts]
            return Reproduced(statistics.mean([part.value for part in parts]))
        if isinstance(source, Change):
            before, after = (
                statistics.mean(self._values(cell, one)) for one in conditions_of(source)
            )
            return Reproduced(100 * (after / before - 1))
        assert isinstance(source, Condition)
        if cell.measure == "chunk size":
            record = self.library.get(source)
            assert record is not None
            unit, special_tokens = SIZES[cell.encoder]
            return Reproduced(record.run.sizes[unit].mean + special_tokens)
        values = scale_of(cell) * self._values(cell, source)
        if cell.statistic == "std":
            return Reproduced(statistics.population_std(values))
        interval = statistics.bootstrap_interval(values)
        return Reproduced(statistics.mean(values), interval.low, interval.high)

    def _values(self, cell: Cell, condition: Condition) -> pd.Series:
        """Scores by query, read once for all cells that rest on them."""
        key = (condition, cell.measure, cell.part)
        if key not in self._scores:
            record = self.library.get(condition)
            assert record is not None
            self._scores[key] = self.library.values(record, cell.measure, cell.part)
        return self._scores[key]


def _similarities(places: Places) -> pd.DataFrame:
    """The cosines of Jina's example that were measured here; no row where none were."""
    return study_results.read(places, "berlin")


def _stacks(places: Places) -> dict[tuple[str, ...], tuple[float, float]]:
    """The lowest and highest of every cell under the official setting, as fractions, by chunker,
    corpus, measure and statistic; none where the search was not run."""
    found = study_results.read(places, SEARCHED_AGAIN, "spread")
    for column, value in OFFICIAL.items():
        found = found[found[column] == value] if len(found) else found
    return {
        (row["chunker"], row["part"], row["measure"], row["statistic"]): (row["low"], row["high"])
        for row in found.to_dict("records")
    }
