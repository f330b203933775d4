"""What claims look at: published cells, their comparison, records, tables, facts and studies.

Everything is committed with the project, so that verdicts come out the same wherever they are
derived, with or without the collections at hand. Nothing else in this room opens a file of the
project or knows in which unit one keeps its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from chunkstudy import statistics
from chunkstudy.claims.verdicts import ClaimError, Outcome, counted, unanswered
from chunkstudy.grid import facts
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.library import Library, Record
from chunkstudy.places import Places
from chunkstudy.published.cells import frame, read
from chunkstudy.studies import results


@dataclass(frozen=True)
class Evidence:
    """What is known.

    Attributes:
        places: where the project's files lie.
        comparison: a row per published cell, with what was reproduced.
        tables: the derived tables by name, as ``results/tables`` holds them.
    """

    places: Places
    comparison: pd.DataFrame
    tables: dict[str, pd.DataFrame]

    @cached_property
    def library(self) -> Library:
        return Library(self.places)

    @cached_property
    def _published(self) -> dict[tuple[str, str], pd.DataFrame]:
        tables = frame(read(self.places)).groupby(["work", "table"])
        return {(str(work), str(table)): cells for (work, table), cells in tables}

    def cells(self, work: str, table: str) -> pd.DataFrame:
        """The published cells of one table, in the unit it prints; a lost ``value`` is missing.

        Raises:
            ClaimError: if there is no such table.
        """
        if (work, table) not in self._published:
            raise ClaimError(f"{work} has no published table {table!r}")
        return self._published[work, table]

    def compared(self, work: str, table: str) -> pd.DataFrame:
        """The same cells beside what was reproduced, in the same unit."""
        of = self.comparison
        return of[(of["work"] == work) & (of["table"].astype(str) == table)]

    def table(self, name: str) -> pd.DataFrame:
        """A derived table, its scores as fractions; empty where no record gives it.

        Raises:
            ClaimError: if there is none of that name.
        """
        if name not in self.tables:
            raise ClaimError(f"there is no derived table {name!r}")
        return self.tables[name]

    def facts(self, name: str) -> pd.DataFrame:
        """Facts of a collection by name; empty where no run has written them yet."""
        return facts.read(self.places, name)

    def study(self, name: str) -> pd.DataFrame:
        """A study's table, ``study`` or ``study/table``; empty where it was not run."""
        study, _, table = name.partition("/")
        return results.read(self.places, study, table or None)

    def conditions(self, collection: str) -> pd.DataFrame:
        """Every record of a collection by its condition, ``value`` being 1."""
        names = ("chunker", "encoder", "ordering", "protocol")
        found = [
            {name: getattr(condition, name) for name in names} | {"value": 1}
            for condition in self.library
            if condition.collection == collection
        ]
        return pd.DataFrame(found, columns=[*names, "value"])

    def records(self, collection: str) -> Iterator[tuple[Condition, Record]]:
        """Every record of a collection."""
        for condition in self.library:
            if condition.collection == collection:
                record = self.library.get(condition)
                assert record is not None
                yield condition, record

    def per_query(self, condition: Condition, measure: str) -> pd.Series | None:
        """A measure's value per query, a fraction; None without the record."""
        record = self.library.get(condition)
        return None if record is None else record.wide[measure]


def reproduced(cells: pd.DataFrame) -> Outcome:
    """Whether published cells came out again: at the printed digits or within measured noise."""
    done = cells[cells["verdict"] != "not_run"]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    exact = done["verdict"].isin(["exact", "within_noise"])
    figures = []
    if done["difference"].notna().any():
        furthest = done.iloc[int(done["difference"].abs().fillna(-1).argmax())]
        figures.append(
            f"furthest {furthest['chunker']}: published {furthest['published']}, "
            f"reproduced {furthest['reproduced']:.3f}"
        )
    if len(done) < len(cells):
        figures.append(f"{len(cells) - len(done)} cells lost or without a record")
    return counted(exact.tolist(), "; ".join(figures))


def inside_interval(cells: pd.DataFrame) -> Outcome:
    """Whether published means lie in the 95% intervals of the reproduced ones."""
    done = cells[cells["low"].notna()]
    if done.empty:
        return unanswered(reasons(cells), f"0 of {len(cells)} cells have a record")
    inside = done["value"].between(done["low"], done["high"])
    return counted(
        dict(zip(done["chunker"], inside, strict=True)),
        "published value inside the reproduced 95% interval",
    )


def reasons(cells: pd.DataFrame, most: int = 3) -> str:
    """Why cells have not been run, each reason once, and no more than ``most`` of them."""
    waiting = cells[(cells["verdict"] == "not_run") & (cells["state"] != "lost")]
    parts = waiting["reason"].astype(str).str.split("; ").explode()
    found = list(dict.fromkeys(parts.str.replace("^(needs |.* first [^ ]+: )", "", regex=True)))
    more = [f"{len(found) - most} more reasons in comparison.csv"] if len(found) > most else []
    return "; ".join(found[:most] + more)


def rank(values: pd.Series, name: str) -> int:
    """1 for the highest value; equal values share the better rank."""
    return int((values > values[name]).sum()) + 1


def listed(values: pd.Series, form: str = "{:.2f}") -> str:
    """``name value, name value``."""
    return ", ".join(f"{key} {form.format(value)}" for key, value in values.items())


def paired(a: pd.Series, b: pd.Series) -> tuple[float, float, float]:
    """Mean difference a - b over common queries and its 95% interval."""
    both = pd.DataFrame({"a": a, "b": b}).dropna()
    found = statistics.paired_difference(both["a"], both["b"])
    return found.mean, found.interval.low, found.interval.high


def points(difference: tuple[float, float, float]) -> str:
    """``+1.23 [0.45, 2.01]`` in hundredths."""
    mean, low, high = (100 * value for value in difference)
    return f"{mean:+.2f} [{low:.2f}, {high:.2f}]"
