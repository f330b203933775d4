"""Sources with other data than ours.

Every number a reading looks at comes from `Sources`, so other numbers are put in their place: in
the tables that it asks for and in the records, whose scores and counts can be others too. For what
has no record, that of all-MiniLM-L6-v2 is taken as if it were of the model the claim speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import pandas as pd

from chunkstudy.published.claims.evidence import NO_MODEL, Evidence, Kind, Sources, model
from chunkstudy.runs.conditions import MINILM, Condition, ConditionError
from chunkstudy.runs.library import Record
from chunkstudy.runs.records import Sizes

Source = tuple[Kind, str]
Change = Callable[[Source, pd.DataFrame], pd.DataFrame]
Scores = Callable[[Condition, pd.DataFrame], pd.DataFrame]
OURS = model(MINILM)


@dataclass(frozen=True)
class Mutation:
    """Other data.

    Attributes:
        change: what becomes of a source's table.
        scores: what becomes of a record's scores.
        size: by what the sizes of chunks on record are multiplied.
        fallbacks: how many answers of a language model no record could use; as recorded if None.
        alias: the model as whose records all-MiniLM-L6-v2's are taken; none if empty.
        chunkers: chunkers of records to those as whose they are taken.
    """

    change: Change = lambda source, found: found
    scores: Scores | None = None
    size: float = 1
    fallbacks: int | None = None
    alias: str = ""
    chunkers: Mapping[str, str] = field(default_factory=dict)

    @property
    def of_records(self) -> bool:
        return bool(self.scores) or self.size != 1 or self.fallbacks is not None


class Mutated(Sources):
    """Sources of which those that a reading asked for are changed."""

    def __init__(self, base: Sources, mutation: Mutation, targets: frozenset[Source]) -> None:
        super().__init__(base.library, base.comparison, base.tables)
        self.base, self.mutation, self.targets = base, mutation, targets
        self.alias = model(mutation.alias)

    def _frame(self, kind: Kind, name: str) -> pd.DataFrame:
        found = self.base.frame(kind, name)
        if self.alias and "encoder" in found and kind not in ("cells", "compared"):
            found = found.assign(encoder=found["encoder"].map(self._named))
        return self.mutation.change((kind, name), found) if (kind, name) in self.targets else found

    def conditions(self) -> Iterable[Condition]:
        return list(dict.fromkeys([*self.base.conditions(), *self._aliased]))

    def record(self, condition: Condition) -> Record | None:
        found = self.base.record(self._aliased.get(condition, condition))
        if found is None or not self.mutation.of_records:
            return found
        return Changed(found, condition, self.mutation)

    def models(self, kind: Kind, name: str) -> frozenset[str]:
        found = self.base.models(kind, name)
        return frozenset({self.alias}) if self.alias and found == {OURS} else found

    @cached_property
    def _aliased(self) -> dict[Condition, Condition]:
        """Conditions to those whose records are taken for theirs."""
        found = {}
        chunkers = self.mutation.chunkers
        for one in self.base.conditions() if self.alias or chunkers else ():
            encoder, chunker = self._named(one.encoder), chunkers.get(one.chunker, one.chunker)
            with suppress(ConditionError):  # a model without so many positions
                found[replace(one, encoder=encoder, chunker=chunker)] = one
        return found

    def _named(self, encoder: str) -> str:
        """The alias in the place of all-MiniLM-L6-v2, with the same window."""
        if not self.alias or model(encoder) != OURS:
            return encoder
        return self.mutation.alias + encoder.replace("__", "/").removeprefix(OURS)


class Nothing(Sources):
    """No data at all."""

    def frame(self, kind: Kind, name: str) -> pd.DataFrame:
        return pd.DataFrame()

    def conditions(self) -> Iterable[Condition]:
        return []

    def models(self, kind: Kind, name: str) -> frozenset[str]:
        return NO_MODEL


class Deciding(Evidence):
    """Evidence that tells nothing beside what decides."""

    @property
    def beside(self) -> Evidence:
        sources = self.sources
        return Evidence(Nothing(sources.library, sources.comparison, sources.tables))

    of_any_model = beside


class Changed(Record):
    """A record with other scores and sizes."""

    def __init__(self, record: Record, condition: Condition, mutation: Mutation) -> None:
        sizes = {unit: _scaled(size, mutation.size) for unit, size in record.run.sizes.items()}
        fallbacks = {} if mutation.fallbacks is None else {"fallbacks": mutation.fallbacks}
        counts = record.run.counts.model_copy(update=fallbacks)
        run = record.run.model_copy(update={"sizes": sizes, "counts": counts})
        super().__init__(run, record.folder)
        wide = record.wide
        self.__dict__["wide"] = mutation.scores(condition, wide) if mutation.scores else wide


def _scaled(size: Sizes, by: float) -> Sizes:
    percentiles = [value * by for value in size.percentiles]
    return size.model_copy(update={"mean": size.mean * by, "percentiles": percentiles})
