"""The ledger: every claim of the four works, and what decides each reading of it.

A claim is a function of its work's file (:mod:`~chunkstudy.published.claims.chroma` and so on)
under the sentence it restates. It is given the records of no other models than it speaks of
(:mod:`~chunkstudy.published.claims.evidence`) and returns its readings: a plain one, or, where a
sentence is loose, the fair one that a reader takes from it and the strict one that takes it at its
word, which never grants it more. Each reading rests on a predicate
(:mod:`~chunkstudy.published.claims.predicates`) and names its basis; what other models show stands
beside it as a witness and decides nothing.

Ids C01 to C139 are those of the study's list; X ids are claims found while reading, among them
pairs of sentences of one source that cannot both be true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal

import pandas as pd

from chunkstudy.published.claims.evidence import Evidence, Sources
from chunkstudy.published.claims.outcomes import STRENGTH, ClaimError, Outcome
from chunkstudy.runs.library import Library

WORKS = ("chroma", "jina", "taxonomy", "tutorial")
COLUMNS = [
    "id", "work", "source", "claim", "reading", "verdict", "basis", "models", "figures", "needs",
    "predicate", "page",
]  # fmt: skip
Basis = Literal["own data", "published arithmetic", "official code", "none"]
OWN: Basis = "own data"
PUBLISHED: Basis = "published arithmetic"
CODE: Basis = "official code"
NO_BASIS: Basis = "none"
"""Of what nothing here can decide."""
WITNESS = "witness"
"""The basis of what is shown where nothing decides."""
Models = Iterable[str] | Literal["any"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a claim.

    Attributes:
        name: ``plain``, ``fair`` or ``strict``.
        meaning: what the sentence is taken to mean; a plain one says itself.
        outcome: what its predicate finds.
        basis: on what the verdict rests.
        beside: further numbers.
        witness: what another model or collection shows, which never decides.
    """

    name: str
    meaning: str
    outcome: Outcome
    basis: Basis
    beside: tuple[str, ...] = ()
    witness: str = ""

    @property
    def figures(self) -> str:
        """The numbers it rests on, those beside them, and the witness."""
        found = "; ".join(filter(None, (self.outcome.figures, *self.beside)))
        return f"{found}; witness: {self.witness}" if self.witness else found


def plain(outcome: Outcome, basis: Basis, *beside: str, witness: str = "") -> tuple[Reading, ...]:
    """The one reading of a sentence that says what it means."""
    return (Reading("plain", "", outcome, basis, beside, witness),)


def fair(meaning: str, outcome: Outcome, basis: Basis, *beside: str, witness: str = "") -> Reading:
    """What a reader takes from the sentence."""
    return Reading("fair", meaning, outcome, basis, beside, witness)


def strict(
    meaning: str, outcome: Outcome, basis: Basis, *beside: str, witness: str = ""
) -> Reading:
    """What the sentence literally says."""
    return Reading("strict", meaning, outcome, basis, beside, witness)


Readings = tuple[Reading, ...]
Decide = Callable[[Evidence], Readings]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, restated.

    Attributes:
        id, source: its number, and where it stands in the work.
        says: the sentence in our words.
        page: the notebook that shows what decides it.
        models: hub ids of the models whose records may decide it; any where there is none.
        decide: its readings, the fair one first.
    """

    id: str
    source: str
    says: str
    page: str
    models: frozenset[str] | None
    decide: Decide

    def readings(self, evidence: Evidence) -> tuple[Reading, ...]:
        """What the evidence says of each reading, the fair one first.

        Raises:
            ClaimError: if it names what does not exist, or breaks the rules.
        """
        try:
            found = self.decide(evidence)
            _check(found, {kind for kind, _ in evidence.asked})
        except ClaimError as error:
            raise ClaimError(f"claim {self.id}: {error}") from error
        return found


@dataclass(frozen=True)
class Work:
    """The claims of one work in their order, and the models that they speak of.

    Attributes:
        name: its short name.
        models: hub ids, or ``any``.
        claims: filled by :meth:`claim`.
    """

    name: str
    models: Models
    claims: list[Claim] = field(default_factory=list)

    def claim(
        self, id: str, source: str, page: str, *, models: Models | None = None
    ) -> Callable[[Decide], Decide]:
        """The function below decides the claim of this id, which its docstring restates.

        Args:
            id, source, page: as :class:`Claim` has them.
            models: of which models' scores it speaks, where it is not those of its work.

        Raises:
            ClaimError: if the id stands already.
        """
        if any(one.id == id for one in self.claims):
            raise ClaimError(f"claim {id} stands twice; give each its own id")
        among = self.models if models is None else models
        heard = None if among == "any" else frozenset(among)

        def keep(decide: Decide) -> Decide:
            says = " ".join((decide.__doc__ or "").split())
            self.claims.append(Claim(id, source, says, page, heard, decide))
            return decide

        return keep


def works() -> list[Work]:
    """Every work with its claims, in the order of their files."""
    return [import_module(f"{__package__}.{name}").WORK for name in WORKS]


def derive(
    library: Library, comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """The ledger as a table: a row per claim and reading, the fair one first.

    Raises:
        ClaimError: if a claim names what does not exist, or breaks the rules.
    """
    return settle(works(), Sources(library, comparison, tables))


def settle(works: Iterable[Work], sources: Sources) -> pd.DataFrame:
    """The ledger of these works."""
    rows = [
        _row(work, claim, reading)
        for work in works
        for claim in work.claims
        for reading in claim.readings(Evidence(sources, claim.models))
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(work: Work, claim: Claim, reading: Reading) -> dict[str, str]:
    verdict = reading.outcome.verdict
    return {
        "id": claim.id,
        "work": work.name,
        "source": claim.source,
        "claim": claim.says,
        "reading": reading.name + (f": {reading.meaning}" if reading.meaning else ""),
        "verdict": verdict,
        "basis": WITNESS if reading.witness and verdict == "open" else reading.basis,
        "models": "any" if claim.models is None else ", ".join(sorted(claim.models)),
        "figures": reading.figures,
        "needs": reading.outcome.needs,
        "predicate": reading.outcome.predicate,
        "page": claim.page,
    }


def _check(readings: tuple[Reading, ...], asked: set[str]) -> None:
    """A claim has the readings it may have, each with what it rests on.

    Raises:
        ClaimError: where it does not.
    """
    names = [one.name for one in readings]
    if names not in (["plain"], ["fair", "strict"]):
        raise ClaimError("return one plain reading, or a fair and a strict one")
    verdicts = [one.outcome.verdict for one in readings]
    strengths = [STRENGTH[verdict] for verdict in verdicts if verdict in STRENGTH]
    if strengths != sorted(strengths, reverse=True):
        raise ClaimError("the fair reading grants it less than the strict one; no reader does")
    decided = {one.basis for one in readings if one.outcome.verdict != "open"}
    rests = {
        PUBLISHED: "cells" in asked,
        CODE: "code" in asked,
        OWN: bool(asked - {"cells", "code"}),
    }
    if {one.basis for one in readings} == {PUBLISHED}:
        rests[PUBLISHED] = asked == {"cells"}
    if wrong := [basis for basis in decided if not rests[basis]]:
        raise ClaimError(
            f"its basis is {wrong[0]}, and it asks for {', '.join(asked) or 'nothing'}"
        )
