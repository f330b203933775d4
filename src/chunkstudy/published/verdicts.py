"""What a reproduced value says of a published cell: which printed strings it could have given, and
whether the published stack gives them when it is run again."""

from __future__ import annotations

import math

from chunkstudy.core.project import Project
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.pipeline import experiment_tables
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import Source

VERDICTS = ("exact", "within_stack", "deviates", "not_run")
RUN = VERDICTS[:-1]
SEARCHED_AGAIN = "chroma-search"
"""The experiment that ran Chroma's search again, with all-MiniLM-L6-v2 on Chroma's corpora."""


class Judge:
    """Judges reproduced values, for notebooks and the comparison alike; it knows what the published
    stack gave where it was run again."""

    def __init__(self, places: Project) -> None:
        spread = at(experiment_tables.read(places, SEARCHED_AGAIN, "spread"), offsets="located")
        names = ("chunker", "part", "measure", "statistic")
        self._spread = {
            tuple(row[name] for name in names): (row["low"], row["high"])
            for row in spread.to_dict("records")
        }

    def judged(
        self, cell: Cell, source: Source, value: float, ties: Interval | None = None
    ) -> dict[str, object]:
        """What is said of a value, in the printed unit and unrounded, that was computed as a cell's
        source says: ``difference`` and ``verdict``; ``stack_low`` and ``stack_high`` where the
        stack was run again, or where ``ties`` are what another order of equal scores gives."""
        stack = ties or self.stack(cell, source)
        ends = {"stack_low": stack.low, "stack_high": stack.high} if stack else {}
        found = verdict(cell, value, stack)
        return {"difference": value - cell.value, "verdict": found, **ends}

    def stack(self, cell: Cell, source: Source) -> Interval | None:
        """The spread of a cell in its printed unit; None where nothing was run again."""
        if not isinstance(source, Condition):
            return None
        if (source.collection, source.encoder) != ("chroma", MINILM):
            return None
        key = (source.chunker, cell.part, cell.measure, cell.statistic)
        if key not in self._spread:
            return None
        low, high = self._spread[key]
        return Interval(scale_of(cell) * low, scale_of(cell) * high)


def scale_of(cell: Cell) -> float:
    """What a score, which is a fraction, is multiplied by to stand in the cell's unit."""
    return 100.0 if cell.unit == "percent" else 1.0


def verdict(cell: Cell, value: float, stack: Interval | None = None) -> str:
    """One of `RUN`: ``exact`` needs every printed digit.

    Args:
        value: the reproduced value in the printed unit, unrounded.
        stack: from the lowest to the highest that the published stack gives when it is run again.
    """
    if prints(cell, value):
        return "exact"
    return "within_stack" if stack is not None and within(cell, stack) else "deviates"


def prints(cell: Cell, value: float) -> bool:
    """Whether a value is printed as the cell, rounded or, as only sizes in tokens are known to be,
    truncated."""
    scale = 10**cell.decimals
    truncated = cell.unit == "token" and math.floor(value * scale) / scale == cell.value
    return truncated or float(f"{value:.{cell.decimals}f}") == cell.value


def within(cell: Cell, stack: Interval) -> bool:
    """Whether a value between the lowest and the highest of the stack would print as the cell."""
    low, high = printed_ends(cell)
    return low <= stack.high and stack.low < high


def printed_ends(cell: Cell) -> tuple[float, float]:
    """The values that print as the cell, from the first up to the second; of a size, which may be
    truncated, up to the next printed number."""
    step = 10.0**-cell.decimals
    return cell.value - step / 2, cell.value + (step if cell.unit == "token" else step / 2)
