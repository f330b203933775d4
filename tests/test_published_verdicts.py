"""A verdict says which printed strings a value could have given, no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkstudy.base.places import Places
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.published.cells import Cell, read
from chunkstudy.published.verdicts import fits, printed_ends, verdict, within

CELLS = read(Places(Path(__file__).parents[1]))
RECALL = next(c for c in CELLS if c.measure == "SpanRecall@5" and c.statistic == "mean")


def whole(text: str, unit: str = "percent") -> Cell:
    decimals = len(text.partition(".")[2])
    return changed(published=text, decimals=decimals, unit=unit)


def changed(**values: object) -> Cell:
    return Cell.model_validate(RECALL.model_dump() | values)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("29.9", 29.942, "exact"),
        ("29.9", 29.96, "deviates"),
        ("29.9", 35.0, "deviates"),
        ("29.9", 25.0, "deviates"),
        ("0.7", 0.65, "exact"),
    ],
)
def test_exact_is_every_printed_digit_and_better_is_no_excuse(
    text: str, value: float, expected: str
) -> None:
    assert verdict(whole(text), value) == expected


@pytest.mark.parametrize(
    ("value", "how"), [(312.2, "either"), (312.99, "truncated"), (311.7, "rounded"), (314.2, "")]
)
def test_a_size_may_be_truncated_and_it_is_said_which_fits(value: float, how: str) -> None:
    assert fits(whole("312", unit="token"), value) == how
    assert (verdict(whole("312", unit="token"), value) == "exact") == bool(how)


def test_a_percent_is_never_taken_as_truncated() -> None:
    assert verdict(whole("78.9"), 78.96) == "deviates"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (78.2, 78.6, True),
        (78.54, 78.9, True),
        (78.56, 78.9, False),
        (77.0, 78.44, False),
        (78.5, 78.5, True),
    ],
)
def test_a_cell_is_within_the_stack_if_a_value_of_its_spread_prints_so(
    low: float, high: float, expected: bool
) -> None:
    found = verdict(whole("78.5"), 78.9, stack=Interval(low, high))
    assert found == ("within_stack" if expected else "deviates")


def test_the_stack_decides_only_where_the_value_itself_does_not_fit() -> None:
    wide = Interval(0.0, 100.0)
    assert verdict(whole("78.5"), 78.52, stack=wide) == "exact"


def test_every_cell_is_exact_in_the_middle_of_what_prints_so_and_not_at_its_end() -> None:
    for cell in CELLS:
        low, high = printed_ends(cell.published, truncated=cell.unit == "token")
        middle = (low + high) / 2
        assert verdict(cell, middle) == "exact", cell
        assert within(cell, Interval(middle, middle))
        assert not within(cell, Interval(high, high + 1))
