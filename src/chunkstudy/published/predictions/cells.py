"""Published cells as predictions name them: by id, in points, and by what they wait for."""

from __future__ import annotations

from functools import cache

import pandas as pd

from chunkstudy.published.cells import KEYS, Cell
from chunkstudy.published.sources import IN_CORPUS, conditions_of, source_of
from chunkstudy.runs import published_grid
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import PRE_EMBEDDING


def cell_id(cell: Cell) -> str:
    """A cell's key as one word."""
    return "|".join(cell.key)


def ids(comparison: pd.DataFrame) -> pd.Series:
    """The id of each row's cell."""
    keys = zip(*(comparison[name] for name in KEYS), strict=True)
    return pd.Series(map("|".join, keys), index=comparison.index, dtype=object)


@cache
def needed(cell: Cell) -> tuple[Condition, ...]:
    """Every condition that a cell's number waits for, under its work's protocol."""
    if cell.unit != "correlation":
        return tuple(conditions_of(source_of(cell)))
    collections = (cell.collection,) if cell.collection == "gutenqa" else IN_CORPUS
    methods = published_grid.TAXONOMY_METHODS if cell.chunker == "all" else (cell.chunker,)
    plain = published_grid.ORDERINGS[:1] if cell.ordering == PRE_EMBEDDING else ()
    return tuple(
        published_grid.taxonomy(name, method, cell.encoder, ordering)
        for name in collections
        for method in methods
        for ordering in plain or published_grid.ORDERINGS
    )


def points(cell: Cell) -> float:
    """A printed score in percent, so that differences are points."""
    return cell.value * (1.0 if cell.unit == "percent" else 100.0)
