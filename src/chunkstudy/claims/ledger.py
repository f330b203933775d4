"""The ledger: every claim of the four works, bound to the computation that decides it.

``data/claims/<work>.toml`` holds, per claim, its id, the line of the source, what it says in our
own words, and the name of a computation, ``module.function`` in this package. The data hold no
verdict: :func:`derive` asks each computation and writes what follows.

Ids C01 to C139 are those of the study's list; X ids are claims found while reading, among them
pairs of sentences of one source that cannot both be true.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from types import ModuleType

import pandas as pd

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.pages import PAGES
from chunkstudy.claims.verdicts import ClaimError, Finding, Readings
from chunkstudy.places import Places

WORKS = ("chroma", "jina", "taxonomy", "tutorial")
FIELDS = ("id", "where", "claim", "computation")
COLUMNS = [
    "id", "work", "where", "claim", "verdict", "reading", "figures", "computation", "needs",
]  # fmt: skip

Computation = Callable[[Evidence], Readings]


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, restated.

    Raises:
        ClaimError: if a part is missing.
    """

    id: str
    work: str
    where: str
    claim: str
    computation: str

    def __post_init__(self) -> None:
        for name in ("id", *FIELDS[1:]):
            if not getattr(self, name).strip():
                raise ClaimError(f"claim {self.id or '?'} of {self.work} lacks its {name}")


def read_claims(works: Iterable[str] = WORKS) -> list[Claim]:
    """Every claim of these works, in the order of their files.

    Raises:
        ClaimError: if one has other parts than it should, or an id stands twice.
    """
    found: list[Claim] = []
    for work in works:
        text = files("chunkstudy").joinpath("data", "claims", f"{work}.toml").read_text("utf-8")
        found += [_claim(work, entry) for entry in tomllib.loads(text)["claim"]]
    ids = [claim.id for claim in found]
    if repeated := sorted({one for one in ids if ids.count(one) > 1}):
        raise ClaimError(f"claims {', '.join(repeated)} stand twice; give each its own id")
    return found


def modules() -> list[ModuleType]:
    """Those of this package that hold computations: each has a page."""
    return [import_module(f"{__package__}.{name}") for name in PAGES]


def computations() -> dict[str, Computation]:
    """Every public function of the modules by ``module.function``."""
    return {
        f"{module.__name__.rpartition('.')[2]}.{name}": function
        for module in modules()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def derive(
    places: Places, comparison: pd.DataFrame, tables: dict[str, pd.DataFrame]
) -> pd.DataFrame:
    """The ledger as a table: a row per claim and reading."""
    return settle(read_claims(), computations(), Evidence(places, comparison, tables))


def settle(
    claims: Iterable[Claim], known: dict[str, Computation], evidence: Evidence
) -> pd.DataFrame:
    """Ask every claim's computation.

    Raises:
        ClaimError: if a claim names no known computation, or one that breaks the rules.
    """
    rows = []
    for claim in claims:
        for finding in _findings(claim, known, evidence):
            rows.append(
                {
                    "id": claim.id,
                    "work": claim.work,
                    "where": claim.where,
                    "claim": claim.claim,
                    "verdict": finding.verdict,
                    "reading": finding.reading,
                    "figures": finding.figures,
                    "computation": claim.computation,
                    "needs": finding.needs,
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _findings(
    claim: Claim, known: dict[str, Computation], evidence: Evidence
) -> tuple[Finding, ...]:
    if claim.computation not in known:
        raise ClaimError(
            f"claim {claim.id} names computation {claim.computation!r}, which does not exist; "
            "write it, or correct the name"
        )
    try:
        found = known[claim.computation](evidence)
    except ClaimError as error:
        raise ClaimError(f"claim {claim.id}, {claim.computation}: {error}") from error
    several = found if isinstance(found, tuple) else (found,)
    names = [finding.reading.partition(":")[0] for finding in several]
    if names not in (["plain"], ["strict", "charitable"]):
        raise ClaimError(
            f"claim {claim.id}, {claim.computation} has readings {', '.join(names)}; give either "
            "one plain reading, or a strict and a charitable one"
        )
    return several


def _claim(work: str, entry: dict[str, object]) -> Claim:
    if set(entry) != set(FIELDS):
        raise ClaimError(
            f"claim {entry.get('id', '?')} of {work} has {', '.join(sorted(entry))}; it needs "
            f"exactly {', '.join(FIELDS)}"
        )
    return Claim(work=work, **{name: " ".join(str(entry[name]).split()) for name in FIELDS})
