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
HIDDEN = (*SAID_BELOW, "p_equivalent", "effect")
"""Said once under a table and not in every row, before its correction, or only in the file."""
SETTINGS = ("model", "encoder", "ordering", "protocol", "measure")
"""Said once under a table of several rows that all have the same."""
UNASKED = ("collection", "chunker", "other chunker", *SETTINGS)
"""The same, where nobody names the columns to show."""
PAIRED = {"low": "high", "least": "most"}
"""Two ends that stand in one column, by how their names end."""
NO_ROW = "No row yet, or none that was asked for."
IN_TOKENS: Mapping[Text, Text] = {
    percent: tokens, percent_finely: tokens, points: more_tokens, points_finely: more_tokens,
}  # fmt: skip
"""How a number is shown where its row's measure counts tokens, by how a fraction is."""
FEW = 3
"""Families that a page names one by one; more stand in the file."""
KINDS = {"measure": "measure", "collection": "collection", "protocol": "protocol",
         "encoder": "encoder", "model": "encoder"}  # fmt: skip
"""What a family may be named by, by column."""
ON_ONE_LINE = "white-space: nowrap"
"""Numbers, intervals and verdicts, but not their titles."""
WIDE = 16
"""Characters of a column of words that stand in one line at least, however wide its table is."""
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
        cls, frame: pd.DataFrame, names: Sequence[str] = (), columns: Columns | None = None
    ) -> Table:
        """A frame of numbers and slugs as text.

        Args:
            names: of the columns to show, in this order; all but ``HIDDEN`` where none are named.
        """
        own = columns or {}
        given = [*names] or [str(one) for one in frame if not _hidden(str(one), frame)]
        once = SETTINGS if names else UNASKED
        asked = [one for one in given if one in once and len(frame) > 1]
        same = [one for one in asked if frame[one].nunique(dropna=False) == 1]
        shared = [_cells(frame.head(1), one, own).iloc[0] for one in same]
        found: dict[str, pd.Series] = {}
        for name in given:
            if name not in same and not _is_second_end(name, frame):
                title, cells = _shown(frame, name, own)
                found[title] = cells
        note = _note(frame, [one for one in shared if one])
        return cls(pd.DataFrame(found, index=frame.index), note if len(frame) else NO_ROW)

    def html(self, caption: str = "", file: str = "") -> str:
        """For a page; folded where it is long (:func:`_html`)."""
        return _html(self.text, caption, self.note, file)

    def markdown(self) -> str:
        lines = [list(self.text), *self.text.to_numpy().tolist()]
        head, *rest = (f"| {' | '.join(line)} |" for line in lines)
        return "\n".join([head, "|" + "---|" * self.text.shape[1], *rest])

    def latex(
        self,
        name: str,
        caption: str,
        span: latex.Span = "appendix",
        once: str = "",
        shorter: Mapping[str, str] | None = None,
    ) -> str:
        """For a paper (:func:`chunkstudy.study.latex.table`)."""
        return latex.table(self.text, name, caption, span, once, shorter or {})


def _hidden(name: str, frame: pd.DataFrame) -> bool:
    return name.removeprefix("against in order ") in HIDDEN or (name == "p" and "p_holm" in frame)


def _shown(frame: pd.DataFrame, name: str, own: Columns) -> tuple[str, pd.Series]:
    """A column's title and its cells."""
    base, _, end = name.rpartition(" ")
    if end in PAIRED and (other := f"{base} {PAIRED[end]}".strip()) in frame:
        names = list(map(str, frame))
        around = base or names[max(0, names.index(name) - 1)]
        how = column(around, frame.get(around, frame[name]), own)
        if name in own:
            how = replace(how, text=column(name, frame[name], own).text)
        cells = _both(*(_texts(frame, one, how) for one in (name, other)))
        if end == "least":
            return f"{how.title}, least and most", cells
        return f"{how.title}, 95%" if base else "95% interval", cells
    how = column(name, frame[name], own)
    cells = _cells(frame, name, own)
    in_tokens_all = _token_rows(frame, name, how).all()
    return how.title.removesuffix(", points") if in_tokens_all else how.title, cells


def _cells(frame: pd.DataFrame, name: str, own: Columns) -> pd.Series:
    return _texts(frame, name, column(name, frame[name], own))


def _texts(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """A column's values as text, in tokens where the row's measure counts them; what is missing is
    empty."""
    values, tokens = frame[name], _token_rows(frame, name, how)
    unit = IN_TOKENS.get(how.text, how.text)
    found = [
        (unit if counted else how.text)(value) if there else ""
        for value, there, counted in zip(values, values.notna(), tokens, strict=True)
    ]
    return pd.Series(found, index=frame.index, dtype=object)


def _token_rows(frame: pd.DataFrame, name: str, how: Column) -> pd.Series:
    """Which rows of a column are in tokens, since they are in the unit of the row's measure."""
    own_unit = "@" in name or "%" in how.title
    if own_unit or how.text not in IN_TOKENS or "measure" not in frame:
        return pd.Series(False, index=frame.index)
    return frame["measure"].map(lambda measure: in_tokens(str(measure))).astype(bool)


def _is_second_end(name: str, frame: pd.DataFrame) -> bool:
    """Whether a column stands together with the other end of an interval."""
    base, _, end = name.rpartition(" ")
    return any(end == high and f"{base} {low}".strip() in frame for low, high in PAIRED.items())


def _both(low: pd.Series, high: pd.Series) -> pd.Series:
    """Two columns as one: the text of both ends, or of the one there is."""
    text = "[" + low + ", " + high + "]"
    text = text.where(low != "", "at most " + high).where(high != "", "at least " + low)
    return text.where((low != "") | (high != ""), "")


def column(name: str, values: pd.Series, own: Columns) -> Column:
    """How a column is shown: as its table says, as all tables do, or by its type."""
    said = own.get(name)
    if isinstance(said, Column):
        return said
    known = titles.COLUMNS.get(name) or _of_measure(name)
    if not isinstance(known, Column):
        title = titles.COLLECTIONS.get(name, name.replace("_", " "))
        known = Column(title, _by_type(values, own.get("*", percent)))
    if said is None:
        return known
    title = known.title.removesuffix(", points") if said is number else known.title
    return replace(known, title=title, text=said)


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


def _note(frame: pd.DataFrame, same: Sequence[str]) -> str:
    """What stands under a table: what all rows share, how its intervals and tests were made, and
    within which families of how many tests they were corrected."""
    shared = f"All rows: {'; '.join(same)}." if same else ""
    return " ".join(filter(None, [shared, _how_tested(frame)]))


def _how_tested(frame: pd.DataFrame) -> str:
    parts = []
    kinds = frame["interval"].dropna().unique() if "interval" in frame else ()
    if said := "; ".join(filter(None, map(str, kinds))):
        parts.append(f"Intervals: {said}.")
    for prefix in ("", "against in order "):
        if f"{prefix}family" not in frame:
            continue
        sizes = frame[[f"{prefix}family", f"{prefix}family_size"]].dropna().drop_duplicates()
        known = {_named(str(name), frame): int(size) for name, size in sizes.to_numpy() if name}
        if len(known) > FEW:
            parts.append(f"p corrected by Holm within each of {_counted(known)}.")
        elif known:
            parts.append(f"p corrected by Holm within: {_families(known)}.")
    if "margin" in frame and (margins := sorted(frame["margin"].dropna().unique())):
        points = ("a point" if one == POINT else f"{100 * one:g} points" for one in margins)
        apart = " or ".join(points)
        parts.append(
            f"Equivalent: two one-sided t-tests, less than {apart} apart; not shown is neither "
            "different nor equivalent."
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


def _families(sizes: Mapping[str, int]) -> str:
    """Each family with its number of tests; what all names end with is said once, before them."""
    named = [name.split(", ") for name in sizes]
    shared: list[str] = []
    while len(named) > 1 and len({name[-1] for name in named}) == 1 and min(map(len, named)) > 1:
        shared.insert(0, named[0][-1])
        named = [name[:-1] for name in named]
    pairs = zip(named, sizes.values(), strict=True)
    text = "; ".join(f"{', '.join(name)} ({_tests(size)})" for name, size in pairs)
    return f"{', '.join(shared)}: {text}" if shared else text


def _counted(sizes: Mapping[str, int]) -> str:
    """How many families there are, and how many tests they hold."""
    least, most = min(sizes.values()), max(sizes.values())
    tests = _tests(most) if least == most else f"{least} to {most} tests"
    return f"{len(sizes)} families of {tests}, which the file names"


def _tests(size: int) -> str:
    return "1 test" if size == 1 else f"{size} tests"


def _html(found: pd.DataFrame, caption: str, note: str, file: str) -> str:
    """A table with its note below; behind a line that opens it where it is ``LONG``."""
    cut = f"{len(found) - MOST:,} more rows stand in the file." if len(found) > MOST else ""
    below = f"<p>{escape(said)}</p>" if (said := " ".join(filter(None, [cut, note]))) else ""
    if len(found) <= LONG:
        return _table(found, caption) + below
    where = f" As a file: <code>results/tables/{file}.csv</code>." if file else ""
    head = f"<b>{escape(caption)}</b> {len(found):,} rows, folded; click to open.{where}"
    return f"<details><summary>{head}</summary>{_table(found.head(MOST), '')}{below}</details>"


def _table(found: pd.DataFrame, caption: str) -> str:
    """A table of text as HTML, words to the left and numbers to the right; the same table gives
    the same bytes."""
    numbers = (found[name].astype(str).str.fullmatch(NUMBERS) for name in found)
    words = [name for name, one in zip(found, numbers, strict=True) if not one.all()]
    key = hashlib.sha256((caption + found.to_csv()).encode("utf-8")).hexdigest()[:8]
    # An id for every cell, which no style here asks for, would be a third of a page.
    style = Styler(found, uuid=key, cell_ids=False).hide(axis="index").format(_breakable)
    style = style.set_table_styles(
        [
            {"selector": "td, th", "props": "padding: 2px 6px; vertical-align: top"},
            {"selector": "caption", "props": "text-align: left; font-weight: bold"},
        ]
    )
    look: Any = {
        name: [
            {"selector": "td", "props": _width(found[name]) if name in words else ON_ONE_LINE},
            {"selector": "", "props": "text-align: left" if name in words else ""},
        ]
        for name in found
    }
    style = style.set_table_styles(look, overwrite=False)
    return str((style.set_caption(caption) if caption else style).to_html())


def _width(words: pd.Series) -> str:
    longest = int(words.astype(str).str.len().max())
    return f"min-width: {WIDE}ch" if longest > WIDE else ON_ONE_LINE


def _breakable(text: object) -> str:
    """Escaped, with leave to break a path, which else makes its table wider than the page, powers
    raised, and what stands between backticks as code."""
    found = POWER.sub(r"10<sup>\1</sup>", PATH.sub("<wbr>", escape(str(text))))
    return CODE.sub(r"<code>\1</code>", found)
