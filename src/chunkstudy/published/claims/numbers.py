"""Numbers that a claim speaks of: a pandas Series, its index levels named as a table's columns.

Arithmetic is that of pandas: two Series meet on the levels they share, and what only one of them
has is missing, which every predicate leaves out. A number by itself is a float.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.published.claims.outcomes import ClaimError
from chunkstudy.runs.display_names import shown

LISTED = 8
"""Numbers that figures list one by one; of more they give the range."""


def keyed(frame: pd.DataFrame, keys: tuple[str, ...], value: str, where: dict[str, Any]) -> Any:
    """A column of numbers by the columns that name them; a float without any such column.

    Args:
        frame: a table; an empty one has no numbers.
        value: the column of numbers; rows without one are left out.

    Raises:
        ClaimError: if a column is not there or holds no numbers, or the keys name several rows.
    """
    if frame.empty:
        frame = pd.DataFrame(columns=list(dict.fromkeys([*keys, *where, value])))
    if missing := [name for name in (*keys, *where, value) if name not in frame.columns]:
        raise ClaimError(f"there is no column {', '.join(missing)}")
    for name, values in where.items():
        frame = frame[among(frame[name], values)]
    try:
        numbers = pd.to_numeric(frame[value]).astype(float)
    except ValueError as error:
        raise ClaimError(f"{value} does not hold numbers: {error}") from error
    if keys:
        columns = frame[list(keys)]
        numbers.index = (
            pd.MultiIndex.from_frame(columns) if len(keys) > 1 else pd.Index(columns[keys[0]])
        )
    numbers = numbers.dropna()
    if numbers.index.has_duplicates or (not keys and len(numbers) > 1):
        raise ClaimError(f"the keys {', '.join(keys) or 'none'} name several cells; add a key")
    return numbers if keys else _single(numbers)


def among(names: Any, values: str | list[str]) -> Any:
    """Where a column or an index level has the value, or one of them."""
    return names.astype(str).isin([values] if isinstance(values, str) else values)


def pick(numbers: Any, **where: str | list[str]) -> Any:
    """The numbers of these rows; a level that has one given value is settled and leaves."""
    for name, values in where.items():
        numbers = numbers[among(numbers.index.get_level_values(name), values)]
    for name in (name for name, values in where.items() if isinstance(values, str)):
        if numbers.index.nlevels == 1:
            return _single(numbers)
        numbers = numbers.droplevel(name)
    return numbers


def _single(numbers: pd.Series) -> float:
    """The one number, of numpy, by which zero is no fault to divide."""
    return numbers.iloc[0] if len(numbers) else np.float64("nan")


def without(numbers: pd.Series, **rows: str | list[str]) -> pd.Series:
    """All but these rows."""
    for name, values in rows.items():
        numbers = numbers[~among(numbers.index.get_level_values(name), values)]
    return numbers


def over(numbers: pd.Series, *levels: str) -> Any:
    """What ``.mean()``, ``.max()`` and so on then take over these levels, for each of the others.

    Raises:
        ClaimError: if there is no such level.
    """
    if missing := [name for name in levels if name not in numbers.index.names]:
        raise ClaimError(f"there is no level {', '.join(missing)} to take numbers over")
    rest = [name for name in numbers.index.names if name not in levels]
    return numbers.groupby(level=rest, sort=False) if rest else numbers


def ranks(numbers: pd.Series, level: str = "chunker") -> pd.Series:
    """The rank of each along a level, 1 for the highest; equal ones share the better rank."""
    return over(numbers, level).rank(ascending=False, method="min")


def spread(numbers: pd.Series, *levels: str) -> Any:
    """The highest minus the lowest over these levels."""
    return over(numbers, *levels).max() - over(numbers, *levels).min()


def each(one: pd.Series, other: pd.Series) -> pd.Series:
    """Every chunker minus every other, the other levels being the same."""
    parts = {name: one - pick(other, chunker=name) for name in other.index.unique("chunker")}
    return in_order(together("and chunker", parts), one)


def in_order(found: pd.Series, of: pd.Series) -> pd.Series:
    """Numbers in the order of those that they were made of."""
    rows: Any = found.index
    if extra := [name for name in rows.names if name not in of.index.names]:
        rows = rows.droplevel(extra)
    if rows.nlevels > 1:
        rows = rows.reorder_levels(of.index.names)
    return found.iloc[of.index.get_indexer(rows).argsort(kind="stable")]


def correlation(one: pd.Series, other: pd.Series, along: str, method: Any = "spearman") -> Any:
    """The correlation of two along a level, for each of the levels that remain."""
    both = pd.DataFrame({"one": one + 0 * other, "other": other + 0 * one}).dropna()
    rest = [name for name in both.index.names if name != along]
    if not rest:
        return float(both["one"].corr(both["other"], method=method))
    groups = both.groupby(level=rest if len(rest) > 1 else rest[0])
    found = {key: part["one"].corr(part["other"], method=method) for key, part in groups}
    return pd.Series(found, groups.size().index, dtype=float)


def percent_over(one: Any, other: Any) -> Any:
    """By how many percent one is above the other."""
    return 100 * (one / other - 1)


def stated(numbers: Mapping[str, float], level: str) -> pd.Series:
    """Numbers that the text states, by the values of a level."""
    return pd.Series(numbers, dtype=float).rename_axis(level)


def together(level: str, parts: Mapping[str, Any]) -> pd.Series:
    """Several numbers by name, which becomes a level."""
    series = {name: part for name, part in parts.items() if isinstance(part, pd.Series)}
    if not series:
        return stated(parts, level)
    found = pd.concat(series, names=[level])
    last: Any = [*found.index.names[1:], level]
    return found.reorder_levels(last)


def names_of(numbers: pd.Series) -> list[str]:
    """Each number by the values of its levels, as readers know them."""
    if None in numbers.index.names:
        return [""] * len(numbers)
    levels = [str(name).removeprefix("and ") for name in numbers.index.names]
    rows = numbers.index if numbers.index.nlevels > 1 else [(one,) for one in numbers.index]
    return [
        ", ".join(shown(level, one) for level, one in zip(levels, row, strict=True)) for row in rows
    ]


def as_series(numbers: Any) -> pd.Series:
    """The numbers that are there."""
    found = numbers if isinstance(numbers, pd.Series) else pd.Series([numbers], dtype=float)
    return found.dropna()


def listed(numbers: Any, label: str = "", form: str = "{:.4g}") -> str:
    """``label a (1), b (2)``, or ``label 1 to 9`` where there are many; empty without any."""
    found = as_series(numbers)
    if found.empty:
        return ""
    if len(found) > LISTED:
        text = f"{form.format(found.min())} to {form.format(found.max())}"
    else:
        pairs = zip(names_of(found), found, strict=True)
        text = ", ".join(named(name, form.format(number)) for name, number in pairs)
    return f"{label} {text}".strip()


def pairs(numbers: pd.Series, form: str = "{:.2f}") -> str:
    """``name value, name value``."""
    return ", ".join(f"{key} {form.format(value)}" for key, value in numbers.items())


def named(name: str, number: str) -> str:
    """``name (number)``, or the number."""
    return f"{name} ({number})" if name else number
