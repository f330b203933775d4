"""The few predicates that decide a claim's readings.

A sentence is taken for universal: :func:`every` compares each number with a bound, :func:`within`
holds numbers against a stated range and :func:`reaches` its ends, :func:`ranked` looks at the rank
of a row, :func:`equal` at stated or other numbers, :func:`reproduced` at whether published cells
came out again, and one counterexample contradicts. A sentence that says less names its quantifier:
:func:`some`, :func:`most`. :func:`code` compares what the official code does with what the sentence
says, :func:`once` waits for what is not at hand, and :func:`beyond` says why nothing here can tell.

``label`` is what figures call the numbers, ``form`` how they show each; ``digits`` to how many
decimals numbers are rounded first; bounds are ``above``, ``below``, ``at_least``, ``at_most``.
Without any number an outcome is open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.numbers import (
    among,
    as_series,
    in_order,
    listed,
    named,
    names_of,
    ranks,
)
from chunkstudy.published.claims.outcomes import (
    ClaimError,
    Outcome,
    counted,
    decide,
    unanswered,
)
from chunkstudy.runs.display_names import shown
from chunkstudy.runs.needs import parse

SLACK = 1e-9
"""Of sums and differences of the decimal numbers that tables print."""
NEEDED = "the records, facts or study it is counted from: `chunkstudy run` and `chunkstudy study`"
REASONS = 3
"""Reasons why cells have no record that a claim names at most."""
FORM = "{:.4g}"


def every(
    numbers: Any, label: str = "", form: str = FORM, *, digits: int | None = None, **bounds: float
) -> Outcome:
    """Every number has to meet the bounds; one that does not contradicts the claim."""
    found = as_series(numbers)
    return _each("every", found, _met(found, digits, bounds), listed(found, label, form))


def some(
    numbers: Any, label: str = "", form: str = FORM, *, digits: int | None = None, **bounds: float
) -> Outcome:
    """Some of the numbers have to meet the bounds."""
    return _quantified("some", numbers, label, form, digits, bounds)


def most(
    numbers: Any, label: str = "", form: str = FORM, *, digits: int | None = None, **bounds: float
) -> Outcome:
    """More than half of the numbers have to meet the bounds."""
    return _quantified("most", numbers, label, form, digits, bounds)


def within(
    numbers: Any, low: float, high: float, label: str = "", form: str = FORM, *, digits: int = 0
) -> Outcome:
    """The numbers, rounded as the statement is, have to lie in the stated range."""
    found = as_series(numbers)
    met = _met(found, digits, {"at_least": low, "at_most": high})
    return _each("range", found, met, listed(found, label, form))


def reaches(
    numbers: Any, low: float, high: float, label: str = "", form: str = FORM, *, digits: int = 0
) -> Outcome:
    """The smallest and the largest number have to be the ends of the stated range, rounded."""
    found = as_series(numbers)
    if found.empty:
        return _nothing("range")
    rounded = found.round(digits)
    ends = {
        f"from {low:g}": abs(rounded.min() - low) < SLACK,
        f"to {high:g}": abs(rounded.max() - high) < SLACK,
    }
    return counted(ends, listed(found, label, form), predicate="range")


def ranked(numbers: pd.Series, rows: str | list[str], last: int, first: int = 1) -> Outcome:
    """The row has to have the stated rank among all: ``first`` to ``last``, 1 the highest."""
    numbers = as_series(numbers)
    names = numbers.index.get_level_values("chunker")
    found = ranks(numbers)[among(names, rows)]
    if isinstance(rows, str) and len(found):
        found = found.droplevel("chunker") if found.index.nlevels > 1 else found.set_axis([None])
    text = f"{listed(found, 'rank', '{:.0f}')} of {names.nunique()}"
    return _each("rank", found, (found >= first) & (found <= last), text)


def equal(
    numbers: Any,
    to: Any,
    label: str = "",
    form: str = FORM,
    *,
    allowed: float = 0,
    digits: int | None = None,
) -> Outcome:
    """The numbers have to equal the stated ones, or others of the same levels, but for what is
    allowed."""
    one, two = (numbers, to) if digits is None else (round(numbers, digits), round(to, digits))
    apart = as_series(abs(one - two))
    if apart.empty:
        return _nothing("equal")
    found = as_series(numbers + 0 * apart if isinstance(numbers, pd.Series) else numbers)
    if isinstance(numbers, pd.Series):
        found, apart = in_order(found, numbers), in_order(apart, numbers)
    largest = float(apart.max())
    furthest = f"{largest:.2g}" if largest < 100 else f"{largest:,.0f}"
    text = f"furthest apart by {furthest}; {listed(found, label, form)}"
    return _each("equal", found, apart <= allowed + SLACK, text)


def reproduced(
    evidence: Evidence, table: str, *, within_stack: bool = False, **where: str | list[str]
) -> Outcome:
    """The published cells have to come out again when they are computed here.

    A cell without a record leaves it open, unless another one is a counterexample.

    Args:
        within_stack: what running the published search again moves a cell by is allowed.

    Raises:
        ClaimError: if there is no such cell.
    """
    cells = evidence.frame("compared", table)
    for name, values in where.items():
        cells = cells[among(cells[name], values)]
    if cells.empty:
        raise ClaimError(f"no cell of {table} has {where}")
    done = cells[cells["verdict"] != "not_run"]
    waits = _needs(cells[cells["verdict"] == "not_run"])
    if done.empty:
        return unanswered(waits, f"0 of {len(cells)} cells have a record", "reproduced")
    figures = []
    if done["difference"].notna().any():
        furthest = done.iloc[int(done["difference"].abs().fillna(-1).argmax())]
        figures.append(
            f"furthest {shown('chunker', furthest['chunker'])}: published {furthest['published']}, "
            f"reproduced {furthest['reproduced']:.3f}"
        )
    if waiting := len(cells) - len(done):
        figures.append(f"{waiting} cells without a record")
    met = done["verdict"].isin(["exact", "within_stack"] if within_stack else ["exact"])
    return counted(met.tolist(), "; ".join(figures), waits, "reproduced")


def code(evidence: Evidence, fact: str, *values: str) -> Outcome:
    """What the official code does has to be what the sentence says, or one of what it covers."""
    row = evidence.code(fact)
    return decide(row["value"] in values, f"{row['says']} ({row['place']})", "code")


def once(found: Outcome, needs: str, figures: str) -> Outcome:
    """Nothing that is at hand decides it; what would is named, and decides once it is there."""
    if found.verdict == "open":
        return unanswered(needs, figures, "open")
    return replace(found, predicate="open")


def beyond(needs: str, figures: str, why: str) -> Outcome:
    """What ``needs`` something that no data of this study can ever give, and ``why``."""
    return unanswered(needs, figures, "open", why)


def _nothing(predicate: str) -> Outcome:
    return unanswered(NEEDED, "0 numbers are there to compare", predicate)


def _met(numbers: pd.Series, digits: int | None, bounds: dict[str, float]) -> pd.Series:
    """Whether each number keeps every bound that is given."""
    rounded = numbers if digits is None else numbers.round(digits)
    kept = pd.Series(True, index=numbers.index)
    for name, bound in bounds.items():
        kept &= {
            "above": rounded > bound + SLACK,
            "below": rounded < bound - SLACK,
            "at_least": rounded >= bound - SLACK,
            "at_most": rounded <= bound + SLACK,
        }[name]
    return kept


def _each(predicate: str, numbers: pd.Series, met: pd.Series, figures: str) -> Outcome:
    """Each number is a case by its name and value."""
    if numbers.empty:
        return _nothing(predicate)
    cases = {
        named(name, f"{value:.4g}"): bool(true)
        for name, value, true in zip(names_of(numbers), numbers, met, strict=True)
    }
    return counted(cases, figures, predicate=predicate)


def _quantified(
    predicate: str,
    numbers: Any,
    label: str,
    form: str,
    digits: int | None,
    bounds: dict[str, float],
) -> Outcome:
    found = as_series(numbers)
    if found.empty:
        return _nothing(predicate)
    met, of = int(_met(found, digits, bounds).sum()), len(found)
    enough = 2 * met > of if predicate == "most" else met > 0
    return decide(enough, f"{met} of {of}; {listed(found, label, form)}", predicate)


def _needs(waiting: pd.DataFrame) -> str:
    """What cells wait for, each once, and no more than a few of it."""
    found = list(dict.fromkeys(one.noun for text in waiting["needs"] for one in parse(text)))
    left = len(found) - REASONS
    more = [f"{left} more reasons in comparison.csv"] if left > 0 else []
    return "; ".join(found[:REASONS] + more)
