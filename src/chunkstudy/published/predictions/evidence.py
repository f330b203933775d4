"""What is known today, by which predictions are decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published import side_by_side
from chunkstudy.published.cells import KEYS
from chunkstudy.runs.library import Library


@dataclass(frozen=True)
class Evidence:
    """Where the numbers that decide are read.

    Attributes:
        comparison: the published cells and what became of them, see `published.side_by_side`.
        library: the records.
    """

    comparison: pd.DataFrame
    library: Library

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """The rows of the comparison by their cells' ids."""
        rows: Iterable[Any] = self.comparison.to_dict("records")
        return dict(zip(ids(self.comparison), rows, strict=True))


def ids(comparison: pd.DataFrame) -> pd.Series:
    """A cell's key as one word, by which predictions name it."""
    keys = zip(*(comparison[name] for name in KEYS), strict=True)
    return pd.Series(map("|".join, keys), index=comparison.index, dtype=object)


def known(places: Places) -> Evidence:
    """What the records, the studies and the published cells say."""
    library = Library(places)
    return Evidence(side_by_side.compare(places, library), library)
