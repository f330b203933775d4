"""Published tables held against each other: one check, its outcome, and tables as numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import takewhile
from typing import cast

import pandas as pd

from chunkstudy.published import cells as published

WHERE = [*published.COLUMNS, "section", "block", "column"]
"""The columns that checks need."""
KEYS = ["encoder", "chunker"]
IN_CORPUS = ["fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs"]
DATASETS = ["gutenqa", *IN_CORPUS]
AVERAGE = "average"
SMALL = "jinaai/jina-embeddings-v2-small-en"
SCORES = ("3", "5")
"""The taxonomy's tables of scores, before and after contextualizing; Table 4 is the change."""
SLACK = 1e-9
NAN = float("nan")


@dataclass(frozen=True)
class Check:
    """One check and its outcome.

    Attributes:
        check: what must be so.
        tables: the tables that it holds against each other, where a reader finds them.
        expected: what the worst cell should hold, in the unit; NaN where no number is compared.
        found: what it holds.
        deviation: the distance of both.
        unit: of the numbers, or what is counted.
        cells: how many were checked.
        off: how many of them are off.
        which: where the worst cell stands, or those that are off where no number is compared.
    """

    check: str
    tables: str
    expected: float
    found: float
    deviation: float
    unit: str
    cells: int
    off: int
    which: str

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part`` or ``does not hold``."""
        if not self.off:
            return "holds"
        return "holds in part" if self.off < self.cells else "does not hold"


COLUMNS = [*(field.name for field in fields(Check)), "verdict"]


class Tables:
    """Published cells as tables of numbers."""

    def __init__(self, cells: pd.DataFrame) -> None:
        """``cells`` as `cells.frame` gives them with `WHERE`, in the order of their source."""
        self.cells = cells

    def of(self, work: str, table: str, statistic: str | None = None) -> pd.DataFrame:
        """The cells of one table, one row each."""
        found = self.cells[(self.cells["work"] == work) & (self.cells["table"] == table)]
        return found if statistic is None else found[found["statistic"] == statistic]

    def table(self, number: str, column: str = "value") -> pd.DataFrame:
        """A table of the taxonomy: (encoder, chunker) by collection."""
        cells = self.of("taxonomy", number)
        return cells.pivot(index=KEYS, columns="collection", values=column)[[*DATASETS, AVERAGE]]

    def methods(self, number: str, column: str = "value") -> pd.DataFrame:
        """The same without the rows of averages."""
        found = self.table(number, column)
        return found[found.index.get_level_values("chunker") != AVERAGE]

    def by_key(self, number: str) -> pd.DataFrame:
        """A table's cells by (encoder, chunker, collection): ``value`` and ``place``."""
        return self.of("taxonomy", number).set_index([*KEYS, "collection"])[["value", "place"]]

    def where(self, *tables: tuple[str, str]) -> str:
        """Where whole tables stand, such as ``taxonomy, Table 3``."""
        return "; ".join(f"{work}, {_shared(self.of(work, table))}" for work, table in tables)


def of(table: pd.DataFrame, chunker: str) -> pd.DataFrame:
    """A chunker's row of each model, without that part of the keys."""
    return cast(pd.DataFrame, table.xs(chunker, level="chunker"))


def column(table: pd.DataFrame, collection: str) -> pd.DataFrame:
    """A column of cells by key, without that part of the keys."""
    return cast(pd.DataFrame, table.xs(collection, level="collection"))


def stacked(table: pd.DataFrame) -> pd.Series:
    """A table's cells, its column last in their keys."""
    return cast(pd.Series, table.stack())


def compare(
    check: str,
    tables: str,
    expected: pd.Series,
    found: pd.DataFrame,
    bound: float | pd.Series,
    unit: str = "fraction",
) -> Check:
    """Each published cell against what it should be, within a bound.

    Args:
        expected: by key.
        found: ``value`` and ``place`` of the cells by the same keys, and perhaps of others.
        bound: how far a cell may be off, of all or by key.

    Raises:
        ValueError: if an expected cell has no counterpart.
    """
    found = found.reindex(expected.index)
    distance = (found["value"] - expected).abs()
    if distance.isna().any():
        raise ValueError(f"{check}: {int(distance.isna().sum())} cells have no counterpart")
    worst = int(distance.argmax())
    off = int((distance > bound + SLACK).sum())
    cell = found.iloc[worst]
    return Check(check, tables, float(expected.iloc[worst]), float(cell["value"]),
                 float(distance.max()), unit, len(distance), off, str(cell["place"]))  # fmt: skip


def without_numbers(check: str, tables: str, unit: str, cells: int, off: list[str]) -> Check:
    return Check(check, tables, NAN, NAN, NAN, unit, cells, len(off), "; ".join(off))


def _shared(cells: pd.DataFrame) -> str:
    """What all cells of a table share of where they stand."""
    same = takewhile(lambda name: cells[name].nunique() == 1, ("section", "block"))
    return ", ".join(filter(None, (str(cells[name].iloc[0]) for name in same)))
