"""The taxonomy's tables as the paper sets them: bold the best of a column, underlined the worst,
superscripts for significance; published rows first, ours below.
"""

from __future__ import annotations

from html import escape

import pandas as pd

from chunkstudy.published.sources import AVERAGE
from chunkstudy.studies.taxonomy import tables
from chunkstudy.studies.taxonomy.tables import RECORDS
from chunkstudy.study.titles import shown

CAPTIONS = {
    "3": "plain chunking",
    "4": "change from plain to late chunking, percent. *: differs from plain chunking",
    "5": "late chunking",
}
MARKS = "Bold: best of a column. Underlined: worst. a: differs from the best, b: from the worst"


def as_printed(published: pd.DataFrame, own: pd.DataFrame, number: str = "3") -> str:
    """The published table as the paper sets it, as HTML, with our rows below.

    Args:
        published: cells of the published table.
        own: rows as :func:`tables.marked`, :func:`tables.changed` or :func:`tables.means` make
            them.
        number: of the table, ``3`` to ``5``.
    """
    both = pd.concat([tables.published(published, number), own], ignore_index=True)
    keys = pd.DataFrame(
        {
            "model": [_model(row) for row in both.to_dict("records")],
            "method": both["method"].map(_method),
            "collection": [escape(shown("collection", name)) for name in both["collection"]],
            "cell": [_cell(row, number) for row in both.to_dict("records")],
        }
    )
    wide = keys.pivot(index=["model", "method"], columns="collection", values="cell").fillna("")
    order = keys[["model", "method"]].drop_duplicates().itertuples(index=False, name=None)
    wide = wide.loc[list(order), list(dict.fromkeys(keys["collection"]))]
    marks = "" if number == "4" else f" {MARKS}"
    caption = (
        f"The taxonomy's Table {number}: {CAPTIONS[number]}.{marks} (paired t-test, p < 0.05). "
        "An average is over the in-corpus collections of its model's rows."
    )
    return f"<p><b>{escape(caption)}</b></p>" + wide.rename_axis(columns=None).to_html(escape=False)


def _model(row: dict[object, object]) -> str:
    """Whose row it is: a published model, or a recorded one and how it was run."""
    encoder = escape(shown("encoder", str(row["encoder"])))
    protocol = escape(shown("protocol", str(row["protocol"])))
    return f"{encoder}, {protocol}" if row["source"] == RECORDS else encoder


def _method(name: str) -> str:
    return "Average" if name == AVERAGE else escape(shown("chunker", name))


def _cell(row: dict[object, object], number: str) -> str:
    """A value with its marks; nothing where there is none."""
    value = row["value"]
    if not isinstance(value, float) or pd.isna(value):
        return ""
    text = f"{100 * value:+.2f}" if number == "4" else f"{value:.4f}"
    text = text.replace("-", "\N{MINUS SIGN}")
    marks = f"<sup>{row['marks']}</sup>" if row["marks"] else ""
    shape = "b" if row["best"] else "u" if row["worst"] else ""
    return f"<{shape}>{text}{marks}</{shape}>" if shape else f"{text}{marks}"
