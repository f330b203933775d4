"""Where a number is expected, and how probable it is that it lies there."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from chunkstudy import statistics
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.predictions.experience import Experience, again
from chunkstudy.predictions.prints import Prints, points
from chunkstudy.predictions.rules import Rule
from chunkstudy.published.cells import Cell
from chunkstudy.statistics import agreement

SHOWS = 0.005
"""Points that four printed decimals can show; a change below it is none."""
DRAWS = 500
"""Orders drawn to see how often one is kept."""
Bounds = tuple[float | None, float | None]


def bounds(
    rule: Rule, cell: Cell, published: float | None, prints: Prints, experience: Experience | None
) -> Bounds:
    """The least and the largest number expected, open where None; see `rules.Around`.

    Args:
        rule: whose prediction it is.
        cell: for which it is made.
        published: print's number, in the unit of the bounds.
        prints: the published cells.
        experience: the rule's.

    Raises:
        PredictionError: if bounds are around print where print says nothing.
    """
    around = rule.around
    if around is None:
        return rule.low, rule.high
    if around == "zero":
        reach = rule.reach or 100 * _reach(experience)
        return (0.0 if rule.kind == "distance" else -reach), reach
    if published is None:
        raise PredictionError(f"rule {rule.name}: print gives no number for {cell}")
    if around == "direction":
        return (SHOWS, None) if published > 0 else (None, -SHOWS)
    if around == "above print":
        return published + 0.5 * 10.0 ** -(cell.decimals or 0), None
    if around == "later print":
        return _nearer_to_later(rule, cell, published, prints)
    if around == "sampling":
        assert rule.points is not None
        return statistics.fisher_interval(published, rule.points)
    if around == "printed scores":
        return _of_scores(cell, prints, _reach(experience))
    reach = rule.reach or _around_print(cell, experience)
    return published - reach, published + reach


def probability(
    rule: Rule, cells: list[Cell], published: float | None, experience: Experience | None
) -> float:
    """That the number lies between the bounds: a judgment, or what the experience gives.

    Args:
        rule: whose prediction it is.
        cells: one, or the rows of an order.
        published: print's number.
        experience: the rule's.
    """
    if rule.probability is not None:
        return rule.probability
    if rule.around == "sampling":
        return statistics.LEVEL
    assert experience is not None
    errors = experience.errors
    if rule.kind == "order":
        assert rule.low is not None
        return order_kept([points(cell) / 100 for cell in cells], rule.low, experience)
    if rule.around == "direction":
        assert published is not None
        sign = math.copysign(1.0, published)
        return again(sum(sign * (published + 100 * one) >= SHOWS for one in errors), len(errors))
    if rule.around == "above print":
        return again(sum(one > 0 for one in errors), len(errors))
    if rule.around is None:
        low = -math.inf if rule.low is None else rule.low / 100
        high = math.inf if rule.high is None else rule.high / 100
        return again(sum(low <= one <= high for one in errors), len(errors))
    reached = experience.reach()[1]
    # Of two scores each may be off: at least so often neither is.
    return 2 * reached - 1 if rule.around == "printed scores" else reached


def surprise(
    cell: Cell,
    unit: str,
    published: float | None,
    expected: Bounds,
    learned: Mapping[str, Experience],
) -> float:
    """The share of earlier reproductions that were nearer to print than the bounds are.

    Args:
        cell: for which a number is expected.
        unit: of the number.
        published: print's number.
        expected: the bounds.
        learned: experiences by name; there is none of correlations, which surprise nobody here.
    """
    if published is None:
        return 0.0
    low, high = expected
    below = 0.0 if low is None else low - published
    above = 0.0 if high is None else published - high
    apart = max(below, above, 0.0)
    name, scale = {
        "point": ("two-works-gains", 100.0),
        "fraction": ("two-works", 1.0),
        "percent": ("two-works", 100.0),
    }.get(unit, ("", 0.0))
    if unit == "percent" and cell.statistic == "relative change":
        name, scale = "two-works-changes", 1.0
    if unit == "percent" and cell.work == "chroma":
        name, scale = "chroma-means", published
    if not apart or not name:
        return 0.0
    errors = learned[name].errors
    return sum(abs(scale * one) < apart for one in errors) / len(errors)


def order_kept(printed: list[float], least: float, experience: Experience) -> float:
    """How often tau-b to the printed order is no less if every score is off like earlier ones."""
    random = np.random.default_rng(0)
    scores = np.array(printed)
    errors = random.choice(experience.errors, (DRAWS, len(scores)))
    scale = scores if experience.unit == "relative" else 1.0
    taus = [agreement.kendall(scores, drawn).tau for drawn in scores + errors * scale]
    return again(sum(tau >= least for tau in taus), DRAWS)


def _reach(experience: Experience | None) -> float:
    assert experience is not None
    return experience.reach()[0]


def _around_print(cell: Cell, experience: Experience | None) -> float:
    """How far the cell's number is from print at most, in its unit.

    An error in proportion does not hold what few printed digits leave open; that is added.
    """
    assert experience is not None
    reach = _reach(experience)
    if experience.unit == "relative":
        return reach * abs(cell.value) + 0.5 * 10.0 ** -(cell.decimals or 0)
    return reach * (100.0 if experience.unit == "score" and cell.unit == "percent" else 1.0)


def _nearer_to_later(rule: Rule, cell: Cell, published: float, prints: Prints) -> Bounds:
    """From the middle between both prints on, towards the later one."""
    table = prints.frame
    keys = ["collection", "chunker", "encoder", "ordering"]
    same = (table[keys] == [getattr(cell, name) for name in keys]).all(axis=1)
    later = table[same & (table["work"] == "taxonomy") & table["table"].isin(["3", "5"])]
    if len(later) != 1:
        raise PredictionError(f"rule {rule.name}: no later work printed {cell}")
    other = points(prints.cells[later.index[0]])
    middle = (published + other) / 2
    return (middle, None) if other > published else (None, middle)


def _of_scores(cell: Cell, prints: Prints, reach: float) -> Bounds:
    """The least and the largest change, percent, if both printed scores are off that far."""
    table = prints.frame
    keys = ["work", "collection", "chunker", "encoder"]
    same = (table[keys] == [getattr(cell, name) for name in keys]).all(axis=1)
    scores = table[same & table["table"].isin(["3", "5"])].set_index("table")["value"].to_dict()
    low = scores["5"] * (1 - reach) / (scores["3"] * (1 + reach))
    high = scores["5"] * (1 + reach) / (scores["3"] * (1 - reach))
    return 100 * (low - 1), 100 * (high - 1)
