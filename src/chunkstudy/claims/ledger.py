"""The ledger: every claim of the four works, and what decides each reading of it.

``<work>.toml`` in this folder holds, per claim, its id, where it stands in the work, what it says
in our own words, the notebook that shows what decides it, and its readings: one plain one, or,
where a sentence is loose, the ``strict`` one that takes it at its word and the ``charitable`` one
that is the weakest to say something. A reading holds what it takes the sentence to mean, on what
its verdict rests, and a predicate (:mod:`chunkstudy.claims.predicates`) over selected numbers
(:mod:`chunkstudy.claims.selection`). The data hold no verdict: :func:`derive` asks each predicate.

Ids C01 to C139 are those of the study's list; X ids are claims found while reading, among them
pairs of sentences of one source that cannot both be true.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, Self, TypeVar

import pandas as pd
from pydantic import Field, ValidationError, model_validator

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.predicates import Call, Predicate, Shown, Strict, asked
from chunkstudy.claims.selection import Selection, Selector
from chunkstudy.claims.verdicts import ClaimError, Outcome
from chunkstudy.places import Places

WORKS = ("chroma", "jina", "taxonomy", "tutorial")
COLUMNS = [
    "id", "work", "source", "claim", "reading", "verdict", "basis", "figures", "needs",
    "predicate", "page",
]  # fmt: skip
Model = TypeVar("Model", "Claim", Selection)
Basis = Literal["own data", "published arithmetic", "official code", "witness"]


class Reading(Strict):
    """One way to take a claim.

    Attributes:
        name: ``plain``, ``strict`` or ``charitable``.
        meaning: what the sentence is taken to mean; a plain one says itself.
        basis: on what the verdict rests.
        whole: a single case that is not met contradicts, where it otherwise holds in part.
        decided: the predicate.
        beside: further numbers to show.
        witness: a function that tells another model's figures.
    """

    name: Literal["plain", "strict", "charitable"] = "plain"
    meaning: str = ""
    basis: Basis
    whole: bool = False
    decided: Predicate = Field(alias="by")
    beside: tuple[Shown, ...] = ()
    witness: Call | None = None

    @model_validator(mode="after")
    def means_something(self) -> Self:
        if (self.name == "plain") == bool(self.meaning):
            raise ValueError("a strict or charitable reading, and no plain one, has a meaning")
        return self

    def outcome(self, selector: Selector) -> Outcome:
        """What its predicate finds, with what is shown beside it."""
        found = asked(self.decided, selector)
        for shown in self.beside:
            if len(numbers := selector.select(shown.values)):
                found = found.beside(shown.text(numbers))
        return found.witnessed(str(self.witness.ask(selector.evidence))) if self.witness else found


class Claim(Strict):
    """One claim, restated."""

    id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    claim: str = Field(min_length=1)
    page: str = Field(min_length=1)
    reading: list[Reading]

    @model_validator(mode="after")
    def one_or_two_readings(self) -> Self:
        names = [reading.name for reading in self.reading]
        if names not in (["plain"], ["strict", "charitable"]):
            raise ValueError(
                f"readings {', '.join(names) or 'none'}; give one plain reading, or a strict and "
                "a charitable one"
            )
        return self


@dataclass(frozen=True, slots=True)
class Work:
    """The claims of one work, and the selections that they name."""

    name: str
    selections: dict[str, Selection]
    claims: list[Claim]


def read_works(works: Iterable[str] = WORKS) -> list[Work]:
    """Every claim of these works, in the order of their files.

    Raises:
        ClaimError: if one has other parts than it should, or an id stands twice.
    """
    folder = files(__package__)
    found = [parsed(name, folder.joinpath(f"{name}.toml").read_text("utf-8")) for name in works]
    ids = [claim.id for work in found for claim in work.claims]
    if repeated := sorted({one for one in ids if ids.count(one) > 1}):
        raise ClaimError(f"claims {', '.join(repeated)} stand twice; give each its own id")
    return found


def parsed(name: str, text: str) -> Work:
    """One work's file.

    Raises:
        ClaimError: naming the claim and the field that is wrong.
    """
    data = tomllib.loads(text)
    selections = {
        key: _valid(Selection, entry, f"selection {key} of {name}")
        for key, entry in data.get("selection", {}).items()
    }
    claims = [
        _valid(Claim, entry, f"claim {entry.get('id', '?')} of {name}") for entry in data["claim"]
    ]
    return Work(name, selections, claims)


def derive(
    places: Places, comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """The ledger as a table: a row per claim and reading."""
    return settle(read_works(), Evidence(places, comparison, tables))


def settle(works: Iterable[Work], evidence: Evidence) -> pd.DataFrame:
    """Ask the predicate of every reading.

    Raises:
        ClaimError: if one names what does not exist, or breaks the rules.
    """
    rows = []
    for work in works:
        selector = Selector(work.selections, evidence)
        for claim in work.claims:
            for reading in claim.reading:
                try:
                    found = reading.outcome(selector)
                except ClaimError as error:
                    raise ClaimError(f"claim {claim.id}, {reading.name}: {error}") from error
                meaning = f": {reading.meaning}" if reading.meaning else ""
                rows.append(
                    {
                        "id": claim.id,
                        "work": work.name,
                        "source": claim.source,
                        "claim": claim.claim,
                        "reading": reading.name + meaning,
                        "verdict": found.verdict(reading.whole),
                        "basis": reading.basis,
                        "figures": found.figures,
                        "needs": found.needs,
                        "predicate": reading.decided.predicate,
                        "page": claim.page,
                    }
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def _valid(model: type[Model], entry: object, what: str) -> Model:
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ")
        raise ClaimError(f"{what}, {place or 'as a whole'}: {said}") from error
