"""What a reproduced value says of a published cell: which printed strings it could have given, and
whether the published stack gives them when it is run again."""

from __future__ import annotations

import math

from chunkstudy.base.places import Places
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.published.cells import Cell
from chunkstudy.published.sources import Source
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import MINILM, Condition

VERDICTS = ("exact", "within_stack", "deviates", "not_run")
RUN = VERDICTS[:-1]
SEARCHED_AGAIN = "chroma-search"
"""The experiment that ran Chroma's search again, with all-MiniLM-L6-v2 on Chroma's corpora."""
OFFICIAL = {"insertion": "official", "search list": 50, "offsets": "located"}
"""The one setting of it whose spread decides whether a published cell lies within the stack's, so
that it is measured for every one of them."""
SETTING = f"{SEARCHED_AGAIN}, official"
"""That setting, as the column ``setting`` names it."""
TIES = "order of equal scores"
"""What another value may come of where a work does not say how it orders them (MTEB)."""


class Judge:
    """Judges reproduced values, for notebooks and the comparison alike; it knows what the published
    stack gave where it was run again."""

    def __init__(self, places: Places) -> None:
        spread = at(study_results.read(places, SEARCHED_AGAIN, "spread"), **OFFICIAL)
        names = ("chunker", "part", "measure", "statistic")
        self._spread = {
            tuple(row[name] for name in names): (row["low"], row["high"])
            for row in spread.to_dict("records")
        }

    def judged(
        self, cell: Cell, source: Source, value: float, ties: Interval | None = None
    ) -> dict[str, object]:
        """What is said of a value, in the printed unit and unrounded, that was computed as a cell's
        source says: ``difference``, ``verdict`` and ``fits``; ``stack_low``, ``stack_high`` and
        their ``setting`` where the stack was run again, or where ``ties`` are what another order
        of equal scores gives."""
        stack = ties or self.stack(cell, source)
        judged: dict[str, object] = {
            "difference": value - cell.value,
            "verdict": verdict(cell, value, stack),
            "fits": fits(cell, value),
        }
        if stack is None:
            return judged
        return judged | {"stack_low": stack.low, "stack_high": stack.high,
                         "setting": TIES if ties else SETTING}  # fmt: skip

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
    if fits(cell, value):
        return "exact"
    return "within_stack" if stack is not None and within(cell, stack) else "deviates"


def fits(cell: Cell, value: float) -> str:
    """How the value is printed as the cell: ``rounded``, ``truncated``, ``either``, or not at all.
    Only sizes in tokens are known to be truncated."""
    rounded = float(f"{value:.{cell.decimals}f}") == cell.value
    scale = 10**cell.decimals
    truncated = cell.unit == "token" and math.floor(value * scale) / scale == cell.value
    if rounded and truncated:
        return "either"
    return "rounded" if rounded else "truncated" if truncated else ""


def within(cell: Cell, stack: Interval) -> bool:
    """Whether a value between the lowest and the highest of the stack would print as the cell."""
    low, high = printed_ends(cell.published, truncated=cell.unit == "token")
    return low <= stack.high and stack.low < high


def printed_ends(published: str, truncated: bool = False) -> tuple[float, float]:
    """The values that print so, from the first up to the second; where digits may be cut off too,
    as of sizes, up to the next printed number."""
    value, step = float(published), 10.0 ** -len(published.partition(".")[2])
    return value - step / 2, value + (step if truncated else step / 2)
