"""The register: predictions as they were made, by day, and closed.

``results/predictions/<date>.jsonl`` holds a prediction a line; ``<date>.json`` beside it the rules'
sentences as they were, the errors that bounds were computed from, digests of what was known, and
the digest of the first file, so that a bound moved by hand is refused.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

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


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Prediction(_Strict):
    """A number that records will give, and where it is expected.

    Attributes:
        id: the rule's name and a number.
        rule: its name.
        kind: the number that decides.
        cells: the ids of the cells that it is about, the first the one that it was made for.
        conditions: the two that are compared; a cell's own where there are none, see `needed`.
        measure: of the conditions' scores.
        protocol: the one under which it is decided.
        unit: of the number and its bounds.
        low: it is expected to be no less, open if None.
        high: it is expected to be no more, open if None.
        probability: that it lies between them.
        published: the same number by print, None where print does not give it; where print knows
            one number for both conditions it says that they do not differ.
        surprise: the share of earlier reproductions that were nearer to print than the bounds are,
            0 where print lies between them.
    """

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


class Learned(_Strict):
    """Earlier errors of what is alike, as they stood."""

    what: str
    unit: str
    errors: list[float]


class Said(_Strict):
    """A rule's sentences as they stood.

    Attributes:
        says: what is expected.
        why: what makes us expect it.
        basis: what that rests on.
        repeats: a rule that says the same of another number, so that nobody bets on it twice.
    """

    says: str
    why: str
    basis: tuple[Literal["own runs", "published arithmetic", "official code"], ...]
    repeats: str | None


class Registration(_Strict):
    """What predictions of one day rest on."""

    date: datetime.date
    predictions: Annotated[int, Field(gt=0)]
    sha256: Sha256
    """Of the file of predictions."""
    rules_sha256: Sha256
    """Of the rules' file, which only the history still has."""
    rested_on: dict[str, Sha256]
    """Digests of the published cells, and of every record's scores together."""
    rules: dict[str, Said]
    experience: dict[str, Learned]


@dataclass(frozen=True)
class Registered:
    """Everything that was ever registered, in the order of days."""

    predictions: list[Prediction]
    dates: dict[str, datetime.date]
    """By prediction."""
    rules: dict[str, Said]


def folder(places: Places) -> Path:
    return places.results / "predictions"


def read(places: Places) -> Registered:
    """Every registered prediction.

    Raises:
        PredictionError: if a file was changed by hand.
    """
    found = Registered([], {}, {})
    for path in sorted(folder(places).glob("*.json")):
        made, predictions = _read_day(path)
        for one in predictions:
            if one.id in found.dates:
                raise PredictionError(f"{one.id} is registered twice; restore {path.parent}")
            found.dates[one.id] = made.date
        found.predictions.extend(predictions)
        found.rules.update(made.rules)
    return found


def _read_day(path: Path) -> tuple[Registration, list[Prediction]]:
    lines = path.with_suffix(".jsonl")
    try:
        made = Registration.model_validate_json(path.read_text(encoding="utf-8"))
        if not lines.exists() or sha256(lines) != made.sha256:
            raise PredictionError(
                f"{lines} is not what was registered on {made.date}; restore it from the history"
            )
        text = lines.read_text(encoding="utf-8")
        return made, [Prediction.model_validate_json(line) for line in text.splitlines()]
    except ValidationError as error:
        where, fault = first_fault(error)
        raise PredictionError(f"{path} is not valid ({where}: {fault})") from error
