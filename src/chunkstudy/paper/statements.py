r"""What the paper's sentences rest on: numbers by name, and the condition under which they stand.

The sentences stand in ``paper/``. They name a number as ``\val{statement/number}``, and a statement
that has none to show as ``\says{statement}``. ``statements.toml`` says where each number is read
and what must hold. A finding's numbers can be named the same way. Where a condition breaks,
:func:`settle` refuses, and a person rewrites the sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, ValidationError

from chunkstudy.faults import first_fault
from chunkstudy.render import findings
from chunkstudy.render.findings import Finding, FindingError, Number, Tables

SOURCE = Path(__file__).with_name("statements.toml")
Shown = Literal["higher", "lower", "equivalent", "not shown"]


class StatementError(FindingError):
    """A statement that is badly written, or that the tables no longer bear out."""


class Estimate(Number):
    """A number with its 95% interval and how many it is over, from one row.

    Attributes:
        low, high: the columns of the interval's ends.
        n: the column that counts questions; empty where there is none.
        shown: how the row's test ends, which the sentence says.
    """

    value: str = "difference"
    unit: Literal["points", "percent", "number", "count"] = "points"
    signed: bool = True
    low: str = "low"
    high: str = "high"
    n: str = "n"
    shown: Shown | None = None

    def ends(self, tables: Tables) -> tuple[float, float]:
        """The interval, unrounded."""
        low, high = (self._at(column).read(tables) for column in (self.low, self.high))
        return low, high

    def count(self, tables: Tables) -> float:
        """How many questions it is over."""
        return self._at(self.n).read(tables)

    def ends_as(self, tables: Tables) -> bool:
        """Whether the row's test ends as the sentence says."""
        said = Number(table=self.table, where=_and(self.where, f"shown == '{self.shown}'"),
                      take="count")  # fmt: skip
        return self.shown is None or said.read(tables) == 1

    def _at(self, column: str) -> Number:
        return Number(table=self.table, where=self.where, value=column)


class Statement(findings._Strict):
    """What one or several sentences of the paper rest on.

    Attributes:
        name: lower-case words joined by hyphens.
        holds: the condition, over the numbers' names; an estimate's interval is ``name_low`` and
            ``name_high``, its count ``name_n``. Empty where every estimate says how it is shown.
        numbers: by name.
        estimates: by name.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    holds: str = ""
    numbers: dict[str, Number] = Field(default_factory=dict)
    estimates: dict[str, Estimate] = Field(default_factory=dict)


def read(path: Path = SOURCE) -> list[Statement]:
    """Every statement, checked.

    Raises:
        StatementError: if one is not written as it should be, or rests on nothing.
    """
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("statement", [])
    found = []
    for entry in entries:
        try:
            one = Statement.model_validate(entry)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise StatementError(
                f"statement {entry.get('name', '?')} is not written as it should be "
                f"({where}: {fault})"
            ) from error
        _check(one)
        found.append(one)
    names = [one.name for one in found] + [one.name for one in findings.read()]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise StatementError(
            f"{', '.join(twice)} stand twice among statements and findings; give each its own name"
        )
    return found


def settle(
    statements: Iterable[Statement], found: Iterable[Finding], tables: Tables
) -> dict[str, str]:
    """The text of every number, by ``statement/number``; a statement's own name has none.

    An estimate ``x`` gives ``x`` with its interval, ``x.alone`` without, and ``x.n``.

    Raises:
        StatementError: if a number is missing or a statement does not stand; all are named.
    """
    texts: dict[str, str] = {}
    broken = []
    for one in statements:
        try:
            texts |= _settled(one, tables)
        except StatementError as error:
            broken.append(str(error))
    if broken:
        raise StatementError(
            f"{len(broken)} statements of the paper no longer hold; rewrite their sentences in "
            f"paper/ and their conditions in statements.toml: {'; '.join(broken)}"
        )
    for finding in found:
        texts |= _of_finding(finding, tables)
    return texts


def _of_finding(finding: Finding, tables: Tables) -> dict[str, str]:
    """Its numbers; none where one is missing, which the findings' own build refuses by name."""
    try:
        shown = {name: finding.numbers[name] for name in findings.placeholders(finding.answer)}
        texts = {
            f"{finding.name}/{name}": one.text(one.read(tables)) for name, one in shown.items()
        }
    except LookupError:
        return {}
    return {finding.name: ""} | texts


def _settled(one: Statement, tables: Tables) -> dict[str, str]:
    texts, values = {one.name: ""}, {}
    try:
        for name, number in one.numbers.items():
            values[name] = number.read(tables)
            texts[f"{one.name}/{name}"] = number.text(values[name])
        for name, estimate in one.estimates.items():
            if not estimate.ends_as(tables):
                raise StatementError(f"{one.name}: {name} is no longer {estimate.shown}")
            value, ends = estimate.read(tables), estimate.ends(tables)
            values |= {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}
            alone, (low, high) = estimate.text(value), map(estimate.text, ends)
            texts[f"{one.name}/{name}"] = f"{alone} [{low}, {high}]"
            texts[f"{one.name}/{name}.alone"] = alone
            if estimate.n:
                values[f"{name}_n"] = estimate.count(tables)
                texts[f"{one.name}/{name}.n"] = f"{values[f'{name}_n']:,.0f}"
        stands = not one.holds or bool(pd.eval(one.holds, local_dict=values, engine="python"))
    except (LookupError, ValueError, TypeError, NameError, SyntaxError) as error:
        raise StatementError(f"{one.name} has no number: {error}") from error
    if not stands:
        seen = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
        raise StatementError(f"{one.name} stands only where {one.holds}, but {seen}")
    return texts


def _check(one: Statement) -> None:
    if both := sorted(set(one.numbers) & set(one.estimates)):
        raise StatementError(f"statement {one.name} has two numbers named {', '.join(both)}")
    loose = [
        name
        for name, estimate in one.estimates.items()
        if estimate.shown is None and f"{name}_" not in one.holds
    ]
    if loose:
        raise StatementError(
            f"statement {one.name} binds {', '.join(loose)} to nothing; say how it is shown, or "
            "name its interval in the condition"
        )
    if not one.holds and not one.estimates:
        raise StatementError(f"statement {one.name} rests on no condition; give it one")


def _and(*conditions: str) -> str:
    return " and ".join(f"({one})" for one in conditions if one)
