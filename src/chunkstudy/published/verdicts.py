"""What a reproduced value says of a published cell: which printed strings it could have given."""

from __future__ import annotations

import math

from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.published.cells import Cell

VERDICTS = ("exact", "within_stack", "deviates", "not_run")
RUN = VERDICTS[:-1]


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
