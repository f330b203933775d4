"""Every claim with its readings, what decides each, and how that is computed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from chunkstudy.claims import ledger
from chunkstudy.claims.predicates import MODULES
from chunkstudy.render import display_names
from chunkstudy.site.material import Material, texts
from chunkstudy.site.pages import Page, render

FILE = "verdicts.html"
VERDICTS = ("holds", "partly", "contradicted", "open")
CLAIMS = "src/chunkstudy/claims"
SELECTED = re.compile(r'\b(?:of|values|numbers|minus|divided_by|change_from) = "(\w+)"')
CALLED = re.compile(r'function = "(\w+)\.(\w+)"')


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
    written = {name: dict(_written(name)) for name in ledger.WORKS}
    functions, predicates = _functions(), texts("predicates")
    table = material.table("claims").fillna("")
    found = []
    for (work, name), rows in table.groupby(["work", "id"], sort=False):
        line, text = written[str(work)][str(name)]
        code = [Code(f"{CLAIMS}/{work}.toml", line, "the claim in the ledger")]
        for module, function in dict.fromkeys(CALLED.findall(text)):
            path, at = functions[module, function]
            code.append(Code(path, at, f"the function {function}"))
        if len(code) == 1:
            code.append(Code(f"{CLAIMS}/predicates.py", 1, "the predicates"))
        first = rows.iloc[0]
        models = str(first["models"])
        found.append(
            Claim(
                str(name),
                str(work),
                str(first["source"]),
                str(first["claim"]),
                str(first["page"]),
                "any model" if models == "any" else ", ".join(
                    display_names.MODELS.get(one, one) for one in models.split(", ")
                ),
                tuple(_reading({str(k): str(v) for k, v in r.items()}, predicates)
                      for r in rows.to_dict("records")),
                text,
                tuple(code),
            )
        )  # fmt: skip
    return found


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


def _reading(row: dict[str, str], predicates: dict[str, str]) -> Reading:
    name, _, meaning = row["reading"].partition(": ")
    return Reading(
        name,
        meaning,
        row["verdict"],
        row["basis"],
        row["figures"],
        row["needs"],
        predicates[row["predicate"]],
    )


def _written(work: str) -> Iterator[tuple[str, tuple[int, str]]]:
    """Each claim of a work's file with its line and its text."""
    text = files("chunkstudy.claims").joinpath(f"{work}.toml").read_text("utf-8")
    named = _selections(text)
    starts = [found.start() for found in re.finditer(r"^\[\[claim\]\]$", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        if name := re.search(r'^id = "(.+)"$', block, re.MULTILINE):
            readings = block.partition("[[claim.reading]]")
            kept = re.split(r"\n(?=\[selection)", readings[1] + readings[2])[0]
            yield name[1], (text.count("\n", 0, start) + 1, _with_selections(kept, named))


def _selections(text: str) -> dict[str, str]:
    """The blocks of a work's file that say what a name selects."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\[)", text):
        if name := re.match(r"\[selection\.(\w+)", block):
            found[name[1]] = "\n\n".join(filter(None, [found.get(name[1]), block.strip()]))
    return found


def _with_selections(readings: str, named: dict[str, str]) -> str:
    """A claim's readings, and below them what each name in them selects."""
    parts, seen, queue = [readings.strip()], set[str](), SELECTED.findall(readings)
    for name in queue:
        if name in named and name not in seen:
            seen.add(name)
            parts.append(named[name])
            queue += SELECTED.findall(named[name])
    return "\n\n".join(parts)


def _functions() -> dict[tuple[str, str], tuple[str, int]]:
    """File and line of every function that a claim may name."""
    found = {}
    for module in MODULES:
        text = files("chunkstudy.claims").joinpath(f"{module}.py").read_text("utf-8")
        for match in re.finditer(r"^def (\w+)", text, re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            found[module, match[1]] = (f"{CLAIMS}/{module}.py", line)
    return found
