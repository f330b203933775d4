"""Every derived table as it lies in ``results``, with empty text where text is missing."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from chunkstudy.base.places import Places

PLACES = Places(Path(__file__).parents[1])


@cache
def every() -> dict[str, pd.DataFrame]:
    """By name, the comparison among them."""
    paths = [*sorted(PLACES.tables.glob("*.csv")), PLACES.results / "comparison.csv"]
    return {path.stem: _read(path) for path in paths}


def _read(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path, low_memory=False)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    words = [str(name) for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.assign(**{name: frame[name].fillna("") for name in words})
