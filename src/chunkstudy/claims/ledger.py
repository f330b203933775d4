"""The ledger: every claim of the four works, and what decides each reading of it.

``<work>.toml`` in this folder holds, per claim, its id, where it stands in the work, what it says
in our own words, the notebook that shows what decides it, and its readings: one plain one, or,
where a sentence is loose, the ``strict`` one that takes it at its word and the ``charitable`` one
that a fair reader takes from it and that never falls below it. A reading holds what it takes the
sentence to mean, on what its verdict rests, and a predicate (:mod:`chunkstudy.claims.predicates`)
over selected numbers (:mod:`chunkstudy.claims.selection`). The data hold no verdict: :func:`derive`
asks each predicate, and gives it the records of no other models than the claim speaks of
(:mod:`chunkstudy.claims.evidence`). What other models show stands beside it as a witness.

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
from chunkstudy.claims.sources import Kind, Sources
from chunkstudy.claims.verdicts import STRENGTH, ClaimError, Outcome
from chunkstudy.faults import first_fault
from chunkstudy.grid.library import Library

WORKS = ("chroma", "jina", "taxonomy", "tutorial")
COLUMNS = [
    "id", "work", "source", "claim", "reading", "verdict", "basis", "models", "figures", "needs",
    "predicate", "page",
]  # fmt: skip
Model = TypeVar("Model", "Claim", Selection)
Basis = Literal["own data", "published arithmetic", "official code"]
WITNESS = "witness"
"""The basis of what is shown where nothing decides."""
Models = list[str] | Literal["any"]


class Reading(Strict):
    """One way to take a claim.

    Attributes:
        name: ``plain``, ``strict`` or ``charitable``.
        meaning: what the sentence is taken to mean; a plain one says itself.
        basis: on what the verdict rests.
        decided: the predicate.
        beside: further numbers to show.
        witness: what another model or collection shows, which never decides: numbers, or a
            function that tells them.
    """

    name: Literal["plain", "strict", "charitable"] = "plain"
    meaning: str = ""
    basis: Basis
    decided: Predicate = Field(alias="by")
    beside: tuple[Shown, ...] = ()
    witness: Call | Shown | None = None

    @model_validator(mode="after")
    def means_something(self) -> Self:
        if (self.name == "plain") == bool(self.meaning):
            raise ValueError("a strict or charitable reading, and no plain one, has a meaning")
        return self

    def outcome(self, selector: Selector) -> Outcome:
        """What its predicate finds.

        Raises:
            ClaimError: if it asked for other sources than its basis names.
        """
        found = asked(self.decided, selector)
        if not found.needs and not _rests_on(
            self.basis, {kind for kind, _ in selector.evidence.asked}
        ):
            raise ClaimError(
                f"its basis is {self.basis}, and it asks for "
                f"{', '.join(sorted(map(' '.join, selector.evidence.asked))) or 'nothing'}"
            )
        return found

    def witnessed(self, selector: Selector) -> str:
        """What models that the claim does not speak of show; empty without any."""
        if self.witness is None:
            return ""
        if isinstance(self.witness, Call):
            return str(self.witness.ask(selector.evidence))
        return _text(self.witness, selector)


def _rests_on(basis: Basis, kinds: set[Kind]) -> bool:
    """Whether these sources are what a basis names: the works' own cells alone, their code among
    others, or something computed here."""
    if basis == "published arithmetic":
        return kinds <= {"cells"}
    if basis == "official code":
        return "code" in kinds
    return bool(kinds - {"cells", "code"})


def _text(shown: Shown, selector: Selector) -> str:
    numbers = selector.select(shown.values)
    return shown.text(numbers) if len(numbers) else ""


class Claim(Strict):
    """One claim, restated.

    Attributes:
        models: of which models' scores it speaks, where it is not those of its work.
    """

    id: str = Field(min_length=1)
    source: str = Field(min_length=1)
    claim: str = Field(min_length=1)
    page: str = Field(min_length=1)
    models: Models | None = None
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
    """The claims of one work, the selections that they name, and the models they speak of."""

    name: str
    models: Models
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
    if "models" not in data:
        raise ClaimError(f"{name} does not say of which `models` its claims speak; use any or ids")
    selections = {
        key: _valid(Selection, entry, f"selection {key} of {name}")
        for key, entry in data.get("selection", {}).items()
    }
    claims = [
        _valid(Claim, entry, f"claim {entry.get('id', '?')} of {name}") for entry in data["claim"]
    ]
    return Work(name, data["models"], selections, claims)


def derive(
    library: Library, comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """The ledger as a table: a row per claim and reading."""
    return settle(read_works(), Sources(library, comparison, tables))


def settle(works: Iterable[Work], sources: Sources) -> pd.DataFrame:
    """Ask the predicate of every reading.

    Raises:
        ClaimError: if one names what does not exist, or breaks the rules.
    """
    rows = []
    for work in works:
        for claim in work.claims:
            found = [_row(work, claim, reading, sources) for reading in claim.reading]
            strengths = [STRENGTH[row["verdict"]] for row in found if row["verdict"] in STRENGTH]
            if strengths != sorted(strengths):
                raise ClaimError(
                    f"claim {claim.id}: the charitable reading is {found[1]['verdict']}, the "
                    f"strict one {found[0]['verdict']}; a fair reader never takes less from it"
                )
            rows += found
    return pd.DataFrame(rows, columns=COLUMNS)


def outcome(work: Work, claim: Claim, reading: Reading, sources: Sources) -> Outcome:
    """What decides one reading, without anything that stands beside it.

    Raises:
        ClaimError: if it names what does not exist, or breaks the rules.
    """
    try:
        return reading.outcome(Selector(work.selections, Evidence(sources, heard(work, claim))))
    except ClaimError as error:
        raise ClaimError(f"claim {claim.id}, {reading.name}: {error}") from error


def heard(work: Work, claim: Claim) -> frozenset[str] | None:
    """The models whose records may decide a claim; all of them where there is none."""
    models = claim.models or work.models
    return None if models == "any" else frozenset(models)


def _row(work: Work, claim: Claim, reading: Reading, sources: Sources) -> dict[str, str]:
    found = outcome(work, claim, reading, sources)
    verdict, models = found.verdict(), heard(work, claim)
    for shown in reading.beside:
        found = found.beside(_text(shown, Selector(work.selections, Evidence(sources, models))))
    witness = reading.witnessed(Selector(work.selections, Evidence(sources)))
    return {
        "id": claim.id,
        "work": work.name,
        "source": claim.source,
        "claim": claim.claim,
        "reading": reading.name + (f": {reading.meaning}" if reading.meaning else ""),
        "verdict": verdict,
        "basis": WITNESS if witness and verdict == "open" else reading.basis,
        "models": "any" if models is None else ", ".join(sorted(models)),
        "figures": found.witnessed(witness).figures,
        "needs": found.needs,
        "predicate": reading.decided.predicate,
        "page": claim.page,
    }


def _valid(model: type[Model], entry: object, what: str) -> Model:
    try:
        return model.model_validate(entry)
    except ValidationError as error:
        place, said = first_fault(error)
        raise ClaimError(f"{what}, {place or 'as a whole'}: {said}") from error
