"""The few predicates that decide a claim's readings.

A sentence is taken for universal: :func:`every` compares each number with a bound, :func:`within`
holds numbers against a stated range and :func:`reaches` its ends, :func:`ranked` looks at the rank
of a row, :func:`equal` at stated or other numbers, :func:`reproduced` at whether published cells
came out again, and one counterexample contradicts. A sentence that says less names its quantifier:
:func:`some`, :func:`most`. :func:`code` compares what the official code does with what the sentence
says, :func:`once` waits for what is not at hand, and :func:`beyond` says why nothing here can tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.numbers import as_series, in_order, listed, named, names_of, ranks
from chunkstudy.published.claims.outcomes import (
    ClaimError,
    Outcome,
    counted,
    decide,
    unanswered,
)
from chunkstudy.runs.display_names import shown

SLACK = 1e-9
"""Of sums and differences of the decimal numbers that tables print."""
NEEDED = "the records, facts or study it is counted from: `chunkstudy run` and `chunkstudy study`"
NOTHING = unanswered(NEEDED, "0 numbers are there to compare")
REASONS = 3
"""Reasons why cells have no record that a claim names at most."""


def every(
    numbers: Any,
    *,
    label: str = "",
    form: str = "{:.4g}",
    digits: int | None = None,
    **bounds: float,
) -> Outcome:
    """Every number has to meet the bound; one that does not contradicts the claim.

    Args:
        numbers: what is compared.
        label: what they are.
        form: how figures show each.
        digits: to how many decimals they are rounded first.
        bounds: ``above``, ``below``, ``at_least``, ``at_most``.
    """
    found = as_series(numbers)
    if found.empty:
        return _of("every", NOTHING)
    text = listed(found, label, form)
    return _of("every", counted(_cases(found, _met(found, digits, bounds)), text))


def some(
    numbers: Any,
    *,
    label: str = "",
    form: str = "{:.4g}",
    digits: int | None = None,
    **bounds: float,
) -> Outcome:
    """Some of the numbers have to meet the bound, as :func:`every` has them."""
    return _quantified("some", numbers, label, form, digits, bounds)


def most(
    numbers: Any,
    *,
    label: str = "",
    form: str = "{:.4g}",
    digits: int | None = None,
    **bounds: float,
) -> Outcome:
    """More than half of the numbers have to meet the bound, as :func:`every` has them."""
    return _quantified("most", numbers, label, form, digits, bounds)


def within(
    numbers: Any, low: float, high: float, *, digits: int = 0, label: str = "", form: str = "{:.4g}"
) -> Outcome:
    """The numbers, rounded as the statement is, have to lie in the stated range."""
    found = as_series(numbers)
    if found.empty:
        return _of("range", NOTHING)
    met = _met(found, digits, {"at_least": low, "at_most": high})
    return _of("range", counted(_cases(found, met), listed(found, label, form)))


def reaches(
    numbers: Any, low: float, high: float, *, digits: int = 0, label: str = "", form: str = "{:.4g}"
) -> Outcome:
    """The smallest and the largest number have to be the ends of the stated range, rounded."""
    found = as_series(numbers)
    if found.empty:
        return _of("range", NOTHING)
    rounded = found.round(digits)
    ends = {
        f"from {low:g}": abs(rounded.min() - low) < SLACK,
        f"to {high:g}": abs(rounded.max() - high) < SLACK,
    }
    return _of("range", counted(ends, listed(found, label, form)))


def ranked(
    numbers: pd.Series, rows: str | list[str], last: int, first: int = 1, level: str = "chunker"
) -> Outcome:
    """The row has to have the stated rank among all: ``first`` to ``last``, 1 the highest."""
    numbers = as_series(numbers)
    at = numbers.index.get_level_values(level).isin([rows] if isinstance(rows, str) else rows)
    found = ranks(numbers, level)[at]
    if found.empty:
        return _of("rank", NOTHING)
    if isinstance(rows, str):
        found = found.droplevel(level) if found.index.nlevels > 1 else found.set_axis([None])
    of = numbers.index.get_level_values(level).nunique()
    text = f"{listed(found, 'rank', '{:.0f}')} of {of}"
    return _of("rank", counted(_cases(found, (found >= first) & (found <= last)), text))


def equal(
    numbers: Any,
    to: Any,
    *,
    allowed: float = 0,
    digits: int | None = None,
    label: str = "",
    form: str = "{:.4g}",
) -> Outcome:
    """The numbers have to equal the stated ones, or others of the same levels.

    Args:
        numbers: what is compared.
        to: with what.
        allowed: what they may be apart.
        digits: at how many decimals they are compared instead.
        label: what they are.
        form: how figures show each.
    """
    one, two = (numbers, to) if digits is None else (round(numbers, digits), round(to, digits))
    apart = as_series(abs(one - two))
    if apart.empty:
        return _of("equal", NOTHING)
    found = as_series(numbers + 0 * apart if isinstance(numbers, pd.Series) else numbers)
    if isinstance(numbers, pd.Series):
        found, apart = in_order(found, numbers), in_order(apart, numbers)
    largest = float(apart.max())
    furthest = f"{largest:.2g}" if largest < 100 else f"{largest:,.0f}"
    text = f"furthest apart by {furthest}; {listed(found, label, form)}"
    return _of("equal", counted(_cases(found, apart <= allowed + SLACK), text))


def reproduced(
    evidence: Evidence, table: str, *, within_stack: bool = False, **where: str | list[str]
) -> Outcome:
    """The published cells have to come out again when they are computed here.

    A cell without a record leaves it open, unless another one is a counterexample.

    Args:
        evidence: what is known.
        table: such as ``chroma/minilm``.
        within_stack: what running the published search again moves a cell by is allowed.
        where: the values that a column may have.

    Raises:
        ClaimError: if there is no such cell.
    """
    cells = evidence.frame("compared", table)
    for name, values in where.items():
        cells = cells[cells[name].astype(str).isin([values] if isinstance(values, str) else values)]
    if cells.empty:
        raise ClaimError(f"no cell of {table} has {where}")
    done = cells[cells["verdict"] != "not_run"]
    if done.empty:
        text = f"0 of {len(cells)} cells have a record"
        return _of("reproduced", unanswered(_reasons(cells), text))
    figures = []
    if done["difference"].notna().any():
        furthest = done.iloc[int(done["difference"].abs().fillna(-1).argmax())]
        figures.append(
            f"furthest {shown('chunker', furthest['chunker'])}: published {furthest['published']}, "
            f"reproduced {furthest['reproduced']:.3f}"
        )
    if waiting := len(cells) - len(done):
        figures.append(f"{waiting} cells without a record")
    among = ["exact", "within_stack"] if within_stack else ["exact"]
    met = done["verdict"].isin(among).tolist()
    return _of("reproduced", counted(met, "; ".join(figures), _reasons(cells)))


def code(evidence: Evidence, fact: str, *values: str) -> Outcome:
    """What the official code does has to be what the sentence says, or one of what it covers."""
    row = evidence.code(fact)
    return _of("code", decide(row["value"] in values, f"{row['says']} ({row['place']})"))


def once(found: Outcome, needs: str, figures: str) -> Outcome:
    """Nothing that is at hand decides it; what would is named, and decides once it is there."""
    return _of("open", unanswered(needs, figures) if found.verdict == "open" else found)


def beyond(needs: str, figures: str, why: str) -> Outcome:
    """What ``needs`` something that no data of this study can ever give, and ``why``."""
    return replace(unanswered(needs, figures), predicate="open", beyond=why)


def _of(predicate: str, outcome: Outcome) -> Outcome:
    return replace(outcome, predicate=predicate)


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
        return _of(predicate, NOTHING)
    met, of = int(_met(found, digits, bounds).sum()), len(found)
    enough = 2 * met > of if predicate == "most" else met > 0
    return _of(predicate, decide(enough, f"{met} of {of}; {listed(found, label, form)}"))


def _cases(numbers: pd.Series, met: pd.Series) -> dict[str, bool]:
    return {
        named(name, f"{value:.4g}"): bool(true)
        for name, value, true in zip(names_of(numbers), numbers, met, strict=True)
    }


def _reasons(cells: pd.DataFrame) -> str:
    """Why cells have not been run, each reason once, and no more than a few of them."""
    waiting = cells[cells["verdict"] == "not_run"]
    parts = waiting["reason"].astype(str).str.split("; ").explode()
    found = list(dict.fromkeys(parts.str.replace("^(needs |.* first [^ ]+: )", "", regex=True)))
    left = len(found) - REASONS
    more = [f"{left} more reasons in comparison.csv"] if left > 0 else []
    return "; ".join(found[:REASONS] + more)
