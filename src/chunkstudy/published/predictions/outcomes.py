"""What became of predictions: the record decides, the day it appears."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics import agreement
from chunkstudy.published import side_by_side
from chunkstudy.published.cells import KEYS
from chunkstudy.published.predictions.register import Prediction
from chunkstudy.runs.conditions import parse
from chunkstudy.runs.library import Library

UNDECIDED, CAME_TRUE, FAILED = "undecided", "came true", "failed"


@dataclass(frozen=True)
class Evidence:
    """Where the numbers that decide are read."""

    comparison: pd.DataFrame
    library: Library

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """The rows of the comparison by their cells' ids."""
        rows: Iterable[Any] = self.comparison.to_dict("records")
        return dict(zip(ids(self.comparison), rows, strict=True))


def ids(comparison: pd.DataFrame) -> pd.Series:
    """A cell's key as one word, by which predictions name it."""
    keys = zip(*(comparison[name] for name in KEYS), strict=True)
    return pd.Series(map("|".join, keys), index=comparison.index, dtype=object)


def known(places: Places) -> Evidence:
    """What the records, the studies and the published cells say."""
    library = Library(places)
    return Evidence(side_by_side.compare(places, library), library)


def outcome(prediction: Prediction, number: float | None) -> str:
    """Whether a number lies between a prediction's bounds, both included."""
    if number is None:
        return UNDECIDED
    above = prediction.low is None or number >= prediction.low
    below = prediction.high is None or number <= prediction.high
    return CAME_TRUE if above and below else FAILED


def number(prediction: Prediction, evidence: Evidence) -> float | None:
    """The number that decides a prediction, to eight significant digits as every derived table has
    them; None as long as a record is missing."""
    if prediction.kind == "value":
        column = "corrected" if prediction.protocol == CORRECTED.name else "reproduced"
        found = float(evidence.by_id[prediction.cells[0]][column])
    elif prediction.kind == "order":
        found = _order(prediction, evidence)
    else:
        found = _of_two(prediction, evidence)
    return None if np.isnan(found) else float(f"{found:.8g}")


def _order(prediction: Prediction, evidence: Evidence) -> float:
    """tau-b between the printed and the reproduced order of a table's rows."""
    rows = [evidence.by_id[name] for name in prediction.cells]
    printed, reproduced = ([float(row[name]) for row in rows] for name in ("value", "reproduced"))
    return np.nan if np.isnan(reproduced).any() else agreement.kendall(printed, reproduced)


def _of_two(prediction: Prediction, evidence: Evidence) -> float:
    """Two conditions in points, over the queries that both score."""
    cell = evidence.by_id[prediction.cells[0]]
    scores = []
    for one in map(parse, prediction.conditions):
        record = evidence.library.get(one)
        if record is None or prediction.measure not in record.wide:
            return np.nan
        scores.append(evidence.library.values(record, prediction.measure, cell["part"]))
    both = pd.concat(scores, axis=1, join="inner").dropna()
    if both.empty:
        return np.nan
    first, second = (100 * statistics.mean(both.iloc[:, at]) for at in (0, 1))
    if prediction.kind == "nearer":
        printed = cell["value"] * (1 if cell["unit"] == "percent" else 100)
        return abs(first - printed) - abs(second - printed)
    return abs(first - second) if prediction.kind == "distance" else first - second


def by_outcome(predictions: Iterable[Prediction], evidence: Evidence) -> dict[str, int]:
    """How many predictions came to what."""
    found = [outcome(one, number(one, evidence)) for one in predictions]
    return {name: found.count(name) for name in (UNDECIDED, CAME_TRUE, FAILED)}


def of_cells(comparison: pd.DataFrame, predictions: Iterable[Prediction]) -> pd.Series:
    """The ids of the predictions about each row of the comparison, the first made first."""
    about: dict[str, list[str]] = {}
    for one in predictions:
        for name in one.cells:
            about.setdefault(name, []).append(one.id)
    return ids(comparison).map(lambda name: " ".join(about.get(name, ()))).rename("prediction")
