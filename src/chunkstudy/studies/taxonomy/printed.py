"""The taxonomy's tables as the paper sets them: bold the best of a column, underlined the worst,
superscripts for significance; published rows first, ours below.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

from chunkstudy.published.chunk_size import BOOKS
from chunkstudy.published.sources import AVERAGE
from chunkstudy.studies.taxonomy import tables
from chunkstudy.studies.taxonomy.tables import RECORDS, ROWS
from chunkstudy.study.titles import shown

TITLES = {
    "3": "plain chunking",
    "4": "change from plain to late chunking, percent",
    "5": "late chunking",
}
MARKS = {
    "4": "*: differs from plain chunking (paired t-test, p below 0.05).",
    "3": "Bold: best of a column. Underlined: worst. a: differs from the best, b: from the worst "
    "(paired t-test, p below 0.05).",
}
MARKS |= {"5": MARKS["3"]}
Cell = Mapping[Any, Any]
LOOKS = {
    "td, th": "padding: 2px 6px; vertical-align: top",
    "caption": "text-align: left; font-weight: bold",
    "th.row_heading": "text-align: left; font-weight: normal",
    "th.row_heading.level0": "font-weight: bold",
    "th.col_heading.level0": "text-align: center",
}
"""How a page sets these tables, as it sets the others (``render/notebook.py``)."""


def as_printed(published: pd.DataFrame, own: pd.DataFrame, number: str = "3") -> str:
    """The published table as the paper sets it, as HTML, with our rows below.

    Args:
        published: cells of the published table.
        own: rows as :func:`tables.marked`, :func:`tables.changed` or :func:`tables.means` make
            them.
        number: of the table, ``3`` to ``5``.
    """
    both = pd.concat([tables.published(published, number), own], ignore_index=True)
    return to_html(both, number, caption(both, number))


def caption(table: pd.DataFrame, number: str) -> str:
    """What the table shows, what its marks mean, and what each model's average is over."""
    sentence = f"The taxonomy's Table {number}: {TITLES[number]}. {MARKS[number]}"
    averages = table[(table["collection"] == AVERAGE) & table["n"].notna()]
    counts = {
        int(rows["n"].iloc[0]): " and ".join(
            dict.fromkeys(_block(row) for row in rows.to_dict("records"))
        )
        for _, rows in averages[averages["method"] != AVERAGE].groupby("n")
    }
    over = "; ".join(f"{count} for {names}" for count, names in counts.items())
    return f"{sentence} Averages over in-corpus collections: {over}." if over else sentence


def to_html(table: pd.DataFrame, number: str, caption: str) -> str:
    """The same table gives the same bytes."""
    styler = _frame(table, number).style.set_caption(escape(caption))
    looks: Any = [{"selector": part, "props": props} for part, props in LOOKS.items()]
    return str(styler.set_table_styles(looks).set_uuid("taxonomy").to_html())


def _frame(table: pd.DataFrame, number: str) -> pd.DataFrame:
    """Cells as text: a row per model and method, a column per collection."""
    cells = table.to_dict("records")
    methods = _methods(table)
    rows, columns, text = [], [], {}
    for cell in cells:
        collection = shown("collection", cell["collection"])
        method = methods[_keys(cell), cell["method"]]
        row, column = (_block(cell), method), (_task(cell["collection"]), collection)
        rows.append(row)
        columns.append(column)
        text[row, column] = _html(_number(cell["value"], number), cell)
    rows, columns = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
    blocks = list(dict.fromkeys(block for block, _ in columns))
    columns.sort(key=lambda column: blocks.index(column[0]))
    names = (
        [tuple(map(escape, label)) for label in rows],
        [tuple(map(escape, label)) for label in columns],
    )
    return pd.DataFrame(
        [[text.get((row, column), "") for column in columns] for row in rows],
        index=pd.MultiIndex.from_tuples(names[0]),
        columns=pd.MultiIndex.from_tuples(names[1]),
    )


def _keys(cell: Cell) -> tuple[object, ...]:
    return tuple(cell[name] for name in ROWS)


def _methods(table: pd.DataFrame) -> dict[tuple[tuple[object, ...], str], str]:
    """A row's name: the chunker that was recorded, or the method where collections have several."""
    names: dict[tuple[tuple[object, ...], str], str] = {}
    for (*keys, method), rows in table.groupby([*ROWS, "method"], sort=False):
        chunkers = set(rows["chunker"].dropna()) - {"", AVERAGE}
        name = chunkers.pop() if len(chunkers) == 1 else str(method)
        names[tuple(keys), str(method)] = "Average" if method == AVERAGE else shown("chunker", name)
    return names


def _block(cell: Cell) -> str:
    """Whose rows they are: a published model, or a recorded one and how it was run."""
    encoder = shown("encoder", cell["encoder"])
    if cell["source"] == RECORDS:
        return f"{encoder}, {shown('protocol', cell['protocol'])}"
    return encoder


def _task(collection: str) -> str:
    if collection == AVERAGE:
        return ""
    return "In document" if collection in BOOKS else "In corpus"


def _number(value: float, number: str) -> str:
    if pd.isna(value):
        return ""
    return f"{100 * value:+.2f}" if number == "4" else f"{value:.4f}"


def _html(number: str, cell: Cell) -> str:
    number = number.replace("-", "\N{MINUS SIGN}")
    marks = f"<sup>{cell['marks']}</sup>" if cell["marks"] else ""
    shape = "b" if cell["best"] else "u" if cell["worst"] else ""
    return f"<{shape}>{number}{marks}</{shape}>" if shape else f"{number}{marks}"
