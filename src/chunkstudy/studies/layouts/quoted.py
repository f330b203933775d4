"""Numbers as the page's sentences have them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from chunkstudy.show.formats import points


def gained(rows: pd.DataFrame, collection: str, column: str = "difference") -> str:
    """A collection's difference with its interval, in points."""
    return interval(rows[rows["collection"] == collection].iloc[0], column)


def interval(row: pd.Series[Any], column: str = "difference") -> str:
    """A difference with its interval, in points."""
    return f"{points(row[column])} [{points(row['low'])}, {points(row['high'])}]"


def lost(rows: pd.DataFrame, collection: str) -> str:
    """The same the other way round: by how much the first trails."""
    row = rows[rows["collection"] == collection].iloc[0]
    low, high = -row["high"], -row["low"]
    return f"{-100 * row['difference']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def words(rows: pd.DataFrame) -> list[str]:
    """What each row shows."""
    return [str(one) for one in rows["shown"]]
