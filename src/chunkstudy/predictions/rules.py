"""The rules by which cells are predicted: sentences and choices, made by people, in ``rules.toml``.

A prediction says that a number which records will give lies between two bounds, and how probable
that is. A rule says for which cells, which number, and where bounds and probability come from; the
numbers themselves are computed when predictions are registered.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkstudy.faults import first_fault
from chunkstudy.predictions.errors import PredictionError

SOURCE = Path(__file__).with_name("rules.toml")
Kind = Literal["value", "difference", "distance", "nearer", "order"]
"""``value``: of a cell, in its printed unit. Of two conditions, in points: ``difference``: first
minus second; ``distance``: the same without its sign; ``nearer``: how much farther from print the
first is than the second. ``order``: tau-b between the printed and the reproduced order of a table's
rows."""
Around = Literal["print", "printed scores", "direction", "above print", "later print", "zero",
                 "sampling"]  # fmt: skip
"""Where the bounds lie: ``print``: around the printed number, as far as an experience reaches;
``printed scores``: what a change can be if both of its scores are off that far; ``direction``: on
the printed side of zero; ``above print``; ``later print``: nearer to the number that another work
printed later; ``zero``: around it; ``sampling``: Fisher's 95% interval of the printed
correlation."""
Basis = Literal["own runs", "published arithmetic", "official code"]


class Rule(BaseModel):
    """One rule.

    Attributes:
        name: of the rule; its predictions are this name and a number.
        says: what is expected, a sentence.
        why: what makes us expect it.
        basis: what that rests on.
        kind: the number that decides.
        cells: which cells, as ``DataFrame.query`` takes them; each is predicted by itself, but of
            ``order``, which is one of all rows that share work, table, encoder and collection.
        protocol: ``published``, or ``corrected`` where a value is that of the corrected protocol.
        first: fields of the cell's condition that are others in the first condition.
        second: the same of the second condition.
        printed: fields of both conditions that are others where print is asked for its number.
        around: where the bounds lie; without it they are ``low`` and ``high``.
        experience: whose errors tell how far they reach, or how often it has been so.
        reach: in the unit of the number, where no experience gives one.
        low: in the unit of the number; open without it.
        high: the same.
        points: behind a printed correlation.
        probability: a judgment, where no experience gives one.
        repeats: a rule that says the same of another number, so that nobody bets on it twice.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    says: str = Field(min_length=1)
    why: str = Field(min_length=1)
    basis: tuple[Basis, ...] = Field(min_length=1)
    kind: Kind
    cells: str = Field(min_length=1)
    protocol: Literal["published", "corrected"] = "published"
    first: dict[str, str] = {}
    second: dict[str, str] | None = None
    printed: dict[str, str] = {}
    around: Around | None = None
    experience: str | None = None
    reach: float | None = Field(default=None, gt=0)
    low: float | None = None
    high: float | None = None
    points: int | None = Field(default=None, gt=3)
    probability: float | None = Field(default=None, gt=0, lt=1)
    repeats: str | None = None

    @model_validator(mode="after")
    def _it_can_fail(self) -> Rule:
        if self.around is None and self.low is None and self.high is None:
            raise ValueError("a prediction without a bound cannot fail; give low, high or around")
        compares = self.kind in ("difference", "distance", "nearer")
        if compares and self.second is None:
            raise ValueError(f"a {self.kind} compares two conditions; give the second")
        if not compares and self.second is not None:
            raise ValueError(f"a {self.kind} compares no conditions; leave the second out")
        if (self.around == "sampling") != (self.points is not None):
            raise ValueError("bounds by sampling need points, and only they do")
        if self.probability is None and not (self.experience or self.around == "sampling"):
            raise ValueError("give a probability, or the experience that has one")
        if self.around in ("print", "printed scores", "zero") and not (
            self.experience or self.reach
        ):
            raise ValueError("give a reach, or the experience that has one")
        return self


def read(source: Path = SOURCE) -> list[Rule]:
    """Every rule.

    Raises:
        PredictionError: for a rule that cannot be read, or a name that stands twice.
    """
    found: dict[str, Rule] = {}
    for at, row in enumerate(tomllib.loads(source.read_text(encoding="utf-8"))["rule"], start=1):
        name = row.get("name", f"number {at}")
        try:
            rule = Rule.model_validate(row)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise PredictionError(f"rule {name}: {where} {fault}".strip()) from error
        if rule.name in found:
            raise PredictionError(f"two rules are called {name}; rename one of them")
        found[rule.name] = rule
    for rule in found.values():
        if rule.repeats is not None and rule.repeats not in found:
            raise PredictionError(f"rule {rule.name} repeats {rule.repeats!r}, which is no rule")
    return list(found.values())
