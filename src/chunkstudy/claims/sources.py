"""The sources of evidence, each read once: all of it is committed with the project.

Verdicts come out the same wherever they are derived, with or without the collections at hand.
Nothing else in this room opens a file of the project or knows whose model made one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import pandas as pd

from chunkstudy.claims.verdicts import ClaimError
from chunkstudy.grid import facts
from chunkstudy.grid.conditions import MINILM, NONE, Condition
from chunkstudy.grid.library import Library, Record
from chunkstudy.published import cells, official_code
from chunkstudy.studies import results

Kind = Literal["cells", "compared", "table", "facts", "study", "records", "code"]
"""Published cells; the same beside what was reproduced; derived tables; counted facts of
collections; tables of studies; records by their condition; facts of official code."""
KINDS: tuple[Kind, ...] = get_args(Kind)
NO_MODEL: frozenset[str] = frozenset()


def model(encoder: str) -> str:
    """A model's hub id from an encoder's name, which may be a folder's and state its window."""
    return re.sub(r"-w\d+$", "", encoder.replace("__", "/"))


MADE_WITH = {
    "table/chroma_lengths": NO_MODEL,
    "table/published_facts": NO_MODEL,
    "table/late_chunking_nan_guard": frozenset({model(MINILM)}),
    "table/late_chunking_company": frozenset({model(MINILM)}),
    "table/one_post_sizes": frozenset({model(MINILM)}),
    "study/one-post/texts": NO_MODEL,
    "study/questions/counts": NO_MODEL,
    "study/packed-windows": NO_MODEL,
}
"""Whose vectors stand behind a derived table without a column ``encoder``, and behind a study's
table where it is not all those that its provenance names."""


@dataclass(frozen=True)
class Sources:
    """What is known.

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
            here = results.folder(self.library.places, name.partition("/")[0])
            return frozenset(one.id for one in results.read_provenance(here).models)
        if kind == "table":
            raise ClaimError(f"table {name} has no column encoder; say in MADE_WITH who made it")
        return NO_MODEL

    @cached_property
    def _published(self) -> dict[str, pd.DataFrame]:
        tables = cells.frame(cells.read(self.library.places)).groupby(["work", "table"])
        return {f"{work}/{table}": found for (work, table), found in tables}

    def _frame(self, kind: Kind, name: str) -> pd.DataFrame:
        match kind:
            case "cells":
                if name not in self._published:
                    work, _, table = name.partition("/")
                    raise ClaimError(f"{work} has no published table {table!r}")
                return self._published[name]
            case "compared":
                of = self.comparison
                return of[of["work"] + "/" + of["table"].astype(str) == name]
            case "table":
                if name not in self.tables:
                    raise ClaimError(f"there is no derived table {name!r}")
                return self.tables[name]
            case "facts":
                return facts.read(self.library.places, name)
            case "study":
                study, _, table = name.partition("/")
                return results.read(self.library.places, study, table or None)
            case "records":
                return self._records(name)
            case "code":
                return self._code(name)

    def _records(self, collection: str) -> pd.DataFrame:
        """Every record of a collection by its condition, ``value`` being 1."""
        names = ("chunker", "encoder", "ordering", "protocol")
        found = [
            {name: getattr(condition, name) for name in names} | {"value": 1}
            for condition in self.library
            if condition.collection == collection and condition.encoder != NONE
        ]
        return pd.DataFrame(found, columns=[*names, "value"])

    def _code(self, name: str) -> pd.DataFrame:
        found = official_code.read(self.library.places)
        if name not in found:
            raise ClaimError(
                f"no fact of official code is called {name!r}; add it to "
                f"results/published/{official_code.FOLDER}"
            )
        fact = found[name]
        row = {"fact": name, "value": fact.value, "says": fact.says, "place": fact.place}
        return pd.DataFrame([row])
