"""What a check of printed cells is, and the printed cells as tables of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

KEYS = ["encoder", "chunker"]
IN_CORPUS = ["fiqa", "nfcorpus", "scifact", "trec-covid", "arguana", "scidocs"]
DATASETS = ["gutenqa", *IN_CORPUS]
AVERAGE = "average"
STRUCTURE = ["paragraph", "sentence-5", "fixed-256"]
SMALL = "jinaai/jina-embeddings-v2-small-en"
SOURCES = {("taxonomy", ""): "S2", ("jina", "combinations"): "S4", ("jina", ""): "S1"}
SLACK = 1e-9


@dataclass(frozen=True)
class Check:
    """One check and its outcome; expected and found are those of the worst cell, or of all."""

    check: str
    where: str
    expected: str
    found: str
    deviation: float
    unit: str
    cells: int
    off: int

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part`` or ``does not hold``."""
        if not self.off:
            return "holds"
        return "holds in part" if self.off < self.cells else "does not hold"

    def row(self) -> dict[str, object]:
        return {
            "check": self.check,
            "where": self.where,
            "expected": self.expected,
            "found": self.found,
            "largest deviation": "" if np.isnan(self.deviation) else f"{self.deviation:.4g}",
            "unit": self.unit,
            "cells": self.cells,
            "off": self.off,
            "verdict": self.verdict,
        }


class Printed:
    """The printed cells of one or more works, as tables of numbers."""

    def __init__(self, cells: pd.DataFrame) -> None:
        self.cells = cells.assign(
            value=pd.to_numeric(cells["printed"], errors="coerce"),
            at=pd.to_numeric(cells["line"], errors="coerce"),
        )

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

    def averages(self, number: str) -> pd.DataFrame:
        """The rows of averages by encoder."""
        return of(self.table(number), AVERAGE)

    def where(self, *tables: tuple[str, str]) -> str:
        """Source and lines of whole tables, such as ``S2:210-237``."""
        return ", ".join(lines(self.of(*table)) for table in tables)


def of(table: pd.DataFrame, chunker: str) -> pd.DataFrame:
    """A chunker's row of each model, by encoder."""
    return cast(pd.DataFrame, table.xs(chunker, level="chunker"))


def stacked(table: pd.DataFrame) -> pd.Series:
    """A table's cells, its column last in their keys."""
    return cast(pd.Series, table.stack())


def lines(cells: pd.DataFrame) -> str:
    """Source and lines of some cells of one table."""
    first = cells.iloc[0]
    work, table = str(first["work"]), str(first["table"])
    source = SOURCES.get((work, table)) or SOURCES[work, ""]
    return f"{source}:{int(cells['at'].min())}-{int(cells['at'].max())}"


def compare(
    check: str,
    where: str,
    expected: pd.Series,
    found: pd.Series,
    bound: float | pd.Series,
    unit: str = "fraction",
) -> Check:
    """Each found cell against the expected one of the same key, within a bound."""
    found = found.reindex(expected.index)
    distance = (found - expected).abs()
    if distance.isna().any():
        raise ValueError(f"{check}: {int(distance.isna().sum())} cells have no counterpart")
    place = int(distance.argmax())
    digits = 2 if unit == "percent" else 4
    return Check(
        check,
        where,
        f"{expected.iloc[place]:.{digits}f} ({named(expected.index[place])})",
        f"{found.iloc[place]:.{digits}f}",
        float(distance.max()),
        unit,
        len(distance),
        int((distance > bound + SLACK).sum()),
    )


def named(key: object) -> str:
    """A cell's key in words, models by the last part of their id."""
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join(str(part).rsplit("/", 1)[-1] for part in parts)


def statement(check: str, where: str, said: str, found: str, right: Iterable[object]) -> Check:
    """A sentence that each cell bears out or does not."""
    each = [bool(one) for one in right]
    return Check(check, where, said, found, np.nan, "cells", len(each), each.count(False))


def ranged(
    check: str, where: str, low: float, high: float, found: pd.Series, digits: int, unit: str
) -> Check:
    """A stated range against every cell it speaks of, rounded to the digits stated."""
    rounded = found.round(digits)
    outside = (rounded < low - SLACK) | (rounded > high + SLACK)
    ends = max(abs(found.min() - low), abs(found.max() - high))
    shown = f"{found.min():.{digits + 1}f} to {found.max():.{digits + 1}f}"
    said = f"{low:.{digits}f} to {high:.{digits}f}"
    return Check(check, where, said, shown, float(ends), unit, len(found), int(outside.sum()))
