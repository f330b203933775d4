"""Frames of numbers as tables for reading.

Scores are fractions in a frame and percent in a table, their differences points; of a row whose
measure counts tokens both are tokens. An interval stands in one column, on a page behind what it
surrounds; below stands what all rows share and how they were tested.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype
from pandas.io.formats.style import Styler

from chunkstudy.core.errors import StudyError
from chunkstudy.display import titles
from chunkstudy.display.formats import (
    IN_TOKENS,
    Column,
    Columns,
    Text,
    percent,
    percent_finely,
    points,
    points_finely,
    whole,
)
from chunkstudy.evaluation import measures
from chunkstudy.evaluation.measures import POINT

HIDDEN = ("family", "family_size", "interval", "margin", "p_equivalent", "p_equivalent_holm",
          "effect")  # fmt: skip
"""Said once under a table and not in every row, before its correction, or only in the file."""
COUNTS = ("n", "documents")
"""Said once under a table of several rows that are of equally many."""
SETTINGS = ("model", "encoder", "ordering", "protocol", "measure", "arm")
"""Said once under a table of several rows that all have the same."""
UPPER = {"low": "high", "least": "most"}
"""How the names of two ends that stand in one column end."""
NO_ROW = "No row yet, or none that was asked for."
FEW = 3
"""Families that a page names; more stand in the file."""
KINDS = ("encoder", "protocol", "collection", "measure")
"""Of what a family's name may hold slugs."""
WORD = re.compile(r"[\w./@-]*\w")
"""A slug, or a word."""
ON_ONE_LINE = "white-space: nowrap"
"""Numbers, intervals and verdicts, but not their titles."""
WIDE = 10
"""Characters of a column of words that stand in one line at least, however wide its table is: few
enough that the numbers behind several such columns are seen without scrolling."""
LOOK: Any = [
    {"selector": "td, th", "props": "padding: 2px 6px; vertical-align: top"},
    {"selector": "caption", "props": "text-align: left; font-weight: bold"},
]
FRACTIONS = (percent, percent_finely, points, points_finely)
"""How fractions are shown; no value is above 1."""
ROUNDING = 1e-9
LONG = 24
"""Rows beyond which a table is folded behind a line that says what it holds."""
MOST = 200
"""Rows that are shown of a table; all stand in its file."""
NUMBERS = (
    r"(?:[-+\N{MINUS SIGN}\N{PLUS-MINUS SIGN}\N{HORIZONTAL ELLIPSIS}<\s\d.,%\[\]]|\btokens\b)*"
)
"""What a column of numbers, intervals and deviations holds."""
CODE = re.compile(r"`([^`]+)`")
PATH = re.compile(r"(?<=[^\s</][/_])(?=[^\s/])")
"""Behind a slash or underscore inside a word."""


@dataclass(frozen=True)
class Table:
    """A frame as a reader of a page sees it.

    Attributes:
        text: titles and cells.
        note: what all rows share and how they were tested, for below.
    """

    text: pd.DataFrame
    note: str = ""

    @classmethod
    def of(
        cls, frame: pd.DataFrame, names: Sequence[str] = (), columns: Columns | None = None
    ) -> Table:
        """A frame of numbers and slugs as text: an interval behind the value that it surrounds, and
        below what all rows share.

        Args:
            names: of the columns to show, in this order; all but ``HIDDEN`` where none are named.
        """
        told = columns or {}
        given = [*names] or [str(name) for name in frame if not _hidden(str(name), frame)]
        if "shown" in given:  # p of which nearly all round to 1 stand in the file
            given = [name for name in given if name != "p_holm"]
        same = [name for name in given if _is_shared(frame, name)]
        shown = _columns(frame, [name for name in given if name not in same], told)
        for name, low in pairwise(given):
            own = low == f"{name} low" or (low == "low" and is_float_dtype(frame[name]))
            if own and name in shown and _upper_end(low) in frame:
                title, cells = shown[name]
                shown[name] = f"{title} [95%]", (cells + " " + shown.pop(low)[1]).str.strip()
        shared = "; ".join(filter(None, (_said_once(frame, name, told) for name in same)))
        note = " ".join(filter(None, [shared and f"All rows: {shared}.", _how_tested(frame)]))
        text = pd.DataFrame(dict(shown.values()), index=frame.index)
        return cls(text, note if len(frame) else NO_ROW)

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


def as_text(frame: pd.DataFrame, names: Sequence[str], told: Columns) -> pd.DataFrame:
    """Columns as text, for a terminal or the paper: an interval is one by itself, which its lower
    end names."""
    return pd.DataFrame(dict(_columns(frame, names, told).values()), index=frame.index)


def _hidden(name: str, frame: pd.DataFrame) -> bool:
    return name in HIDDEN or (name == "p" and "p_holm" in frame)


def _is_shared(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column is said once: a setting or a count that all rows have, and any count of
    tests."""
    if len(frame) < 2 or name not in SETTINGS + COUNTS:
        return False
    counted = name in COUNTS
    return frame[name].nunique(dropna=counted) == 1 or (counted and "p_holm" in frame)


def _said_once(frame: pd.DataFrame, name: str, told: Columns) -> str:
    """What all rows have: a setting, or a count with what is counted, from the least to the
    most."""
    title, cells = _shown(frame, name, told)
    if name in SETTINGS:
        return str(cells.iloc[0])
    known = frame[name].notna()
    order = frame.loc[known, name].to_numpy().argsort()
    ends = dict.fromkeys(cells[known].iloc[order[[0, -1]]]) if len(order) else {}
    return f"{' to '.join(ends)} {title}" if ends else ""


def _columns(
    frame: pd.DataFrame, names: Sequence[str], told: Columns
) -> dict[str, tuple[str, pd.Series]]:
    """By name each column's title and cells; an interval's by its lower end."""
    uppers = {_upper_end(name) for name in names}
    return {
        name: (_interval if _upper_end(name) in frame else _shown)(frame, name, told)
        for name in names
        if name not in uppers
    }


def _upper_end(name: str) -> str | None:
    """The other end of an interval, by the name of its lower one."""
    base, space, end = name.rpartition(" ")
    return f"{base}{space}{UPPER[end]}" if end in UPPER else None


def _shown(frame: pd.DataFrame, name: str, told: Columns) -> tuple[str, pd.Series]:
    how = column(name, frame[name], told)
    title = how.title.removesuffix(", points") if _in_tokens(frame, name, how).all() else how.title
    return title, _cells(frame, name, how)


def _in_tokens(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """In which rows a column of fractions counts tokens, since the row's measure does; the column
    of one measure, or with a unit of its own, has it in its title."""
    if "measure" not in frame or "@" in name or "%" in how.title or how.text not in IN_TOKENS:
        return pd.Series(False, index=frame.index)
    return frame["measure"].map(lambda measure: measures.in_tokens(str(measure)))


def _interval(frame: pd.DataFrame, name: str, told: Columns) -> tuple[str, pd.Series]:
    """Both ends in one column, shown as what they surround: the column whose name they begin with,
    or that before them."""
    base, _, end = name.rpartition(" ")
    names = list(map(str, frame))
    around = base or names[max(0, names.index(name) - 1)]
    how = column(around, frame.get(around, frame[name]), told)
    low, high = (_cells(frame, each, how) for each in (name, str(_upper_end(name))))
    cells = ("[" + low + ", " + high + "]").where((low != "") & (high != ""), "")
    if end == "least":
        return f"{how.title}, least and most", cells
    return f"{how.title}, 95%" if base else "95% interval", cells


def _cells(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """A column's values as text; what is missing is empty.

    Raises:
        StudyError: if a value above 1 would be shown as percent: it is no fraction.
    """
    in_tokens = _in_tokens(frame, name, how)
    if how.text in FRACTIONS and (frame.loc[~in_tokens, name].abs() > 1 + ROUNDING).any():
        largest = frame.loc[~in_tokens, name].abs().max()
        raise StudyError(
            f"column {name!r} holds {largest:.6g}, which is not a fraction and cannot be shown in "
            "percent; say how it is shown with shown_as"
        )
    texts = [
        (IN_TOKENS[how.text] if counted else how.text)(value) if pd.notna(value) else ""
        for value, counted in zip(frame[name], in_tokens, strict=True)
    ]
    return pd.Series(texts, index=frame.index, dtype=object)


def column(name: str, values: pd.Series, told: Columns) -> Column:
    """How a column is shown: as its table says, as all tables do, or by its type."""
    own = told.get(name)
    if isinstance(own, Column):
        return own
    known = titles.COLUMNS.get(name) or _of_measure(name)
    if not isinstance(known, Column):
        title = titles.NAMES["collection"].get(name, name.replace("_", " "))
        known = Column(title, _by_type(values, told.get("*", percent)))
    return known if own is None else replace(known, text=own)


def _of_measure(name: str) -> Column | None:
    """A column that is named after a measure, such as ``SpanRecall@5 published``."""
    first, space, rest = name.partition(" ")
    found = measures.find(first.rstrip(","))
    if "@" not in first and found.title == found.name:
        return None
    title = f"{found.title}{',' * first.endswith(',')}{space}{rest}"
    return Column(title, whole if found.tokens else percent)


def _by_type(values: pd.Series, numbers: Column | Text) -> Text:
    if is_bool_dtype(values):
        return lambda value: "yes" if value else "no"
    if is_float_dtype(values):
        return numbers.text if isinstance(numbers, Column) else numbers
    return whole if is_numeric_dtype(values) else str


def _how_tested(frame: pd.DataFrame) -> str:
    """How intervals and tests were made, and within which families of how many tests they were
    corrected."""
    parts = []
    if "interval" in frame and (kinds := [*filter(None, frame["interval"].dropna().unique())]):
        parts.append(f"Intervals: {'; '.join(map(str, kinds))}.")
    if "family" in frame:
        sizes = frame[["family", "family_size"]].dropna().drop_duplicates()
        tests = [
            f"{WORD.sub(_called, str(name))} ({int(size)} test{'s' if size > 1 else ''})"
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


def _called(word: re.Match[str]) -> str:
    """What a part of a family's name is called."""
    slug = word[0]
    names = (titles.NAMES["table"].get(slug), *(titles.shown(kind, slug) for kind in KINDS))
    return next((name for name in names if name and name != slug), slug)


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
    """Escaped, with leave to break a path, which else makes its table wider than the page, and what
    stands between backticks as code."""
    return CODE.sub(r"<code>\1</code>", PATH.sub("<wbr>", escape(str(text))))
