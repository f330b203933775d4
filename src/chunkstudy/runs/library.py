"""Every record of the study by condition; scores are read when they are first asked for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from chunkstudy.base.files import replacing
from chunkstudy.base.places import Places
from chunkstudy.runs import facts, records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.records import Record as Record

COLUMNS = (
    "collection", "chunker", "encoder", "ordering", "protocol", "query_id", "measure", "value",
)  # fmt: skip


class Library:
    """The records below ``results/runs``; build it once and pass it on.

    Raises:
        RecordError: if a table of conditions is not whole, or of another schema version.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._records = {
            condition: records.read(places.runs, condition)
            for condition in records.find(places.runs)
        }
        self._parts: dict[str, pd.Series] = {}

    def __iter__(self) -> Iterator[Condition]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __contains__(self, condition: object) -> bool:
        return condition in self._records

    def get(self, condition: Condition) -> Record | None:
        return self._records.get(condition)

    def values(self, record: Record, measure: str, part: str = "all") -> pd.Series:
        """A measure's value per query, of one part of the collection or of all."""
        return self.rows(record, part)[measure]

    def rows(self, record: Record, part: str = "all") -> pd.DataFrame:
        """The scores of one part of the collection, as those of all in ``record.wide``."""
        if part == "all":
            return record.wide
        name = record.run.collection
        if name not in self._parts:
            table = facts.read(self.places, name)
            self._parts[name] = table.set_index("query_id")["part"]
        parts = self._parts[name]
        return record.wide[record.wide.index.isin(parts.index[parts == part])]


def write_csv(path: Path, conditions: Iterable[Condition], library: Library) -> int:
    """Write a line per condition, query and measure, values with six decimals; returns how many.

    A query without a value has no line.
    """
    lines = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for condition in conditions:
            if (record := library.get(condition)) is None:
                continue
            scores = record.wide.melt(ignore_index=False).dropna()
            lines += len(scores)
            writer.writerows(
                (*condition.path.parts, query, measure, f"{value:.6f}")
                for query, measure, value in scores.itertuples()
            )
    return lines
