"""How a notebook shows a table: words to the left, numbers to the right, no column of row numbers.

A stored notebook then holds each table once, as HTML, and not as text beside it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from html import escape
from typing import Any

import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.display import HTML

NUMBER = re.compile(r"\s*[-+]?[\d.,]+(e[-+]?\d+)?\s*%?\s*")
MARKS = {
    r"\*\*(.+?)\*\*": r"<b>\1</b>",
    r"_(.+?)_": r"<u>\1</u>",
    r"\^([a-z]*\*?)$": r"<sup>\1</sup>",
}
"""How the taxonomy's tables mark cells, and what that is in HTML."""


def show(rows: int, width: int = 1000) -> None:
    """Show every table of this notebook so, at most so many rows, and characters of a cell."""
    pd.set_option(
        "display.max_rows", rows, "display.max_columns", 40, "display.max_colwidth", width
    )
    shell = get_ipython()
    if shell is not None and shell.display_formatter is not None:
        formatters = shell.display_formatter.formatters
        formatters["text/html"].for_type(pd.DataFrame, html)
        formatters["text/plain"].for_type(pd.DataFrame, _text)


def marked(table: pd.DataFrame) -> HTML:
    """A part of one of the taxonomy's tables with its marks set."""
    return HTML(html(table.replace(regex=MARKS), escaped=False))


def linked(table: pd.DataFrame) -> HTML:
    """A table whose last column holds links, which stay links."""
    words = table.iloc[:, :-1].map(lambda value: escape(str(value)))
    return HTML(html(words.assign(**{str(table.columns[-1]): table.iloc[:, -1]}), escaped=False))


def html(table: pd.DataFrame, escaped: bool = True) -> str:
    """The table as HTML with a style of its own; the same table gives the same bytes.

    Named rows become columns; unnamed row numbers are left out.
    """
    if table.index.nlevels == table.index.names.count(None):
        numbered = pd.api.types.is_integer_dtype(table.index)
    else:
        numbered = table.columns.nlevels == 1
        table = table.reset_index() if numbered else table
    if numbered:
        table = table.rename_axis(columns=None)  # it would stand in a column of its own
    most = pd.get_option("display.max_rows")
    body: str = table.to_html(
        index=not numbered,
        border=0,
        na_rep="",
        escape=escaped,
        max_rows=most,
        show_dimensions=len(table) > most,
        formatters={
            name: how
            for at, name in enumerate(table.columns)
            if (how := _format(table.iloc[:, at])) is not None
        },
        classes="_name_",
    )
    name = f"t{hashlib.sha256(body.encode('utf-8')).hexdigest()[:8]}"
    places = [f".{name} tbody th"] * (not numbered)
    if table.index.nlevels == 1:
        places += [
            f".{name} {cell}:nth-child({at + (1 if numbered else 2)})"
            for at in range(len(table.columns))
            if not _numeric(table.iloc[:, at])
            for cell in ("td", "th")
        ]
    style = f"<style>{', '.join(places)} {{text-align: left}}</style>\n" if places else ""
    return style + body.replace("_name_", name, 1)


def _numeric(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return True
    return all(NUMBER.fullmatch(str(value)) for value in column if str(value) not in ("", "nan"))


def _format(column: pd.Series) -> Callable[[object], str] | None:
    """Floats with as many decimals as the one of theirs that needs most, at six digits."""
    if any(isinstance(value, float) for value in column) and column.dtype == object:
        return lambda value: f"{value:.6g}" if isinstance(value, float) else str(value)
    if not pd.api.types.is_float_dtype(column):
        return None
    texts = [f"{value:.6g}" for value in column.dropna()]
    if any("e" in text for text in texts):
        return "{:.6g}".format
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    return f"{{:.{decimals}f}}".format


def _text(table: pd.DataFrame, printer: Any, _: bool) -> None:
    rows, columns = table.shape
    printer.text(f"a table of {rows} rows and {columns} columns")
