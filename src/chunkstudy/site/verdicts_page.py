"""Every claim with its readings, what decides each, and how that is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

import pandas as pd

from chunkstudy.published.claims import ledger, outcomes, predicates
from chunkstudy.render import display_names
from chunkstudy.site.material import Material
from chunkstudy.site.pages import Page, render

FILE = "verdicts.html"
VERDICTS = ("holds", "partly", "contradicted", "open")
SOURCES = Path(__file__).parents[2]
DECIDED: dict[str, Callable[..., object]] = {
    "every": predicates.every,
    "some": predicates.some,
    "most": predicates.most,
    "range": predicates.within,
    "rank": predicates.ranked,
    "equal": predicates.equal,
    "reproduced": predicates.reproduced,
    "code": predicates.code,
    "open": predicates.once,
    "all": outcomes.jointly,
    "parts": outcomes.in_parts,
}
"""The predicates, whose docstrings begin with how each decides."""
COMPUTED = "published.claims."
"""The files whose functions a claim may call."""
OF_ITS_OWN = "A computation of its own decides it."


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a claim, and its verdict."""

    name: str
    meaning: str
    verdict: str
    basis: str
    figures: str
    needs: str
    how: str


@dataclass(frozen=True, slots=True)
class Code:
    """A file of the repository that decides a claim, from a line on."""

    path: str
    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as the page shows it.

    Attributes:
        written: the computation as it is written in the ledger.
    """

    id: str
    work: str
    source: str
    claim: str
    page: str
    models: str
    readings: tuple[Reading, ...]
    written: str
    code: tuple[Code, ...]

    @property
    def verdicts(self) -> list[str]:
        return [reading.verdict for reading in self.readings]


def claims(material: Material) -> list[Claim]:
    """Every claim, in the ledger's order."""
    table = material.table("claims").fillna("").astype(str)
    rows = {str(name): part for name, part in table.groupby("id", sort=False)}
    return [
        _claim(work, one, rows[one.id])
        for work in ledger.works()
        for one in work.claims
        if one.id in rows
    ]


def page(material: Material) -> Page:
    """The page of all claims."""
    found = claims(material)
    counts = {
        work: {
            verdict: tuple(
                sum(c.readings[at].verdict == verdict for c in found if c.work == work)
                for at in (0, -1)
            )
            for verdict in VERDICTS
        }
        for work in ledger.WORKS
    }
    return render(
        material,
        FILE,
        "verdicts.html",
        "Verdicts",
        claims=found,
        counts=counts,
        sizes={work: sum(claim.work == work for claim in found) for work in ledger.WORKS},
        works={work: display_names.WORKS[work] for work in ledger.WORKS},
        verdicts=VERDICTS,
    )


def functions_of(decide: Callable[..., object]) -> Iterator[Callable[..., object]]:
    """A claim's function, what it calls of its work's file, and what that calls, each once."""
    queue = [decide]
    for function in queue:
        yield function
        globals_, names = function.__globals__, list(_names(function.__code__))
        named = [globals_.get(name) for name in names]
        modules = [one for one in named if isinstance(one, ModuleType) and COMPUTED in one.__name__]
        named += [getattr(module, name, None) for module in modules for name in names]
        here = (decide.__module__, *(module.__name__ for module in modules))
        queue += [
            one
            for one in dict.fromkeys(filter(inspect.isfunction, named))
            if one.__module__ in here and one not in queue
        ]


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function uses, those inside of its expressions too."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _claim(work: ledger.Work, claim: ledger.Claim, rows: pd.DataFrame) -> Claim:
    asked = list(functions_of(claim.decide))
    own = [one for one in asked if one.__module__ == claim.decide.__module__]
    computed = [one for one in asked if one not in own]
    code = [_code(claim.decide, "the claim in the ledger")]
    code += [_code(one, f"the function {one.__name__}") for one in computed]
    models = sorted(claim.models or ())
    return Claim(
        claim.id,
        work.name,
        claim.source,
        claim.says,
        claim.page,
        ", ".join(display_names.MODELS.get(one, one) for one in models) or "any model",
        tuple(_reading(row) for _, row in rows.iterrows()),
        "\n\n".join(_source(one).strip() for one in own),
        tuple(code),
    )


@cache
def _source(function: Callable[..., object]) -> str:
    return inspect.getsource(function)


def _code(function: Callable[..., object], what: str) -> Code:
    path = Path(inspect.getfile(function)).relative_to(SOURCES)
    return Code(f"src/{path.as_posix()}", inspect.getsourcelines(function)[1], what)


def _reading(row: pd.Series) -> Reading:
    name, _, meaning = row["reading"].partition(": ")
    decided = DECIDED.get(row["predicate"])
    how = OF_ITS_OWN if decided is None else (inspect.getdoc(decided) or "").partition("\n\n")[0]
    how = " ".join(how.split())
    found = row["verdict"], row["basis"], row["figures"], row["needs"]
    return Reading(name, meaning, *found, how)
