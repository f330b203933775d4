"""Numbers that a claim speaks of: which cells, of what source, and what is derived from them.

A selection reads from one source and applies what it names in this order: ``where`` and
``without``, one operation with another selection or a number, ``absolute``, one reduction over
keys, ``pick``. Where another order is needed, selections nest through ``of``.

A key that ``where`` or ``pick`` gives one value is settled and leaves the keys, so that what is
left can be set against cells of another value. Two selections are joined on the keys they share;
a key that only one of them has is repeated. A key named by ``against`` is not shared: each of its
values stands against each of the other's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

import pandas as pd
from pydantic import BaseModel, ConfigDict, model_validator

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.sources import KINDS
from chunkstudy.claims.verdicts import ClaimError
from chunkstudy.render.display_names import shown

Among = dict[str, str | list[str]]
SOURCES = (
    "of",
    "cells",
    "compared",
    "table",
    "facts",
    "study",
    "records",
    "code",
    "stated",
    "joined",
)
OPERATIONS = ("minus", "divided_by", "change_from", "correlated_with")
REDUCTIONS = ("mean", "median", "total", "highest", "lowest", "spread", "rank")
VALUE = "value"


class Selection(BaseModel):
    """Some numbers by their keys.

    Attributes:
        of: another selection, or the name of one that the file defines.
        cells: published tables, such as ``taxonomy/3``; ``compared`` with what was reproduced.
        table: a derived table by name.
        facts: counted facts of collections and texts by name.
        study: a study's table by name.
        records: a collection; 1 for every stored record by its condition.
        code: a fact of official code whose value is a number.
        stated: numbers that the text states, by the values of ``key``.
        joined: selections by name, which becomes the key ``key``.
        value: the column of numbers of a source.
        keys: the columns that name a cell of a source.
        where: the values that a column may have.
        without: those it may not have.
        minus: what is subtracted.
        divided_by: what it is a multiple of.
        change_from: what it differs from by so many percent.
        correlated_with: what it is correlated with ``along`` a key, by ``method``.
        against: a key of the other selection that is not matched with one's own.
        absolute: without the sign.
        mean: keys to average over; so with the other reductions. ``rank`` numbers the values
            along its keys, 1 for the highest, equal ones alike.
        pick: as ``where``, last.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: Selection | str | None = None
    cells: str | list[str] | None = None
    compared: str | None = None
    table: str | None = None
    facts: str | None = None
    study: str | None = None
    records: str | None = None
    code: str | None = None
    stated: dict[str, float] | None = None
    joined: dict[str, Selection | str] | None = None
    key: str = "case"
    value: str = VALUE
    keys: list[str] = []
    where: Among = {}
    without: Among = {}
    minus: Selection | str | float | None = None
    divided_by: Selection | str | float | None = None
    change_from: Selection | str | float | None = None
    correlated_with: Selection | str | None = None
    along: str = ""
    method: Literal["spearman", "pearson"] = "spearman"
    against: str = ""
    absolute: bool = False
    mean: list[str] | None = None
    median: list[str] | None = None
    total: list[str] | None = None
    highest: list[str] | None = None
    lowest: list[str] | None = None
    spread: list[str] | None = None
    rank: list[str] | None = None
    pick: Among = {}

    @model_validator(mode="after")
    def one_of_each(self) -> Self:
        """One source, at most one operation, at most one reduction."""
        if len(found := self._given(SOURCES)) != 1:
            raise ValueError(f"a selection has one of {', '.join(SOURCES)}; this has {found}")
        for kind in (OPERATIONS, REDUCTIONS):
            if len(found := self._given(kind)) > 1:
                raise ValueError(f"a selection has one of {', '.join(kind)}; this has {found}")
        if (self.correlated_with is None) != (not self.along):
            raise ValueError("a correlation says along which key, and nothing else does")
        return self

    def _given(self, names: tuple[str, ...]) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]


class Selector:
    """Selects from the evidence; a selection that has a name is computed once.

    Args:
        named: the selections that a file defines, by name.
        evidence: what is known.
    """

    def __init__(self, named: Mapping[str, Selection], evidence: Evidence) -> None:
        self.named, self.evidence = named, evidence
        self._done: dict[str, pd.DataFrame] = {}

    def select(self, selection: Selection | str) -> pd.DataFrame:
        """The numbers: a column per key and ``value``, without missing ones.

        Raises:
            ClaimError: for a name, a source or a key that is not there.
        """
        if not isinstance(selection, str):
            return self._select(selection)
        if selection not in self._done:
            if selection not in self.named:
                raise ClaimError(f"no selection is called {selection!r}; define it in the file")
            self._done[selection] = self._select(self.named[selection])
        return self._done[selection]

    def _select(self, selection: Selection) -> pd.DataFrame:
        found = self._operated(self._source(selection), selection)
        if selection.absolute:
            found = found.assign(value=found[VALUE].abs())
        for name in REDUCTIONS:
            if (over := getattr(selection, name)) is not None:
                found = _reduced(found, name, over)
        return _kept(found, selection.pick, {})

    def _source(self, selection: Selection) -> pd.DataFrame:
        if selection.of is not None:
            found = self.select(selection.of)
        elif selection.stated is not None:
            stated = selection.stated
            found = pd.DataFrame({selection.key: list(stated), VALUE: list(stated.values())})
        elif selection.joined is not None:
            parts = {name: self.select(part) for name, part in selection.joined.items()}
            labelled = [part.assign(**{selection.key: name}) for name, part in parts.items()]
            found = pd.concat(labelled, ignore_index=True)
        else:
            return _read(selection, self.evidence)
        return _kept(found, selection.where, selection.without)

    def _operated(self, found: pd.DataFrame, selection: Selection) -> pd.DataFrame:
        operation = next((n for n in OPERATIONS if getattr(selection, n) is not None), "")
        if not operation:
            return found
        other = getattr(selection, operation)
        if isinstance(other, (int, float)):
            both = found.assign(other=other)
        else:
            both = matched(found, self.select(other), selection.against)
        if operation == "correlated_with":
            return _correlated(both, selection)
        one, two = both[VALUE], both["other"]
        result = {
            "minus": one - two,
            "divided_by": one / two,
            "change_from": 100 * (one / two - 1),
        }[operation]
        return both.assign(value=result).drop(columns="other")


def names_of(selected: pd.DataFrame) -> list[str]:
    """Each cell by the values of its keys, as readers know them."""
    keys = [name for name in selected.columns if name != VALUE]
    return [
        ", ".join(
            shown(key.removeprefix("and "), part) for key, part in zip(keys, row, strict=True)
        )
        for row in selected[keys].itertuples(index=False)
    ]


def matched(one: pd.DataFrame, two: pd.DataFrame, against: str = "") -> pd.DataFrame:
    """Each number beside the ``other`` one of the same keys, as the module says."""
    two = two.rename(columns={VALUE: "other"} | ({against: f"and {against}"} if against else {}))
    shared = [name for name in one.columns if name in two.columns]
    return one.merge(two, on=shared) if shared else one.merge(two, how="cross")


def _read(selection: Selection, evidence: Evidence) -> pd.DataFrame:
    """Cells of a table by their keys; its other columns can be asked for too."""
    frame = _frame(selection, evidence)
    keys = [key for key in selection.keys if not isinstance(selection.where.get(key), str)]
    if frame.empty:
        return pd.DataFrame(columns=[*keys, VALUE])
    if missing := [name for name in (*keys, selection.value) if name not in frame.columns]:
        raise ClaimError(f"{_place(selection)} has no column {', '.join(missing)}")
    frame = _kept(frame, selection.where, selection.without)
    chosen = frame[[*keys, selection.value]].rename(columns={selection.value: VALUE})
    try:
        numbers = pd.to_numeric(chosen[VALUE])
    except ValueError as error:
        raise ClaimError(f"{_place(selection)} does not hold numbers: {error}") from error
    chosen = chosen.assign(value=numbers).dropna(subset=[VALUE])
    if chosen.duplicated(keys or None).any() or (not keys and len(chosen) > 1):
        raise ClaimError(f"the keys {keys} of {_place(selection)} name several cells; add a key")
    return chosen.reset_index(drop=True)


def _frame(selection: Selection, evidence: Evidence) -> pd.DataFrame:
    if selection.cells is not None:
        tables = [selection.cells] if isinstance(selection.cells, str) else selection.cells
        return pd.concat([evidence.cells(*name.split("/", 1)) for name in tables])
    kind, name = next(
        (kind, name) for kind in KINDS if (name := getattr(selection, kind)) is not None
    )
    return evidence.frame(kind, name)


def _place(selection: Selection) -> str:
    return str(next(getattr(selection, name) for name in SOURCES if getattr(selection, name)))


def _kept(frame: pd.DataFrame, where: Among, without: Among) -> pd.DataFrame:
    """Rows of these values; what ``where`` gives one value is no key any more."""
    for names, inside in ((where, True), (without, False)):
        for name, values in names.items():
            if name not in frame.columns:
                raise ClaimError(f"there is no column {name}, only {', '.join(frame.columns)}")
            among = [values] if isinstance(values, str) else values
            frame = frame[frame[name].astype(str).isin(among) == inside]
    settled = [name for name, values in where.items() if isinstance(values, str)]
    return frame.drop(columns=settled).reset_index(drop=True)


def _correlated(both: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    def of(part: pd.DataFrame) -> float:
        return float(part[VALUE].corr(part["other"], method=selection.method))

    keys = [n for n in both.columns if n not in (VALUE, "other", selection.along)]
    if not keys:
        return pd.DataFrame({VALUE: [of(both)]})
    rows = [{**dict(zip(keys, k, strict=True)), VALUE: of(g)} for k, g in both.groupby(keys)]
    return pd.DataFrame(rows)


def _reduced(found: pd.DataFrame, name: str, over: list[str]) -> pd.DataFrame:
    if missing := [key for key in over if key not in found.columns]:
        raise ClaimError(f"there is no key {', '.join(missing)} to take the {name} over")
    keys = [key for key in found.columns if key not in (*over, VALUE)]
    if found.empty:
        return found if name == "rank" else found[[*keys, VALUE]]
    values = found.groupby(keys, sort=False)[VALUE] if keys else found[VALUE]
    if name == "rank":
        return found.assign(value=values.rank(ascending=False, method="min").astype(int))
    if name == "spread":
        reduced = values.max() - values.min()
    else:
        reduced = values.agg({"highest": "max", "lowest": "min", "total": "sum"}.get(name, name))
    return reduced.reset_index() if keys else pd.DataFrame({VALUE: [reduced]})
