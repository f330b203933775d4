"""The register: predictions as they were made, by day, never changed afterwards.

``results/predictions/<date>.jsonl`` holds a prediction a line; ``<date>.json`` beside it the rules'
sentences as they were, the errors that bounds were computed from, digests of what was known, and
the digest of the first file, so that a bound moved by hand is refused. A later day adds two files
and touches none.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.faults import first_fault
from chunkstudy.files import sha256, write_json, write_text
from chunkstudy.grid.library import Library
from chunkstudy.grid.records import Sha256
from chunkstudy.places import Places
from chunkstudy.predictions import outcomes
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.predictions.experience import Experience
from chunkstudy.predictions.outcomes import Evidence
from chunkstudy.predictions.proposing import Prediction
from chunkstudy.predictions.rules import SOURCE, Basis, Rule


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Learned(_Strict):
    """An experience as it stood."""

    what: str
    unit: str
    errors: list[float]


class Said(_Strict):
    """A rule's sentences as they stood."""

    says: str
    why: str
    basis: tuple[Basis, ...]
    repeats: str | None


class Registration(_Strict):
    """What predictions of one day rest on."""

    date: datetime.date
    predictions: Annotated[int, Field(gt=0)]
    sha256: Sha256
    """Of the file of predictions."""
    rules_sha256: Sha256
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


def add(
    places: Places,
    predictions: Sequence[Prediction],
    evidence: Evidence,
    rules: Iterable[Rule],
    learned: Mapping[str, Experience],
    date: datetime.date,
) -> Path:
    """Register predictions under a day, for good.

    Args:
        places: the checkout.
        predictions: new ones.
        evidence: what is known; it may decide none of them.
        rules: those that made them.
        learned: what their bounds come from.
        date: today.

    Returns:
        The file of predictions.

    Raises:
        PredictionError: if one is decided, registered before, or the day has a file already.
    """
    path = folder(places) / f"{date.isoformat()}.jsonl"
    if decided := outcomes.decided(predictions, evidence):
        raise PredictionError(
            f"{len(decided)} predictions are decided by records already, first {min(decided)}; "
            "what is known is not predicted, leave them out"
        )
    if path.exists():
        raise PredictionError(
            f"{path} holds what was predicted that day and is not written again; register on "
            "another day"
        )
    before = read(places).dates
    if again := [one.id for one in predictions if one.id in before]:
        raise PredictionError(f"{again[0]} was registered on {before[again[0]]}; leave it out")
    if not predictions:
        raise PredictionError("there is nothing new to predict")
    used = {one.rule for one in predictions}
    own = [rule for rule in rules if rule.name in used]
    names = {rule.experience for rule in own if rule.experience}
    text = "".join(f"{one.model_dump_json()}\n" for one in predictions)
    made = Registration(
        date=date,
        predictions=len(predictions),
        sha256=hashlib.sha256(text.encode("utf-8")).hexdigest(),
        rules_sha256=sha256(SOURCE),
        rested_on=_rested_on(places, evidence.library),
        rules={rule.name: Said(**rule.model_dump(include=set(Said.model_fields))) for rule in own},
        experience={
            name: Learned(
                what=learned[name].what,
                unit=learned[name].unit,
                errors=[float(f"{one:.8g}") for one in learned[name].errors],
            )
            for name in sorted(names)
        },
    )
    write_text(path, text)
    write_json(path.with_suffix(".json"), made.model_dump(mode="json"))
    return path


def unregistered(predictions: Iterable[Prediction], before: Registered) -> list[Prediction]:
    """Those that are about a cell which no earlier prediction of their rule is about, with numbers
    that go on from the last."""
    known = {(one.rule, one.cells[0]) for one in before.predictions}
    last: Counter[str] = Counter()
    for one in before.predictions:
        last[one.rule] = max(last[one.rule], int(one.id.rpartition("-")[2]))
    found = []
    for one in predictions:
        if (one.rule, one.cells[0]) not in known:
            last[one.rule] += 1
            found.append(one.model_copy(update={"id": f"{one.rule}-{last[one.rule]}"}))
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


def _rested_on(places: Places, library: Library) -> dict[str, str]:
    cells = {f"published/{one.name}": sha256(one) for one in sorted(places.published.glob("*.csv"))}
    scores = {
        str(one): record.run.per_query_sha256
        for one in library
        if (record := library.get(one)) is not None
    }
    text = json.dumps(scores, sort_keys=True)
    return {**cells, "records": hashlib.sha256(text.encode("utf-8")).hexdigest()}
