"""Derived tables as they were written."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places


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
