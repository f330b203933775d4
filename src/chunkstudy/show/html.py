"""Tables of text as HTML, for a notebook or a page."""

from __future__ import annotations

import hashlib
import re
from html import escape
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

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


def table(found: pd.DataFrame, caption: str, note: str, file: str) -> str:
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
