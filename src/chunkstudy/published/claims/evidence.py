"""What may decide a claim: the project's own files, as far as they tell of the claim's models.

A claim about what a model scores is decided by records of that model alone. So a claim is not
given the sources but `Evidence` of certain models: rows of another encoder are not in the tables
it sees, and it is left open where nothing remains. What it asked for is kept, from which the ledger
tells its basis. All sources are committed with the project, so that verdicts come out the same with
or without the collections at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.published import cells
from chunkstudy.published.claims.numbers import keyed
from chunkstudy.published.claims.outcomes import ClaimError
from chunkstudy.runs import facts, study_results
from chunkstudy.runs.conditions import MINILM, NONE, Condition
from chunkstudy.runs.library import Library, Record

Kind = Literal["cells", "compared", "table", "facts", "study", "records", "code"]
"""Published cells; the same beside what was reproduced; derived tables; counted facts of
collections; tables of studies; records by their condition; facts of official code."""
NO_MODEL: frozenset[str] = frozenset()


def model(encoder: str) -> str:
    """A model's hub id from an encoder's name, which may be a folder's and state its window."""
    return re.sub(r"-w\d+$", "", encoder.replace("__", "/"))


MADE_WITH = {
    "table/chroma_lengths": NO_MODEL,
    "table/late_chunking_company": frozenset({model(MINILM)}),
    "table/late_chunking_emma_tests": frozenset({model(MINILM)}),
    "table/one_post_sizes": frozenset({model(MINILM)}),
    "study/one-post/texts": NO_MODEL,
    "study/questions/counts": NO_MODEL,
    "study/packed-windows": NO_MODEL,
}
"""Whose vectors stand behind a derived table without a column ``encoder``, and behind a study's
table where it is not all those that its provenance names."""


@dataclass(frozen=True)
class Sources:
    """What is known, each source read once.

    Attributes:
        library: the records, beside which the project's other files lie.
        comparison: a row per published cell, with what was reproduced.
        tables: the derived tables by name, as ``results/tables`` holds them.
    """

    library: Library
    comparison: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    _read: dict[tuple[Kind, str], pd.DataFrame] = field(default_factory=dict, repr=False)

    def frame(self, kind: Kind, name: str) -> pd.DataFrame:
        """A source by its kind and name; empty where nothing has written it yet.

        Raises:
            ClaimError: if nothing of that name can be there.
        """
        if (kind, name) not in self._read:
            self._read[kind, name] = self._frame(kind, name)
        return self._read[kind, name]

    def conditions(self) -> Iterable[Condition]:
        """Every condition that has a record."""
        return self.library

    def record(self, condition: Condition) -> Record | None:
        return self.library.get(condition)

    def models(self, kind: Kind, name: str) -> frozenset[str]:
        """Whose vectors a table without a column ``encoder`` rests on.

        Raises:
            ClaimError: for a derived table of which nobody says.
        """
        if (place := f"{kind}/{name}") in MADE_WITH:
            return MADE_WITH[place]
        if kind == "study":
            here = study_results.folder(self.library.places, name.partition("/")[0])
            return frozenset(one["id"] for one in study_results.read_provenance(here).models)
        if kind == "table":
            raise ClaimError(f"table {name} has no column encoder; say in MADE_WITH who made it")
        return NO_MODEL

    @cached_property
    def _published(self) -> pd.DataFrame:
        return cells.frame(cells.read(self.library.places))

    def _frame(self, kind: Kind, name: str) -> pd.DataFrame:
        work, _, table = name.partition("/")
        if kind in ("cells", "compared"):
            of = self._published if kind == "cells" else self.comparison
            found = of[(of["work"] == work) & (of["table"].astype(str) == table)]
            if kind == "cells" and found.empty:
                raise ClaimError(f"{work} has no published table {table!r}")
            return found
        if kind == "facts":
            return facts.read(self.library.places, name)
        if kind == "study":
            return study_results.read(self.library.places, work, table or None)
        if kind == "table":
            if name not in self.tables:
                raise ClaimError(f"there is no derived table {name!r}")
            return self.tables[name]
        known = cells.facts(self.library.places)
        if name not in known:
            raise ClaimError(
                f"no fact of official code is called {name!r}; add it to "
                f"results/published/{cells.OFFICIAL_CODE}"
            )
        fact = known[name]
        return pd.DataFrame([{"value": fact.value, "says": fact.says, "place": fact.place}])


@dataclass(frozen=True)
class Evidence:
    """The sources, as far as they tell of certain models.

    Attributes:
        models: hub ids of the models whose records count; all of them where there is none.
        asked: kind and name of every source that was asked for.
    """

    sources: Sources
    models: frozenset[str] | None = None
    asked: set[tuple[Kind, str]] = field(default_factory=set)

    @property
    def beside(self) -> Evidence:
        """The same for numbers that stand beside a verdict and do not decide it."""
        return Evidence(self.sources, self.models)

    @property
    def of_any_model(self) -> Evidence:
        """What every model shows, for witnesses, which decide nothing."""
        return Evidence(self.sources)

    def cells(self, table: str, *keys: str, **where: str | list[str]) -> Any:
        """Published numbers of a table such as ``chroma/main``, in the unit it prints."""
        return keyed(self.frame("cells", table), keys, "value", where)

    def table(self, name: str, *keys: str, value: str, **where: str | list[str]) -> Any:
        """Numbers of a derived table, scores as fractions."""
        return keyed(self.frame("table", name), keys, value, where)

    def facts(self, name: str, *keys: str, value: str, **where: str | list[str]) -> Any:
        """Counted facts of a collection."""
        return keyed(self.frame("facts", name), keys, value, where)

    def study(self, name: str, *keys: str, value: str, **where: str | list[str]) -> Any:
        """Numbers of a study's table, ``study`` or ``study/table``."""
        return keyed(self.frame("study", name), keys, value, where)

    def code(self, fact: str) -> pd.Series:
        """A fact of the official code: its ``value``, what it ``says``, and its ``place``."""
        return self.frame("code", fact).iloc[0]

    def code_number(self, fact: str) -> float:
        """A fact of the official code that is a number."""
        return float(self.code(fact)["value"])

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


def paired(a: pd.Series, b: pd.Series) -> tuple[float, float, float]:
    """Mean difference a - b over common queries and its 95% interval."""
    both = pd.DataFrame({"a": a, "b": b}).dropna()
    found = statistics.paired_difference(both["a"], both["b"])
    return found.mean, found.interval.low, found.interval.high


def points(difference: tuple[float, float, float]) -> str:
    """``+1.23 [0.45, 2.01]`` in hundredths."""
    mean, low, high = (100 * value for value in difference)
    return f"{mean:+.2f} [{low:.2f}, {high:.2f}]"
