"""Tables as a notebook or page shows them, and as they were written."""

from __future__ import annotations

import hashlib
import re
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.io.formats.style import Styler

from chunkstudy.base.places import Places
from chunkstudy.show import table_notes, tables

if TYPE_CHECKING:
    from IPython.display import HTML

ON_ONE_LINE = "white-space: nowrap"
"""Numbers, intervals and verdicts, but not their titles."""

LONG = 24
"""Rows beyond which a table is folded behind a line that says what it holds."""

NUMBERS = (
    r"(?:at (?:least|most))?(?:[-+\N{MINUS SIGN}\N{MULTIPLICATION SIGN}\N{PLUS-MINUS SIGN}"
    r"\N{HORIZONTAL ELLIPSIS}^<\s\d.,%\[\]]|\btokens\b)*"
)
"""What a column of numbers, intervals, bounds and deviations holds."""
CODE = re.compile(r"`([^`]+)`")
POWER = re.compile(r"10\^(\N{MINUS SIGN}?\d+)")

PATH = re.compile(r"(?<=[^\s</][/_])(?=[^\s/])")
"""Behind a slash or underscore inside a word."""


class MissingTableError(RuntimeError):
    """A table that a page shows was not derived; the message says what to run."""


def read(places: Places, name: str) -> pd.DataFrame:
    """A derived table as numbers: ``results/tables/NAME.csv``, or ``comparison``.

    Raises:
        MissingTableError: if it was not derived yet.
    """
    folder = places.results if name == "comparison" else places.tables
    path = folder / f"{name}.csv"
    if not path.exists():
        raise MissingTableError(f"there is no table {name}; run `chunkstudy reproduce` first")
    try:
        return pd.read_csv(path, dtype={"published": object} if name == "comparison" else None)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def written(places: Places) -> dict[str, pd.DataFrame]:
    """Every table as it was written, ``comparison`` among them; a text that is not there is empty,
    as where it was derived."""
    names = [path.stem for path in places.tables.glob("*.csv")]
    found = {name: read(places, name) for name in (*names, "comparison")}
    texts = {name: frame.select_dtypes(exclude="number").columns for name, frame in found.items()}
    return {name: frame.fillna(dict.fromkeys(texts[name], "")) for name, frame in found.items()}


def show(
    frame: pd.DataFrame,
    name: str = "",
    columns: list[str] | None = None,
    rows: int = 200,
    caption: str = "",
    shown_as: tables.Kinds | None = None,
) -> HTML:
    """:func:`table` as a notebook shows it."""
    from IPython.display import HTML  # late: only notebooks need it

    return HTML(table(frame, name, columns, rows, caption, shown_as))


def table(
    frame: pd.DataFrame,
    name: str = "",
    columns: list[str] | None = None,
    rows: int = 200,
    caption: str = "",
    shown_as: tables.Kinds | None = None,
) -> str:
    """A frame of numbers for reading as HTML, with its families; folded where it is ``LONG``.

    Args:
        frame: the rows.
        name: of its file, if there is one.
        columns: which, in this order; all if none are named.
        rows: at most so many are shown.
        caption: what stands above it.
        shown_as: by column, its title and unit, where the name does not say them.
    """
    found = tables.present(frame, columns, shown_as)
    note = _note(frame, columns, len(found), rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    if len(found) <= LONG:
        return html(found, caption) + below
    file = f" As a file: <code>results/tables/{name}.csv</code>." if name else ""
    head = f"<b>{escape(caption)}</b> {len(found):,} rows, folded; click to open.{file}"
    return f"<details><summary>{head}</summary>{html(found.head(rows))}{below}</details>"


def html(found: pd.DataFrame, caption: str = "") -> str:
    """A table of text as HTML, words to the left and numbers to the right; the same table gives
    the same bytes."""
    words = [name for name in found if not _numeric(found[name])]
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
            {"selector": "td", "props": "" if name in words and name != "shown" else ON_ONE_LINE},
            {"selector": "", "props": "text-align: left" if name in words else ""},
        ]
        for name in found
    }
    style = style.set_table_styles(look, overwrite=False)
    return str((style.set_caption(caption) if caption else style).to_html())


def _breakable(text: object) -> str:
    """Escaped, with leave to break a path, which else makes its table wider than the page, powers
    raised, and what stands between backticks as code."""
    found = POWER.sub(r"10<sup>\1</sup>", PATH.sub("<wbr>", escape(str(text))))
    return CODE.sub(r"<code>\1</code>", found)


def _numeric(column: pd.Series) -> bool:
    return bool(column.astype(str).str.fullmatch(NUMBERS).all())


def _note(frame: pd.DataFrame, columns: list[str] | None, found: int, rows: int) -> str:
    """What stands under a table: how its intervals and tests were made, and what is left out."""
    none = "" if found else "No row yet, or none that was asked for."
    cut = f"{found - rows:,} more rows stand in the file." if found > rows else ""
    how = table_notes.note(frame, columns, table_notes.FEW) if found else ""
    return " ".join(filter(None, [none, cut, how]))
