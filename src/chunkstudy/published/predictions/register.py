"""The register: predictions as they were made, by day, and closed.

``results/predictions/<date>.jsonl`` holds a prediction a line; ``<date>.json`` beside it the rules'
sentences as they were, the errors that bounds were computed from, digests of what was known, and
the digest of the first file, so that a bound moved by hand is refused.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.base.faults import first_fault
from chunkstudy.base.files import sha256
from chunkstudy.base.places import Places
from chunkstudy.runs.records import Sha256

Kind = Literal["value", "difference", "distance", "nearer", "order"]
"""``value``: of a cell, in its printed unit. Of two conditions, in points: ``difference``: first
minus second; ``distance``: the same without its sign; ``nearer``: how much farther from print the
first is than the second. ``order``: tau-b between the printed and the reproduced order of a table's
rows."""


class PredictionError(RuntimeError):
    """A registration that cannot be used; the message says what to do."""


class Prediction(BaseModel):
    """A number that records will give, and where it is expected.

    Attributes:
        id: the rule's name and a number.
        kind: the number that decides.
        cells: the ids of the cells that it is about, the first the one that it was made for.
        conditions: the two that are compared; a cell's own where there are none, see `needed`.
        protocol: the one under which it is decided.
        low: it is expected to be no less, open if None.
        high: it is expected to be no more, open if None.
        published: the same number by print, None where print does not give it; where print knows
            one number for both conditions it says that they do not differ.
        surprise: the share of earlier reproductions that were nearer to print than the bounds are,
            0 where print lies between them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9-]+-[0-9]+$")
    rule: str
    kind: Kind
    cells: tuple[str, ...] = Field(min_length=1)
    conditions: tuple[str, ...]
    measure: str
    protocol: str
    unit: str
    low: float | None
    high: float | None
    probability: float = Field(gt=0, lt=1)
    published: float | None
    surprise: float = Field(ge=0, le=1)


class Rule(BaseModel):
    """A rule's sentences as they stood.

    Attributes:
        repeats: a rule that says the same of another number, so that nobody bets on it twice.
    """

    says: str
    why: str
    basis: tuple[Literal["own runs", "published arithmetic", "official code"], ...]
    repeats: str | None


class Registration(BaseModel):
    """What predictions of one day rest on; the file holds more, which nothing asks for again."""

    date: datetime.date
    sha256: Sha256
    """Of the file of predictions."""
    rules: dict[str, Rule]


@dataclass(frozen=True)
class Registered:
    """Everything that was ever registered, in the order of days."""

    predictions: list[Prediction]
    dates: dict[str, datetime.date]
    """By prediction."""
    rules: dict[str, Rule]


def read(places: Places) -> Registered:
    """Every registered prediction.

    Raises:
        PredictionError: if a file was changed by hand.
    """
    found = Registered([], {}, {})
    for path in sorted((places.results / "predictions").glob("*.json")):
        lines = path.with_suffix(".jsonl")
        try:
            made = Registration.model_validate_json(path.read_text(encoding="utf-8"))
            if not lines.exists() or sha256(lines) != made.sha256:
                raise PredictionError(
                    f"{lines} is not what was registered on {made.date}; restore it from the "
                    "history"
                )
            predictions = map(Prediction.model_validate_json, lines.read_text("utf-8").splitlines())
            found.predictions.extend(predictions)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise PredictionError(f"{path} is not valid ({where}: {fault})") from error
        found.rules.update(made.rules)
        for one in found.predictions[len(found.dates) :]:
            found.dates[one.id] = made.date
        if len(found.dates) < len(found.predictions):
            raise PredictionError(f"a prediction is registered twice; restore {path.parent}")
    return found
