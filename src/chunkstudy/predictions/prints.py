"""Published cells as predictions ask for them: by id, by condition, and what they wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pandas as pd

from chunkstudy.grid import published_grid
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.published.cells import KEYS, Cell, frame
from chunkstudy.published.sources import IN_CORPUS, conditions_of, source_of, work_of


class Prints:
    """Published cells by their id and by the condition that made them."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = {cell_id(cell): cell for cell in cells}
        self.frame = frame(cells).assign(id=list(self.cells)).set_index("id")
        self._made: dict[tuple[Condition, str, str, str], list[str]] = {}
        for name, cell in self.cells.items():
            source = source_of(cell)
            if isinstance(source, Condition):
                key = (source, cell.measure, cell.part, _statistic(cell))
                self._made.setdefault(key, []).append(name)

    def where(self, query: str) -> pd.DataFrame:
        """The cells of a rule.

        Raises:
            PredictionError: if there are none.
        """
        found = self.frame.query(query, engine="python")
        if found.empty:
            raise PredictionError(f"no published cell has {query}; mend the rule")
        return found

    def by_condition(self, condition: Condition, cell: Cell) -> list[str]:
        """The cells of a condition under its protocol, or that of the cell's work; the one with
        the most decimals first."""
        for one in (condition, replace(condition, protocol=work_of(cell).protocol)):
            found = self._made.get((one, cell.measure, cell.part, _statistic(cell)), [])
            if found:
                return sorted(found, key=lambda name: -_precision(self.cells[name]))
        return []


def cell_id(cell: Cell) -> str:
    """A cell's key as one word."""
    return "|".join(cell.key)


def ids(comparison: pd.DataFrame) -> pd.Series:
    """The id of each row's cell."""
    return comparison[list(KEYS)].agg("|".join, axis=1)


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


def _precision(cell: Cell) -> int:
    """Printed decimals of a score in percent."""
    return (cell.decimals or 0) - (2 if cell.unit == "fraction" else 0)


def _statistic(cell: Cell) -> str:
    """A mean is a mean whosever it is: Table 2 names its two by whose they are."""
    return "std" if cell.statistic == "std" else "mean"


def stored(number: float | None) -> float | None:
    """To eight significant digits, as every derived table has them."""
    return None if number is None else float(f"{number:.8g}")
