"""Findings: questions with answers written by people, numbers and conditions taken from tables.

``findings.toml`` holds, per finding, a question, an answer with placeholders, where each number
comes from, and the condition under which the answer stands. Nothing here picks words: where a
condition breaks, :func:`settle` refuses and a person rewrites the sentence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.faults import first_fault

SOURCE = Path(__file__).with_name("findings.toml")
MOST_NUMBERS = 3
"""A sentence with more is not understood when it is read aloud once."""
SAYS_THE_SAME = re.compile(
    r"\b(no difference|nothing|unchanged|as good|no effect|makes no|changes no|costs no"
    r"|stays? as|scores? the same|less than a point)\b"
)
"""Words that say of two things that they do not differ. Not to be shown to differ is not enough:
a number behind the answer must say so, and its name tell how."""
EQUIVALENT, EQUAL = "equivalent", "equal_"
"""How numbers begin that come from a test of equivalence, or count what is equal as printed."""
SAYS_WHAT_IS_SHOWN = re.compile(r"(?<!^Not )\bshown?s?\b|\bbeyond chance\b")
TESTED = re.compile(r"shown|p_holm|p_equivalent|\blow\b|\bhigh\b|\bp\b")
"""What a number reads that comes from a test or an interval."""
SCALE = {"points": 100.0, "percent": 100.0}
Tables = Mapping[str, pd.DataFrame]


class FindingError(RuntimeError):
    """A finding whose condition broke or whose number is missing; the message names both."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Number(_Strict):
    """Where a number stands.

    Attributes:
        table: of ``results/tables``.
        where: rows, as ``DataFrame.query`` takes them; all if empty.
        value: a column, or arithmetic over columns as ``DataFrame.eval`` takes it.
        take: how the rows become one number; ``only`` refuses other than one row.
        unit: ``points`` and ``percent`` show a fraction times 100.
        digits: decimals shown.
        signed: whether a plus is shown.
    """

    table: str
    where: str = ""
    value: str = ""
    take: Literal["only", "smallest", "largest", "mean", "sum", "count", "share"] = "only"
    unit: Literal["points", "percent", "number", "count"] = "number"
    digits: int = 1
    signed: bool = False

    def read(self, tables: Tables) -> float:
        """The number, unrounded, in the table's unit.

        Raises:
            LookupError: if the table or the rows are not there.
        """
        if self.table not in tables:
            raise LookupError(f"there is no table {self.table}")
        frame = tables[self.table]
        # pandas prepares every column of a frame that it evaluates something on, which takes long.
        frame = frame[[name for name in map(str, frame) if name in f"{self.where} {self.value}"]]
        rows = frame.query(self.where, engine="python") if self.where and len(frame) else frame
        if self.take == "count":
            return float(len(rows))
        if self.take == "share":
            return len(rows) / len(frame) if len(frame) else float("nan")
        found: Any = rows.eval(self.value, engine="python") if len(rows) else []
        values = pd.Series(pd.to_numeric(pd.Series(found, dtype=object))).dropna()
        if values.empty or (self.take == "only" and len(values) != 1):
            found = f"{len(values)} rows of {self.table} have {self.where or 'a value'}"
            raise LookupError(f"{found}, not {'1' if self.take == 'only' else 'any'}")
        how = {"only": "max", "smallest": "min", "largest": "max", "mean": "mean", "sum": "sum"}
        return float(values.agg(how[self.take]))

    def text(self, value: float) -> str:
        """As the answer shows it; a minus is a real one."""
        digits = 0 if self.unit == "count" else self.digits
        scaled = value * SCALE.get(self.unit, 1.0)
        return f"{scaled:{'+' if self.signed else ''},.{digits}f}".replace("-", "\N{MINUS SIGN}")


class Finding(_Strict):
    """One finding as it is written.

    Attributes:
        name: lower-case words joined by hyphens, for links.
        about: the work, or what it is about.
        headline: its place among the README's findings; 0 elsewhere.
        question: stands alone.
        answer: at most two sentences, with ``{placeholders}``.
        holds: the condition under which the answer stands, over the numbers' names.
        page: the notebook that shows it.
        table: the table that shows it.
        numbers: by placeholder.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    about: str
    headline: int = 0
    question: Annotated[str, Field(pattern=r"\?$")]
    answer: str
    holds: str
    page: str
    table: str
    numbers: dict[str, Number]


def read(path: Path = SOURCE) -> list[Finding]:
    """Every finding, checked.

    Raises:
        FindingError: if one is not written as it should be.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("finding", [])
    found = []
    for entry in entries:
        try:
            one = Finding.model_validate(entry)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise FindingError(
                f"finding {entry.get('name', '?')} is not written as it should be "
                f"({where}: {fault})"
            ) from error
        _check(one)
        found.append(one)
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FindingError(f"findings {', '.join(twice)} stand twice; give each its own name")
    return found


def settle(findings: Iterable[Finding], tables: Tables) -> pd.DataFrame:
    """The findings with their numbers filled in: name, about, headline, question, answer, page,
    table.

    Raises:
        FindingError: if a number is missing or a condition does not hold; every such finding is
            named with its numbers.
    """
    rows, broken = [], []
    for one in findings:
        try:
            values = {name: number.read(tables) for name, number in one.numbers.items()}
            stands = bool(pd.eval(one.holds, local_dict=dict(values), engine="python"))
        except (LookupError, ValueError, TypeError, NameError, SyntaxError) as error:
            broken.append(f"{one.name} has no number: {error}")
            continue
        if not stands:
            numbers = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
            broken.append(f"{one.name} stands only where {one.holds}, but {numbers}")
        shown = {name: number.text(values[name]) for name, number in one.numbers.items()}
        rows.append(
            {
                "name": one.name,
                "about": one.about,
                "headline": one.headline,
                "question": one.question,
                "answer": one.answer.format(**shown),
                "page": one.page,
                "table": one.table,
            }
        )
    if broken:
        raise FindingError(
            f"{len(broken)} findings no longer say what the records say; rewrite them in "
            f"findings.toml: {'; '.join(broken)}"
        )
    return pd.DataFrame(rows)


def placeholders(answer: str) -> list[str]:
    """The names in braces, in order."""
    return [name for _, name, _, _ in Formatter().parse(answer) if name]


def _check(one: Finding) -> None:
    used = placeholders(one.answer)
    if missing := [name for name in used if name not in one.numbers]:
        raise FindingError(
            f"finding {one.name} uses {', '.join(missing)}, which has no place in a table; add it "
            "to its numbers"
        )
    if len(used) > MOST_NUMBERS:
        raise FindingError(
            f"finding {one.name} carries {len(used)} numbers; a reader takes in {MOST_NUMBERS}"
        )
    behind = {name: number for name, number in one.numbers.items() if _in(name, one.holds)}
    if said := SAYS_THE_SAME.search(one.answer):
        tests = [number for name, number in behind.items() if name.startswith(EQUIVALENT)]
        if any("equivalent" not in f"{number.where} {number.value}" for number in tests):
            raise FindingError(f"finding {one.name} has an {EQUIVALENT} that tests no equivalence")
        if not tests and not any(name.startswith(EQUAL) for name in behind):
            raise FindingError(
                f"finding {one.name} says {said[0]!r} and its condition names no number that "
                f"begins with {EQUIVALENT} or {EQUAL}; test it, or say that it is not shown"
            )
    if SAYS_WHAT_IS_SHOWN.search(one.answer) and not any(
        TESTED.search(f"{number.where} {number.value}") for number in behind.values()
    ):
        raise FindingError(f"finding {one.name} says what is shown and its condition tests nothing")
    unused = [n for n in one.numbers if n not in used and not _in(n, one.holds)]
    if unused:
        raise FindingError(f"finding {one.name} never uses {', '.join(unused)}; remove them")


def _in(name: str, condition: str) -> bool:
    return re.search(rf"\b{name}\b", condition) is not None
