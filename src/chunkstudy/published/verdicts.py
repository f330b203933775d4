"""What a reproduced value says of a published cell: which printed strings it could have given.

`exact` needs every printed digit. Of a cell that lost all but its first digit the magnitude is
taken from the report's whole tables, where a recall has two digits before the point and a
precision one; it is `consistent` with a value that prints so, which is weaker: see
:func:`chunkstudy.analysis.chroma_print.leading_digits` for how weak.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunkstudy.published.cells import Cell

VERDICTS = ("exact", "consistent", "within_stack", "deviates", "not_run")
RUN = VERDICTS[:-1]
DIGITS = {"SpanRecall": 2, "SpanPrecision": 1, "SpanIoU": 1, "PrecisionOmega": 2}
"""Before the decimal point, in percent, of the report's whole cells; a recall may be 100.0 too."""
STEP = 0.1
"""What a percent is printed to."""
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stack:
    """What re-running the published stack gave for a cell, in its unit, and in which setting."""

    low: float
    high: float
    setting: str


def verdict(cell: Cell, value: float, mean: Cell | None = None, stack: Stack | None = None) -> str:
    """One of `RUN`.

    Args:
        cell: a published cell of which something survives.
        value: the reproduced value in the printed unit, unrounded.
        mean: of a deviation, the cell of the mean beside it.
        stack: what the published stack gives when it is run again.
    """
    if cell.state == "whole":
        if fits(cell, value):
            return "exact"
    elif consistent(cell, value, mean):
        return "consistent"
    if stack is not None and within(cell, stack, mean):
        return "within_stack"
    return "deviates"


def fits(cell: Cell, value: float) -> str:
    """How the value is printed as the whole cell: ``rounded``, ``truncated``, ``either``, or not at
    all. Only sizes in tokens are known to be truncated."""
    assert cell.decimals is not None
    rounded = f"{value:.{cell.decimals}f}" == cell.published
    scale = 10**cell.decimals
    truncated = cell.unit == "token" and math.floor(value * scale) / scale == cell.value
    if rounded and truncated:
        return "either"
    return "rounded" if rounded else "truncated" if truncated else ""


def consistent(cell: Cell, value: float, mean: Cell | None = None) -> bool:
    """Whether the value prints with the digit that is left of the cell, in its magnitude."""
    return any(low <= value < high for low, high in ranges(cell, mean))


def within(cell: Cell, stack: Stack, mean: Cell | None = None) -> bool:
    """Whether a value between the lowest and the highest of the stack would print as the cell."""
    return any(low <= stack.high and stack.low < high for low, high in ranges(cell, mean))


def mean_beside(cell: Cell, cells: Mapping[tuple[str, ...], Cell]) -> Cell | None:
    """The mean that stands beside a deviation, among cells by their keys; None for other cells."""
    if cell.statistic != "std":
        return None
    return cells.get(cell.model_copy(update={"statistic": "mean"}).key)


def ranges(cell: Cell, mean: Cell | None = None) -> list[Range]:
    """The values that print as what is left of the cell, from the first up to the second.

    Args:
        cell: a published cell of which something survives.
        mean: of a deviation, the cell of the mean beside it: numbers from 0 to 100 with a mean m
            deviate by no more than the root of m (100 - m), which may leave only a smaller
            magnitude.
    """
    if cell.state == "whole":
        assert cell.decimals is not None
        step = 10.0**-cell.decimals
        return [(cell.value - step / 2, cell.value + (step if cell.unit == "token" else step / 2))]
    digits = DIGITS[cell.measure.partition("@")[0]]
    found = [_leading(cell.published, digits)]
    if cell.statistic == "mean" and digits == 2 and cell.published == "1":
        found.append((100 - STEP / 2, 100 + STEP / 2))
    if cell.statistic == "std" and found[0][0] > _most_deviation(mean):
        found = [_leading(cell.published, digits - 1)]
    return found


def _leading(digit: str, digits: int) -> Range:
    scale = 10.0 ** (digits - 1)
    return int(digit) * scale - STEP / 2, (int(digit) + 1) * scale - STEP / 2


def _most_deviation(mean: Cell | None) -> float:
    """The most that numbers from 0 to 100 can deviate, by what is left of their mean."""
    if mean is None or mean.state == "lost":
        return 50.0
    return max(math.sqrt(m * (100 - m)) for low, high in ranges(mean) for m in _worst(low, high))


def _worst(low: float, high: float) -> Iterator[float]:
    """The means at which a deviation can be largest."""
    yield from (min(max(m, 0.0), 100.0) for m in (low, high))
    if low <= 50 <= high:
        yield 50.0
