"""What late chunking changes in the published tables: cells, and averages of percentages."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.sources import AVERAGE
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import number, percent, points, whole

AS_CHANGES: Columns = {"value": Column("change, %", points)}
AS_AVERAGES: Columns = {"*": number}
AS_PACKED: Columns = {
    "alone": Column("alone in their window, %", percent),
    "other tokens": Column("else the others' tokens, median", whole),
    "windows": Column("windows used", whole),
    "fewest": Column("windows that would do", whole),
}
KEYS = ["encoder", "chunker", "collection"]
E5 = "intfloat/multilingual-e5-large-instruct"


def moved(plain: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """``encoder, chunker, collection, plain, late`` of every published cell but averages, as
    fractions.

    Args:
        plain: the cells of Table 3.
        late: the cells of Table 5.
    """
    both = _values(plain, "plain").join(_values(late, "late")).reset_index()
    return both[(both["chunker"] != AVERAGE) & (both["collection"] != AVERAGE)]


def averages(plain: pd.DataFrame, change: pd.DataFrame, late: pd.DataFrame) -> pd.DataFrame:
    """By model and method, the average change in percent as Table 4 has it, a mean of six
    percentages, and between the averages of Tables 3 and 5; the furthest apart first.

    Args:
        plain: the cells of Table 3; ``change`` and ``late`` likewise of Tables 4 and 5.
    """
    both = _values(plain, "plain").join(_values(late, "late")).join(_values(change, "published"))
    own = both.xs(AVERAGE, level="collection").drop(index=AVERAGE, level="chunker")
    own["between averages"] = 100 * (own["late"] / own["plain"] - 1)
    apart = (own["published"] - own["between averages"]).abs()
    order = apart.sort_values(ascending=False).index
    return own.loc[order, ["published", "between averages"]].reset_index()


def _values(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return cells.set_index(KEYS)[["value"]].set_axis([name], axis=1)
