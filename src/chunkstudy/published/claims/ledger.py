"""The ledger: every claim of the four works, and what decides each reading of it.

A claim is a function of its work's file (:mod:`~chunkstudy.published.claims.chroma` and so on)
under the sentence it restates. It is given the records of no other models than it speaks of
(:mod:`~chunkstudy.published.claims.evidence`) and yields its readings: a plain one, or, where a
sentence is loose, the fair one that a reader takes from it and the strict one that takes it at its
word, which never grants it more. Each reading rests on a predicate
(:mod:`~chunkstudy.published.claims.predicates`), and its basis is what was asked for until it was
yielded; what other models show stands beside it as a witness and decides nothing.

Ids C01 to C139 are those of the study's list; X ids are claims found while reading, among them
pairs of sentences of one source that cannot both be true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Literal

import pandas as pd

from chunkstudy.published.claims.evidence import Evidence, Sources
from chunkstudy.published.claims.outcomes import STRENGTH, ClaimError, Outcome
from chunkstudy.published.sources import WORKS

COLUMNS = [
    "id", "work", "source", "claim", "reading", "verdict", "basis", "models", "figures", "needs",
    "predicate", "page",
]  # fmt: skip
Models = Iterable[str] | Literal["any"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a claim.

    Attributes:
        name: ``plain``, ``fair`` or ``strict``.
        meaning: what the sentence is taken to mean; a plain one says itself.
        witness: what another model or collection shows, which never decides.
    """

    name: str
    meaning: str
    outcome: Outcome
    beside: tuple[str, ...]
    witness: str

    @property
    def figures(self) -> str:
        """The numbers it rests on, those beside them, and the witness."""
        found = "; ".join(filter(None, (self.outcome.figures, *self.beside)))
        return f"{found}; witness: {self.witness}" if self.witness else found

    def basis(self, asked: set[str]) -> str:
        """On what its verdict rests, given the kinds of sources that were asked for; on a witness
        where nothing decides and there is one."""
        if self.witness and self.outcome.verdict == "open":
            return "witness"
        leaves = list(self.outcome.leaves())
        if all(one.beyond for one in leaves):
            return "none"
        if asked == {"code"} or all(one.predicate == "code" for one in leaves):
            return "official code"
        return "published arithmetic" if asked <= {"cells", "code"} else "own data"


Readings = Iterator[Reading]
Decide = Callable[[Evidence], Readings]


def plain(outcome: Outcome, *beside: str, witness: str = "") -> Reading:
    """The one reading of a sentence that says what it means."""
    return Reading("plain", "", outcome, beside, witness)


def fair(meaning: str, outcome: Outcome, *beside: str, witness: str = "") -> Reading:
    """What a reader takes from the sentence."""
    return Reading("fair", meaning, outcome, beside, witness)


def strict(meaning: str, outcome: Outcome, *beside: str, witness: str = "") -> Reading:
    """What the sentence literally says."""
    return Reading("strict", meaning, outcome, beside, witness)


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

    def rows(self, sources: Sources) -> list[dict[str, str]]:
        """A row of the ledger for each reading, the fair one first.

        Raises:
            ClaimError: if it names what does not exist, or breaks the rules.
        """
        evidence = Evidence(sources, self.models)
        try:
            rows = [self._row(one, evidence) for one in self.decide(evidence)]
            _check(rows)
        except ClaimError as error:
            raise ClaimError(f"claim {self.id}: {error}") from error
        return rows

    def _row(self, reading: Reading, evidence: Evidence) -> dict[str, str]:
        return {
            "id": self.id,
            "source": self.source,
            "claim": self.says,
            "reading": reading.name + (f": {reading.meaning}" if reading.meaning else ""),
            "verdict": reading.outcome.verdict,
            "basis": reading.basis({kind for kind, _ in evidence.asked}),
            "models": "any" if self.models is None else ", ".join(sorted(self.models)),
            "figures": reading.figures,
            "needs": reading.outcome.needs,
            "predicate": reading.outcome.predicate,
            "page": self.page,
        }


@dataclass(frozen=True)
class Claims:
    """The claims of one work in their order, and the models that they speak of.

    Attributes:
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
            models: of which models' scores it speaks, where it is not those of its work.
        """
        among = self.models if models is None else models
        heard = None if among == "any" else frozenset(among)

        def keep(decide: Decide) -> Decide:
            says = " ".join((decide.__doc__ or "").split())
            self.claims.append(Claim(id, source, says, page, heard, decide))
            return decide

        return keep


def works() -> list[Claims]:
    """Every work that still has a file of claims here, in their order."""
    found = (f"{__package__}.{name}" for name in WORKS)
    return [import_module(name).WORK for name in found if find_spec(name)]


def settle(works: Iterable[Claims], sources: Sources) -> pd.DataFrame:
    """The ledger of these works: a row per claim and reading, the fair one first.

    Raises:
        ClaimError: if a claim names what does not exist, or breaks the rules.
    """
    rows = [
        {"work": work.name} | row
        for work in works
        for claim in work.claims
        for row in claim.rows(sources)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _check(rows: list[dict[str, str]]) -> None:
    """A claim has the readings it may have, and the fair one grants it no less."""
    if [row["reading"].partition(":")[0] for row in rows] not in (["plain"], ["fair", "strict"]):
        raise ClaimError("yield one plain reading, or a fair and a strict one")
    strengths = [STRENGTH[row["verdict"]] for row in rows if row["verdict"] in STRENGTH]
    if strengths != sorted(strengths, reverse=True):
        raise ClaimError("the fair reading grants it less than the strict one; no reader does")
