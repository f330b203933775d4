"""What one reading of a claim may hear: the records of the models it speaks of, and no others.

A claim about what a model scores is decided by records of that model alone. So a reading is not
given the sources but `Evidence` of certain models: rows of another encoder are not in the tables
it sees, and it is left open where nothing remains. What it asked for is kept, by which the ledger
holds it to the basis that it names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pandas as pd

from chunkstudy import statistics
from chunkstudy.claims.sources import Kind, Sources, model
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.grid.library import Record


@dataclass(frozen=True)
class Evidence:
    """The sources, as far as they tell of certain models.

    Attributes:
        sources: what is known.
        models: hub ids of the models whose records count; all of them where there is none.
        asked: kind and name of every source that was asked for.
    """

    sources: Sources
    models: frozenset[str] | None = None
    asked: set[tuple[Kind, str]] = field(default_factory=set)

    def of(self, models: frozenset[str] | None) -> Evidence:
        """The same sources, heard anew about these models."""
        return Evidence(self.sources, models)

    def cells(self, work: str, table: str) -> pd.DataFrame:
        """The published cells of one table, in the unit it prints; a lost ``value`` is missing."""
        return self.frame("cells", f"{work}/{table}")

    def compared(self, work: str, table: str) -> pd.DataFrame:
        """The same cells beside what was reproduced, in the same unit."""
        return self.frame("compared", f"{work}/{table}")

    def table(self, name: str) -> pd.DataFrame:
        """A derived table, its scores as fractions."""
        return self.frame("table", name)

    def facts(self, name: str) -> pd.DataFrame:
        """Facts of a collection by name."""
        return self.frame("facts", name)

    def study(self, name: str) -> pd.DataFrame:
        """A study's table, ``study`` or ``study/table``."""
        return self.frame("study", name)

    def code(self, fact: str) -> pd.DataFrame:
        """One row: a fact of the official code, its ``value`` as text."""
        return self.frame("code", fact)

    def conditions(self, collection: str) -> pd.DataFrame:
        """Every record with vectors of a collection by its condition, ``value`` being 1."""
        return self.frame("records", collection)

    def records(self, collection: str) -> Iterator[tuple[Condition, Record]]:
        """Every record of a collection."""
        self.asked.add(("records", collection))
        for condition in self.sources.conditions():
            if condition.collection == collection and (record := self.record(condition)):
                yield condition, record

    def record(self, condition: Condition) -> Record | None:
        """A condition's record; None without one, or of another model."""
        self.asked.add(("records", condition.collection))
        return self.sources.record(condition) if self._heard(condition.encoder) else None

    def per_query(self, condition: Condition, measure: str) -> pd.Series | None:
        """A measure's value per query, a fraction; None without the record."""
        record = self.record(condition)
        return None if record is None else record.wide[measure]

    def frame(self, kind: Kind, name: str) -> pd.DataFrame:
        """A source's rows about the models that count; empty where nothing has written any.

        Published cells are the works' own, and each is compared with its own model's record.
        """
        self.asked.add((kind, name))
        found = self.sources.frame(kind, name)
        if self.models is None or found.empty or kind in ("cells", "compared", "code"):
            return found
        if "encoder" in found:
            # A row that names no encoder may speak of any.
            return found[found["encoder"].fillna("").map(self._heard)]
        return found if self.sources.models(kind, name) <= self.models else found.head(0)

    def _heard(self, encoder: str) -> bool:
        return self.models is None or encoder == NONE or model(encoder) in self.models


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
