"""The taxonomy's tables as LaTeX, as HTML for notebooks, and as plain cells."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from chunkstudy.analysis.taxonomy_layout import AVERAGE, Cell, Table
from chunkstudy.grid.conditions import COLLECTIONS
from chunkstudy.render import latex

HEADINGS = {
    "gutenqa": "GutenQA",
    "gutenqa-emma": "Emma",
    "builtin-graded": "built-in",
    AVERAGE: "Avg",
}
TASKS = {"in_document": "In-document", "in_corpus": "In-corpus"}


def plain(table: Table) -> pd.DataFrame:
    """Cells as text: ``**best**``, ``_worst_``, superscripts after ``^``; models and methods as
    columns, and over how many collections a model's averages are."""
    rows = []
    for (model, method), cells in table.rows.items():
        row: dict[str, object] = {"model": model, "method": method}
        row |= {name: _text(cells.get(name), table, _markdown) for name in table.columns}
        rows.append(row | {"collections averaged": table.averaged.get(model, 0)})
    return pd.DataFrame(rows)


def values(table: Table) -> pd.DataFrame:
    """Numbers alone: (model, method) by collection, NaN where there is no record."""
    rows = {
        key: {name: cells[name].value for name in table.columns if name in cells}
        for key, cells in table.rows.items()
    }
    index = pd.MultiIndex.from_arrays(
        [[model for model, _ in rows], [method for _, method in rows]], names=["model", "method"]
    )
    return pd.DataFrame(list(rows.values()), index=index, columns=table.columns, dtype=float)


def to_latex(table: Table, caption: str, label: str) -> str:
    """A booktabs table with multirow models, as the paper sets it."""
    text = _frame(table, _tex, latex.escape).style.to_latex(
        hrules=True,
        clines="skip-last;data",
        multicol_align="c",
        multirow_align="t",
        column_format="ll" + "r" * len(table.columns),
        caption=latex.escape(caption),
        label=label,
        position="t",
    )
    return text if text.endswith("\n") else text + "\n"


def to_html(table: Table, caption: str) -> str:
    """The same for a notebook; the same table gives the same bytes."""
    styler = _frame(table, _html, _plain_html).style.set_caption(_plain_html(caption))
    return str(styler.set_uuid("taxonomy").to_html())


def _frame(
    table: Table, wrap: Callable[[str, Cell], str], escape: Callable[[object], str]
) -> pd.DataFrame:
    cells = [
        [_text(one.get(name), table, wrap) for name in table.columns] for one in table.rows.values()
    ]
    names = [(escape(model), escape(method)) for model, method in table.rows]
    heads = [(_task(name), escape(HEADINGS.get(name, name))) for name in table.columns]
    return pd.DataFrame(
        cells,
        index=pd.MultiIndex.from_tuples(names),
        columns=pd.MultiIndex.from_tuples(heads),
    )


def _task(name: str) -> str:
    return "" if name == AVERAGE else TASKS[COLLECTIONS[name]]


def _text(cell: Cell | None, table: Table, wrap: Callable[[str, Cell], str]) -> str:
    if cell is None or cell.value != cell.value:
        return ""
    return wrap(f"{cell.value:+.2f}" if table.percent else f"{cell.value:.4f}", cell)


def _markdown(number: str, cell: Cell) -> str:
    if cell.bold:
        number = f"**{number}**"
    elif cell.underline:
        number = f"_{number}_"
    return f"{number}^{cell.marks}" if cell.marks else number


def _tex(number: str, cell: Cell) -> str:
    shown = f"{number}\\textsuperscript{{{cell.marks}}}" if cell.marks else number
    if cell.bold:
        return f"\\textbf{{{shown}}}"
    return f"\\underline{{{shown}}}" if cell.underline else shown


def _html(number: str, cell: Cell) -> str:
    shown = f"{number}<sup>{cell.marks}</sup>" if cell.marks else number
    if cell.bold:
        return f"<b>{shown}</b>"
    return f"<u>{shown}</u>" if cell.underline else shown


def _plain_html(text: object) -> str:
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
