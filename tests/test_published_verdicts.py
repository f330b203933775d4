"""A verdict says which printed strings a value could have given, no more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkstudy.places import Places
from chunkstudy.published.cells import Cell, read
from chunkstudy.published.verdicts import (
    RUN,
    Stack,
    consistent,
    fits,
    mean_beside,
    ranges,
    verdict,
    within,
)

CELLS = read(Places(Path(__file__).parents[1]))
RECALL = next(c for c in CELLS if c.measure == "SpanRecall@5" and c.statistic == "mean")


def whole(text: str, unit: str = "percent") -> Cell:
    decimals = len(text.partition(".")[2])
    return changed(published=text, decimals=decimals, unit=unit, state="whole")


def digit(text: str, measure: str = "SpanRecall@5", statistic: str = "mean") -> Cell:
    return changed(
        published=text, decimals=None, state="leading digit", measure=measure, statistic=statistic
    )


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


def test_no_value_at_all_makes_a_cell_exact_of_which_a_digit_is_left() -> None:
    left = [cell for cell in CELLS if cell.state == "leading digit"]
    known = {cell.key: cell for cell in CELLS}
    assert len(left) > 600
    for cell in left:
        for value in np.arange(0, 100.1, 0.7):
            found = verdict(cell, float(value), mean_beside(cell, known))
            assert found in ("consistent", "deviates")


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("8", 83.4, True),
        ("8", 8.34, False),
        ("8", 79.96, True),
        ("8", 89.96, False),
        ("9", 9.4, False),
        ("9", 100.0, False),
        ("1", 100.0, True),
        ("1", 99.96, True),
        ("1", 99.4, False),
        ("1", 1.4, False),
    ],
)
def test_a_surviving_digit_agrees_in_digit_and_magnitude(
    text: str, value: float, expected: bool
) -> None:
    assert consistent(digit(text), value) is expected


def test_the_ranges_are_what_printing_gives() -> None:
    for text in "123456789":
        for value in np.arange(0, 100.06, 0.013):
            printed = f"{value:.1f}"
            same = printed[0] == text and (len(printed) == 4 or printed == "100.0")
            assert consistent(digit(text), float(value)) == same, (text, value)


def test_a_precision_has_one_digit_before_the_point() -> None:
    cell = digit("4", measure="SpanPrecision@5")
    assert consistent(cell, 4.2) and not consistent(cell, 42) and not consistent(cell, 4.96)


def test_the_magnitude_of_a_deviation_follows_from_its_mean() -> None:
    high, middle = digit("9"), digit("7")
    deviation = digit("4", statistic="std")
    assert consistent(deviation, 4.4, high) and not consistent(deviation, 44, high)
    assert consistent(deviation, 44, middle) and not consistent(deviation, 4.4, middle)
    assert consistent(deviation, 44) and not consistent(digit("7", statistic="std"), 72)


def test_no_deviation_that_its_mean_allows_is_ruled_out() -> None:
    random = np.random.default_rng(5)
    for _ in range(300):
        scores = 100 * (random.random(60) < random.random())
        texts = [f"{scores.mean():.1f}", f"{np.std(scores):.1f}"]
        if len(texts[0]) == 4 and len(texts[1]) == 4:
            mean, deviation = digit(texts[0][0]), digit(texts[1][0], statistic="std")
            assert consistent(deviation, float(np.std(scores)), mean), texts


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
    found = verdict(whole("78.5"), 78.9, stack=Stack(low, high, "any"))
    assert found == ("within_stack" if expected else "deviates")


def test_the_stack_decides_only_where_the_value_itself_does_not_fit() -> None:
    wide = Stack(0.0, 100.0, "any")
    assert verdict(whole("78.5"), 78.52, stack=wide) == "exact"
    assert verdict(digit("7"), 78.52, stack=wide) == "consistent"
    assert verdict(digit("7"), 80.2, stack=wide) == "within_stack"
    assert verdict(digit("7"), 80.2, stack=Stack(80.0, 80.4, "any")) == "deviates"


def test_every_cell_of_which_something_survives_can_be_printed() -> None:
    known = {cell.key: cell for cell in CELLS}
    for cell in CELLS:
        if cell.state != "lost" and cell.unit == "percent" and cell.work == "chroma":
            for low, high in ranges(cell, mean_beside(cell, known)):
                middle = (low + high) / 2
                assert low < high
                assert verdict(cell, middle, mean_beside(cell, known)) in RUN[:2]
                assert within(cell, Stack(middle, middle, "any"), mean_beside(cell, known))
