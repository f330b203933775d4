"""A value as text: how many digits, which scale, and a real minus; and a column of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from chunkstudy.core.files import write_text

SUMMED, WRITTEN = 12, 8
"""Digits of a number in a written table: more than any page shows. It is cut to more of them first,
beyond which machines disagree, so that half a unit of the last one falls the same way on all."""
MINUS = "\N{MINUS SIGN}"
Text = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is shown: its title and what makes text of a value."""

    title: str
    text: Text


Columns = Mapping[str, Column | Text]
"""By name; what is no ``Column`` has the title that it has elsewhere. ``*`` is for all numbers that
nothing else is said of."""


def decimals(value: float, digits: int = 2, scale: float = 1.0, signed: bool = False) -> str:
    """A number with so many decimals and a real minus; nothing where it is missing."""
    if pd.isna(value):
        return ""
    if math.isinf(value):
        return "beyond any number"
    sign = "+" if signed else ""
    return f"{scale * value:{sign},.{digits}f}".replace("-", MINUS)


percent = partial(decimals, digits=1, scale=100)
percent_finely = partial(decimals, digits=2, scale=100)
points = partial(decimals, digits=1, scale=100, signed=True)
points_without_sign = partial(decimals, digits=1, scale=100)
points_finely = partial(decimals, digits=2, scale=100, signed=True)
whole = partial(decimals, digits=0)
tenths = partial(decimals, digits=1)
number = partial(decimals, digits=2)
thousandths = partial(decimals, digits=3)
"""How columns are shown."""


def estimate(row: pd.Series[Any]) -> str:
    """A difference with its interval, in points."""
    value, low, high = (points(row[one]) for one in ("difference", "low", "high"))
    return f"{value} [{low}, {high}]"


def deficit(row: pd.Series[Any]) -> str:
    """The same the other way round, without a sign: by how much the first trails."""
    value, low, high = (f"{-100 * row[one]:.1f}" for one in ("difference", "high", "low"))
    return f"{value} [{low}, {high}]"


def join_words(texts: Iterable[str]) -> str:
    """Join texts as a sentence does: ``a, b and c``; nothing if there are none."""
    *first, last = list(texts) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def tokens(value: float) -> str:
    """A count of tokens, with its unit."""
    return f"{whole(value)} tokens"


def more_tokens(value: float) -> str:
    """A difference of two counts of tokens, with its unit."""
    return f"{decimals(value, 0, signed=True)} tokens"


IN_TOKENS: Mapping[Text, Text] = {
    percent: tokens, percent_finely: tokens, points: more_tokens, points_finely: more_tokens,
}  # fmt: skip
"""How a number is shown where its row's measure counts tokens, by how a fraction is."""


def significant(value: float) -> str:
    """Three digits that count, for what spans powers of ten; all of those before the point."""
    if pd.isna(value):
        return ""
    digits = 0 if value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))
    return decimals(value, digits)


def probability(value: float) -> str:
    """Three decimals, or that it is smaller than they show."""
    if pd.isna(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


FORMATS: dict[str, Text] = {
    "percent": percent,
    "points": points,
    "whole": whole,
    "tenths": tenths,
    "number": number,
    "thousandths": thousandths,
    "probability": probability,
    "shortest": "{:.3g}".format,
}
"""How ``data/titles.toml`` says that a column is shown."""


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table, numbers with as many digits as machines agree on."""
    write_text(path, table.to_csv(index=False, lineterminator="\n", float_format=_digits))


def _digits(value: object) -> str:
    return f"{float(f'{value:.{SUMMED}g}'):.{WRITTEN}g}"
