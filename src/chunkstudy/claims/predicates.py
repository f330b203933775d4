"""The predicates that decide a claim's readings, each a few fields of data.

A sentence is taken for universal: ``every`` compares each selected number with a bound, ``range``
holds numbers against a stated range, ``rank`` looks at the rank of a row, ``equal`` at stated or
other numbers, ``reproduced`` at whether published cells came out again, and one counterexample
contradicts. A sentence that says less names its quantifier: ``some``, ``most``, a ``share``, a
``count``. ``code`` compares what the official code does with what the sentence says. ``all`` takes
several conditions that make one statement together, ``parts`` the parts of a sentence that has
several, each with its words; only then can a verdict be partly. ``open`` says what would decide,
and carries it, and ``function`` names a computation of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Literal, Self

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, model_validator

from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.reproduction import reproduced
from chunkstudy.claims.selection import (
    VALUE,
    Among,
    Selection,
    Selector,
    matched,
    names_of,
)
from chunkstudy.claims.verdicts import (
    ClaimError,
    Outcome,
    counted,
    decide,
    in_parts,
    jointly,
    unanswered,
)

SLACK = 1e-9
"""Of sums and differences of the decimal numbers that tables print."""
LISTED = 8
"""Numbers that figures list one by one; of more they give the range."""
NEEDED = "the records, facts or study it is counted from: `chunkstudy run` and `chunkstudy study`"
MODULES = ("chroma", "taxonomy", "witnesses")


class Strict(BaseModel):
    """Data that name nothing unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Call(Strict):
    """A function of this package, ``module.function``, and its arguments."""

    function: str
    arguments: dict[str, str | float | bool | list[str]] = {}

    def ask(self, evidence: Evidence) -> object:
        """What the function says.

        Raises:
            ClaimError: if there is none of that name, or it takes other arguments.
        """
        known = functions()
        if self.function not in known:
            raise ClaimError(
                f"function {self.function!r} does not exist; write it, or correct the name"
            )
        function = known[self.function]
        try:
            inspect.signature(function).bind(evidence, **self.arguments)
        except TypeError as error:
            raise ClaimError(f"function {self.function!r}: {error}") from error
        return function(evidence, **self.arguments)


def functions() -> dict[str, Callable[..., object]]:
    """Every public function of the modules that hold computations, by ``module.function``."""
    found: dict[str, Callable[..., object]] = {}
    for name in MODULES:
        module = import_module(f"{__package__}.{name}")
        for function_name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not function_name.startswith("_"):
                found[f"{name}.{function_name}"] = function
    return found


class Shown(Strict):
    """Numbers and how figures show them.

    Attributes:
        values: the numbers.
        label: what they are.
        form: a format of Python for each.
    """

    values: Selection | str
    label: str = ""
    form: str = "{:.4g}"

    def text(self, selected: pd.DataFrame) -> str:
        """``label a 1, b 2``, or ``label 1 to 9`` where there are many."""
        numbers = selected[VALUE]
        if len(numbers) > LISTED:
            shown = f"{self.form.format(numbers.min())} to {self.form.format(numbers.max())}"
        else:
            names = names_of(selected)
            pairs = zip(names, numbers, strict=True)
            shown = ", ".join(_named(name, self.form.format(number)) for name, number in pairs)
        return f"{self.label} {shown}".strip()


class Bounds(Shown):
    """Numbers against bounds.

    Attributes:
        digits: to how many decimals the numbers are rounded first.
    """

    above: float | None = None
    below: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    digits: int | None = None

    def met(self, numbers: pd.Series) -> pd.Series:
        """Whether each number keeps every bound that is given."""
        if self.digits is not None:
            numbers = numbers.round(self.digits)
        kept = pd.Series(True, index=numbers.index)
        if self.above is not None:
            kept &= numbers > self.above + SLACK
        if self.below is not None:
            kept &= numbers < self.below - SLACK
        if self.at_least is not None:
            kept &= numbers >= self.at_least - SLACK
        if self.at_most is not None:
            kept &= numbers <= self.at_most + SLACK
        return kept


class Every(Bounds):
    """The comparison holds in every cell."""

    predicate: Literal["every"]

    def ask(self, selector: Selector) -> Outcome:
        found = selector.select(self.values)
        if found.empty:
            return _nothing()
        return counted(_cases(found, self.met(found[VALUE])), self.text(found))


class Quantified(Bounds):
    """The comparison holds in as many cells as the sentence says.

    Attributes:
        predicate: in ``some`` is in at least one, in ``most`` in more than half.
        least: of a ``share`` as a fraction, of a ``count`` as a number.
        most: of a ``count``.
    """

    predicate: Literal["some", "most", "share", "count"]
    least: float = 0
    most: int | None = None

    @model_validator(mode="after")
    def says_how_many(self) -> Self:
        given = bool(self.least) or self.most is not None
        if given != (self.predicate in ("share", "count")):
            raise ValueError("a share and a count say how many, some and most do not")
        return self

    def ask(self, selector: Selector) -> Outcome:
        found = selector.select(self.values)
        if found.empty:
            return _nothing()
        met, of = int(self.met(found[VALUE]).sum()), len(found)
        enough = {
            "some": met > 0,
            "most": 2 * met > of,
            "share": met >= self.least * of - SLACK,
            "count": met >= self.least and (self.most is None or met <= self.most),
        }[self.predicate]
        return decide(enough, f"{met} of {of}; {self.text(found)}")


class Range(Shown):
    """Numbers lie in a stated range, or reach from one end of it to the other.

    Attributes:
        digits: how many decimals the statement has; numbers are rounded to them.
        reached: the smallest number is the low end and the largest the high one.
    """

    predicate: Literal["range"]
    low: float
    high: float
    digits: int = 0
    reached: bool = False

    def ask(self, selector: Selector) -> Outcome:
        found = selector.select(self.values)
        if found.empty:
            return _nothing()
        numbers = found[VALUE].round(self.digits)
        if self.reached:
            cases = {
                f"from {self.low:g}": abs(numbers.min() - self.low) < SLACK,
                f"to {self.high:g}": abs(numbers.max() - self.high) < SLACK,
            }
        else:
            inside = (numbers >= self.low - SLACK) & (numbers <= self.high + SLACK)
            cases = _cases(found, inside)
        return counted(cases, self.text(found))


class Rank(Shown):
    """A row's rank by value, 1 for the highest.

    Attributes:
        over: the key of the rows.
        row: the row or rows.
        first, last: the best and the worst rank it may have.
    """

    predicate: Literal["rank"]
    over: str
    row: str | list[str]
    first: int = 1
    last: int

    def ask(self, selector: Selector) -> Outcome:
        found = selector.select(Selection(of=self.values, rank=[self.over]))
        ranked = Selection(of=self.values, rank=[self.over], pick={self.over: self.row})
        rows = selector.select(ranked)
        if rows.empty:
            return _nothing()
        met = (rows[VALUE] >= self.first) & (rows[VALUE] <= self.last)
        text = Shown(values=self.values, label="rank", form="{:.0f}").text(rows)
        return counted(_cases(rows, met), f"{text} of {found[self.over].nunique()}")


class Equal(Shown):
    """Numbers equal others, or stated ones, of the same keys.

    Attributes:
        to: the others.
        within: what they may be apart.
        digits: at how many decimals they are compared instead.
    """

    predicate: Literal["equal"]
    to: Selection | str | float
    within: float = 0
    digits: int | None = None

    def ask(self, selector: Selector) -> Outcome:
        found = selector.select(self.values)
        if isinstance(self.to, (int, float)):
            both = found.assign(other=self.to)
        else:
            both = matched(found, selector.select(self.to))
        if both.empty:
            return _nothing()
        one, two = both[VALUE], both["other"]
        if self.digits is not None:
            one, two = one.round(self.digits), two.round(self.digits)
        apart = (one - two).abs()
        own = both.drop(columns="other")
        most = float(apart.max())
        furthest = f"{most:.2g}" if most < 100 else f"{most:,.0f}"
        text = f"furthest apart by {furthest}; {self.text(own)}"
        return counted(_cases(own, apart <= self.within + SLACK), text)


class Reproduced(Strict):
    """Published cells came out again.

    Attributes:
        table: such as ``chroma/minilm``.
        where: the values that a column may have.
        among: the verdicts of cells that count as the same.
    """

    predicate: Literal["reproduced"]
    table: str
    where: Among = {}
    among: list[str] = ["exact"]

    def ask(self, selector: Selector) -> Outcome:
        found = selector.evidence.compared(*self.table.split("/", 1))
        for name, values in self.where.items():
            found = found[
                found[name].astype(str).isin([values] if isinstance(values, str) else values)
            ]
        if found.empty:
            raise ClaimError(f"no cell of {self.table} has {self.where}")
        return reproduced(found, self.among)


class Code(Strict):
    """The official code does what the sentence says.

    Attributes:
        fact: its name among the facts of official code.
        equals: its value as the sentence has it, or those that it covers.
    """

    predicate: Literal["code"]
    fact: str
    equals: str | list[str]

    def ask(self, selector: Selector) -> Outcome:
        row = selector.evidence.code(self.fact).iloc[0]
        covered = [self.equals] if isinstance(self.equals, str) else self.equals
        return decide(row["value"] in covered, f"{row['says']} ({row['place']})")


class Open(Strict):
    """Nothing at hand decides.

    Attributes:
        needs: what would.
        figures: what is stated, and known beside it.
        counted: numbers of which figures begin with how many there are.
        by: the predicate that decides as soon as what it asks for is there.
        beyond: why no data of this study can ever decide, where that is so.
    """

    predicate: Literal["open"]
    needs: str
    figures: str
    counted: Selection | str | None = None
    by: Predicate | None = None
    beyond: str = ""

    @model_validator(mode="after")
    def says_how_it_closes(self) -> Self:
        if (self.by is None) != bool(self.beyond):
            raise ValueError("an open predicate has `by`, what would decide, or `beyond`, why not")
        return self

    def ask(self, selector: Selector) -> Outcome:
        if self.by is not None and not (found := asked(self.by, selector)).needs:
            return found
        count = "" if self.counted is None else f"{len(selector.select(self.counted))} "
        return unanswered(self.needs, count + self.figures)


class Function(Call):
    """A computation of its own, which returns an outcome."""

    predicate: Literal["function"]

    def decide(self, evidence: Evidence) -> Outcome:
        found = super().ask(evidence)
        if not isinstance(found, Outcome):
            raise ClaimError(f"function {self.function!r} decides nothing; return an Outcome")
        return found


class All(Strict):
    """Several conditions that make one statement together."""

    predicate: Literal["all"]
    conditions: list[Predicate] = Field(min_length=2)

    def ask(self, selector: Selector) -> Outcome:
        return jointly(asked(condition, selector) for condition in self.conditions)


class Part(Strict):
    """One part of a sentence.

    Attributes:
        says: its words.
        decided: the predicate.
    """

    says: str = Field(min_length=1)
    decided: Predicate = Field(alias="by")


class Parts(Strict):
    """A sentence of several parts."""

    predicate: Literal["parts"]
    parts: list[Part] = Field(min_length=2)

    def ask(self, selector: Selector) -> Outcome:
        return in_parts({part.says: asked(part.decided, selector) for part in self.parts})


Predicate = Annotated[
    Every | Quantified | Range | Rank | Equal | Reproduced | Code | Open | Function | All | Parts,
    Field(discriminator="predicate"),
]


def asked(predicate: Predicate, selector: Selector) -> Outcome:
    """What a predicate finds in the evidence."""
    if isinstance(predicate, Function):
        return predicate.decide(selector.evidence)
    return predicate.ask(selector)


def _cases(selected: pd.DataFrame, met: pd.Series) -> dict[str, bool]:
    return {
        _named(name, f"{value:.4g}"): bool(true)
        for name, value, true in zip(names_of(selected), selected[VALUE], met, strict=True)
    }


def _named(name: str, number: str) -> str:
    return f"{name} ({number})" if name else number


def _nothing() -> Outcome:
    return unanswered(NEEDED, "0 numbers are there to compare")
