"""Frames of numbers as tables for reading: in HTML, Markdown and LaTeX.

Scores are fractions in a frame and percent in a table, their differences points; of a row whose
measure counts tokens both are tokens. An interval stands in one column, behind what it surrounds;
below stands what all rows share and how they were tested.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from chunkstudy.evaluation import measures
from chunkstudy.evaluation.measures import POINT, in_tokens
from chunkstudy.study import latex, titles
from chunkstudy.study.formats import (
    Column,
    Columns,
    Text,
    more_tokens,
    number,
    percent,
    percent_finely,
    points,
    points_finely,
    tokens,
    whole,
)

SAID_BELOW = ("family", "family_size", "interval", "margin")
HIDDEN = (*SAID_BELOW, "p_equivalent", "p_equivalent_holm", "effect")
"""Said once under a table and not in every row, before its correction, or only in the file."""
COUNTS = ("n", "documents")
"""Said once under a table of several rows that are of equally many."""
SETTINGS = ("model", "encoder", "ordering", "protocol", "measure", "arm")
"""Said once under a table of several rows that all have the same."""
PAIRED = {"low": "high", "least": "most"}
"""Two ends that stand in one column, by how their names end."""
NO_ROW = "No row yet, or none that was asked for."
IN_TOKENS: Mapping[Text, Text] = {
    percent: tokens, percent_finely: tokens, points: more_tokens, points_finely: more_tokens,
}  # fmt: skip
"""How a number is shown where its row's measure counts tokens, by how a fraction is."""
FEW = 3
"""Families that a page names; more stand in the file."""
KINDS = {"measure": "measure", "collection": "collection", "protocol": "protocol",
         "encoder": "encoder", "model": "encoder"}  # fmt: skip
"""What a family may be named by, by column."""
ON_ONE_LINE = "white-space: nowrap"
"""Numbers, intervals and verdicts, but not their titles."""
WIDE = 10
"""Characters of a column of words that stand in one line at least, however wide its table is: few
enough that the numbers behind several such columns are seen without scrolling."""
LOOK: Any = [
    {"selector": "td, th", "props": "padding: 2px 6px; vertical-align: top"},
    {"selector": "caption", "props": "text-align: left; font-weight: bold"},
]
LONG = 24
"""Rows beyond which a table is folded behind a line that says what it holds."""
MOST = 200
"""Rows that are shown of a table; all stand in its file."""
NUMBERS = (
    r"(?:at (?:least|most))?(?:[-+\N{MINUS SIGN}\N{MULTIPLICATION SIGN}\N{PLUS-MINUS SIGN}"
    r"\N{HORIZONTAL ELLIPSIS}^<\s\d.,%\[\]]|\btokens\b)*"
)
"""What a column of numbers, intervals, bounds and deviations holds."""
CODE = re.compile(r"`([^`]+)`")
POWER = re.compile(r"10\^(\N{MINUS SIGN}?\d+)")
PATH = re.compile(r"(?<=[^\s</][/_])(?=[^\s/])")
"""Behind a slash or underscore inside a word."""


@dataclass(frozen=True)
class Table:
    """A frame as a reader sees it.

    Attributes:
        text: titles and cells.
        note: what all rows share and how they were tested, for below.
    """

    text: pd.DataFrame
    note: str = ""

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        names: Sequence[str] = (),
        columns: Columns | None = None,
        apart: bool = False,
    ) -> Table:
        """A frame of numbers and slugs as text.

        Args:
            names: of the columns to show, in this order; all but ``HIDDEN`` where none are named.
            apart: whether an interval has a column of its own, and each row its counts; else it
                stands behind the value that it surrounds, and counts below.
        """
        told = columns or {}
        given = [*names] or [str(name) for name in frame if not _hidden(str(name), frame)]
        if "shown" in given and not apart:  # p of which nearly all round to 1 stand in the file
            given = [name for name in given if name != "p_holm"]
        tested = "p_holm" in frame and not apart
        same = [
            name
            for name in given
            if len(frame) > 1
            and (
                (name in SETTINGS and frame[name].nunique(dropna=False) == 1)
                or (name in COUNTS and not apart and (tested or frame[name].nunique() == 1))
            )
        ]
        shared = [_said_once(frame, name, told) for name in same]
        note = f"All rows: {'; '.join(filter(None, shared))}." if any(shared) else ""
        ends = {} if apart else _behind(frame, given)
        text = dict(
            _with_interval(frame, name, ends[name], told)
            if name in ends
            else _shown(frame, name, told)
            for name in given
            if name not in same and name not in ends.values() and not _is_second_end(name, frame)
        )
        below = " ".join(filter(None, [note, _how_tested(frame)]))
        return cls(pd.DataFrame(text, index=frame.index), below if len(frame) else NO_ROW)

    def html(self, caption: str = "", file: str = "") -> str:
        """For a page, with its note below; behind a line that opens it where it is ``LONG``."""
        rows = len(self.text)
        cut = f"{rows - MOST:,} more rows stand in the file." if rows > MOST else ""
        said = " ".join(filter(None, [cut, self.note]))
        below = f"<p>{escape(said)}</p>" if said else ""
        if rows <= LONG:
            return _table(self.text, caption) + below
        where = f" As a file: <code>results/tables/{file}.csv</code>." if file else ""
        head = f"<b>{escape(caption)}</b> {rows:,} rows, folded; click to open.{where}"
        table = _table(self.text.head(MOST), "")
        return f"<details><summary>{head}</summary>{table}{below}</details>"

    def markdown(self) -> str:
        lines = [list(self.text), *self.text.to_numpy().tolist()]
        head, *rest = (f"| {' | '.join(line)} |" for line in lines)
        return "\n".join([head, "|" + "---|" * self.text.shape[1], *rest])

    def latex(self, name: str, caption: str) -> str:
        """For an appendix of somebody's paper."""
        return latex.table(self.text, name, caption, "appendix", "", {})


def _hidden(name: str, frame: pd.DataFrame) -> bool:
    return name in HIDDEN or (name == "p" and "p_holm" in frame)


def _shown(frame: pd.DataFrame, name: str, told: Columns) -> tuple[str, pd.Series]:
    """A column's title and its cells."""
    base, _, end = name.rpartition(" ")
    other = f"{base} {PAIRED.get(end)}".strip()
    if other not in frame:
        title, measures = column(name, frame[name], told).title, frame.get("measure")
        counted = measures is not None and measures.map(lambda name: in_tokens(str(name))).all()
        return title.removesuffix(", points") if counted else title, _cells(frame, name, told)
    names = list(map(str, frame))
    around = base or names[max(0, names.index(name) - 1)]
    how = column(around, frame.get(around, frame[name]), told)
    if name in told:
        how = replace(how, text=column(name, frame[name], told).text)
    cells = _both(*(_texts(frame, each, how) for each in (name, other)))
    if end == "least":
        return f"{how.title}, least and most", cells
    return f"{how.title}, 95%" if base else "95% interval", cells


def _behind(frame: pd.DataFrame, given: Sequence[str]) -> dict[str, str]:
    """By the name of a value that of the lower end of its interval, where that follows it."""
    return {
        value: low
        for value, low in pairwise(given)
        if (low == "low" and "high" in frame and pd.api.types.is_float_dtype(frame[value]))
        or (low == f"{value} low" and f"{value} high" in frame)
    }


def _with_interval(
    frame: pd.DataFrame, name: str, low: str, told: Columns
) -> tuple[str, pd.Series]:
    """A value and its interval as one column."""
    title, cells = _shown(frame, name, told)
    interval = _shown(frame, low, told)[1]
    return f"{title} [95%]", (cells + " " + interval).str.strip()


def _said_once(frame: pd.DataFrame, name: str, told: Columns) -> str:
    """What all rows have: a setting, or a count with what is counted, from the least to the
    most."""
    cells = _cells(frame, name, told)
    if name not in COUNTS:
        return str(cells.iloc[0])
    order = frame[name].dropna().to_numpy().argsort()
    known = [text for text in cells if text]
    ends = dict.fromkeys(known[place] for place in order[[0, -1]]) if known else {}
    title = column(name, frame[name], told).title
    return f"{' to '.join(ends)} {title}" if ends else ""


def _cells(frame: pd.DataFrame, name: str, told: Columns) -> pd.Series:
    return _texts(frame, name, column(name, frame[name], told))


def _texts(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """A column's values as text, in tokens where the row's measure counts them and the column has
    no unit of its own; what is missing is empty."""
    in_unit = "@" in name or "%" in how.title or how.text not in IN_TOKENS
    counted = pd.Series(False, index=frame.index)
    if not in_unit and "measure" in frame:
        counted = frame["measure"].map(lambda measure: in_tokens(str(measure)))
    texts = [
        (IN_TOKENS[how.text] if in_its_tokens else how.text)(value) if pd.notna(value) else ""
        for value, in_its_tokens in zip(frame[name], counted, strict=True)
    ]
    return pd.Series(texts, index=frame.index, dtype=object)


def _is_second_end(name: str, frame: pd.DataFrame) -> bool:
    """Whether a column stands together with the other end of an interval."""
    base, _, end = name.rpartition(" ")
    return any(end == high and f"{base} {low}".strip() in frame for low, high in PAIRED.items())


def _both(low: pd.Series, high: pd.Series) -> pd.Series:
    """Two columns as one: the text of both ends, or of the one there is."""
    text = "[" + low + ", " + high + "]"
    text = text.where(low != "", "at most " + high).where(high != "", "at least " + low)
    return text.where((low != "") | (high != ""), "")


def column(name: str, values: pd.Series, told: Columns) -> Column:
    """How a column is shown: as its table says, as all tables do, or by its type."""
    own = told.get(name)
    if isinstance(own, Column):
        return own
    known = titles.COLUMNS.get(name) or _of_measure(name)
    if not isinstance(known, Column):
        title = titles.COLLECTIONS.get(name, name.replace("_", " "))
        known = Column(title, _by_type(values, told.get("*", percent)))
    if own is None:
        return known
    title = known.title.removesuffix(", points") if own is number else known.title
    return replace(known, title=title, text=own)


def _of_measure(name: str) -> Column | None:
    """A column that is named after a measure, such as ``SpanRecall@5 published``."""
    first, space, rest = name.partition(" ")
    found = measures.find(first.rstrip(","))
    if "@" not in first and found.title == found.name:
        return None
    title = f"{found.title}{',' * first.endswith(',')}{space}{rest}"
    if found.tokens:
        return Column(title, more_tokens if rest.endswith("difference") else whole)
    return Column(title, percent)


def _by_type(values: pd.Series, numbers: Column | Text) -> Text:
    if pd.api.types.is_bool_dtype(values):
        return lambda value: "yes" if value else "no"
    if pd.api.types.is_float_dtype(values):
        return numbers.text if isinstance(numbers, Column) else numbers
    return whole if pd.api.types.is_numeric_dtype(values) else str


def _how_tested(frame: pd.DataFrame) -> str:
    """How intervals and tests were made, and within which families of how many tests they were
    corrected."""
    parts = []
    if "interval" in frame and (kinds := [*filter(None, frame["interval"].dropna().unique())]):
        parts.append(f"Intervals: {'; '.join(map(str, kinds))}.")
    if "family" in frame:
        sizes = frame[["family", "family_size"]].dropna().drop_duplicates()
        tests = [
            f"{_named(str(name), frame)} ({int(size)} test{'s' if size > 1 else ''})"
            for name, size in sizes.to_numpy()
            if name
        ]
        if len(tests) > FEW:
            parts.append(f"p corrected by Holm within each of {len(tests)} families, which the "
                         "file names.")  # fmt: skip
        elif tests:
            parts.append(f"p corrected by Holm within: {'; '.join(tests)}.")
    if "margin" in frame and (margins := sorted(frame["margin"].dropna().unique())):
        points = (
            "a point" if margin == POINT else f"{100 * margin:g} points" for margin in margins
        )
        parts.append(
            f"Equivalent: two one-sided t-tests, less than {' or '.join(points)} apart; not shown "
            "is neither different nor equivalent."
        )
    return " ".join(parts)


def _named(family: str, frame: pd.DataFrame) -> str:
    """A family's name with what its rows' settings are called."""
    told = {**titles.MODELS, **titles.PROTOCOLS, **titles.PAPER_TABLES}
    for column, kind in KINDS.items():
        slugs = list(frame[column].astype(str).unique()) if column in frame else []
        told |= {slug: titles.shown(kind, slug) for slug in slugs if slug}
    for slug in sorted(told, key=len, reverse=True):
        family = family.replace(slug, told[slug])
    return family


def _table(found: pd.DataFrame, caption: str) -> str:
    """A table of text as HTML, words to the left and numbers to the right; the same table gives
    the same bytes."""
    words = [name for name in found if not found[name].astype(str).str.fullmatch(NUMBERS).all()]
    key = hashlib.sha256((caption + found.to_csv()).encode("utf-8")).hexdigest()[:8]
    # An id for every cell, which no style here asks for, would be a third of a page.
    style = Styler(found, uuid=key, cell_ids=False).hide(axis="index").format(_breakable)
    look: Any = {
        name: [
            {"selector": "td", "props": _width(found[name]) if name in words else ON_ONE_LINE},
            {"selector": "", "props": "text-align: left" if name in words else ""},
        ]
        for name in found
    }
    style = style.set_table_styles(LOOK).set_table_styles(look, overwrite=False)
    return str((style.set_caption(caption) if caption else style).to_html())


def _width(words: pd.Series) -> str:
    longest = int(words.astype(str).str.len().max())
    return f"min-width: {WIDE}ch" if longest > WIDE else ON_ONE_LINE


def _breakable(text: object) -> str:
    """Escaped, with leave to break a path, which else makes its table wider than the page, powers
    raised, and what stands between backticks as code."""
    found = POWER.sub(r"10<sup>\1</sup>", PATH.sub("<wbr>", escape(str(text))))
    return CODE.sub(r"<code>\1</code>", found)
