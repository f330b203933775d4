"""Every record of the study by condition, and those of another machine that are added to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.runs import facts, records
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.records import Outcome, RecordError
from chunkstudy.runs.records import Record as Record


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


def merge(folder: Path) -> tuple[int, int, list[str]]:
    """Add the records of a folder that is laid out as ``results/runs``: how many were added, how
    many were here already, and of each that was refused why.

    A record is refused where it is not whole, or where the same condition is recorded here with
    other scores.

    Raises:
        RecordError: if the folder holds no record, or a table of conditions is not whole.
    """
    added, already, refused = 0, 0, []
    for condition in records.find(folder):
        target = records.runs_of(condition)
        try:
            record = records.read(folder, condition)
            outcome = Outcome(record.run, record.scores, record.timing, record.ranking())
            if not records.complete(target, condition):
                records.write(target, outcome)
                added += 1
                continue
            digest, other = (
                source.run.per_query_sha256[:12]
                for source in (records.read(target, condition), record)
            )
            if digest != other:
                raise RecordError(
                    f"{condition} is recorded here with other scores (digest {digest}, there "
                    f"{other}); run it again on both machines to see which holds"
                )
            already += 1
        except RecordError as error:
            refused.append(str(error))
    if not added + already + len(refused):
        raise RecordError(
            f"there is no record below {folder}; name a folder that is laid out as results/runs"
        )
    return added, already, refused
