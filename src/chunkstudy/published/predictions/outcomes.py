"""What became of predictions: the record decides, the day it appears."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.encoders import models
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics import agreement
from chunkstudy.published.cells import Cell
from chunkstudy.published.chunk_size import POOLED
from chunkstudy.published.predictions.cells import ids, needed, points
from chunkstudy.published.predictions.evidence import Evidence, from_records
from chunkstudy.published.predictions.register import Prediction
from chunkstudy.published.sources import work_of
from chunkstudy.published.verdicts import fits, verdict
from chunkstudy.runs import published_grid
from chunkstudy.runs.conditions import Condition, parse

UNDECIDED, CAME_TRUE, FAILED = "undecided", "came true", "failed"
MEASURED = {
    "correlation": "studies/chunk-sizes",
    "characters": "studies/document-lengths",
}
"""Units or measures of cells that a table gives and no single condition, and that table."""


def outcome(prediction: Prediction, number: float | None) -> str:
    """Whether a number lies between a prediction's bounds, both included."""
    if number is None:
        return UNDECIDED
    above = prediction.low is None or number >= prediction.low
    below = prediction.high is None or number <= prediction.high
    return CAME_TRUE if above and below else FAILED


def number(prediction: Prediction, evidence: Evidence) -> float | None:
    """The number that decides a prediction, to as many digits as its bounds; None as long as a
    record is missing."""
    conditions = [parse(one) for one in prediction.conditions] or [
        one for name in prediction.cells for one in needed(evidence.by_id[name])
    ]
    if any(evidence.library.get(one) is None for one in conditions):
        return None
    if prediction.kind == "value":
        return _stored(_of_cell(prediction.cells[0], prediction.protocol, evidence))
    if prediction.kind == "order":
        return _stored(_order(prediction, evidence))
    return _stored(_of_two(prediction, conditions, evidence))


def _stored(number: float | None) -> float | None:
    """To eight significant digits, as every derived table has them."""
    return None if number is None else float(f"{number:.8g}")


def _of_cell(name: str, protocol: str, evidence: Evidence) -> float | None:
    cell = evidence.by_id[name]
    if cell.unit == "correlation":
        return _correlation(cell, evidence.correlations)
    if cell.measure == "characters":
        found = evidence.lengths[evidence.lengths["collection"] == cell.collection]
        return float(found["characters"].iloc[0]) if len(found) else None
    column = "corrected" if protocol == CORRECTED.name else "reproduced"
    value = evidence.numbers[column][name]
    return None if np.isnan(value) else value


def _correlation(cell: Cell, table: pd.DataFrame) -> float | None:
    """r as the official code defines it; the lowest or highest of all methods where cells say so.

    That every condition behind it has a record is known by then.
    """
    encoder = models.slug(cell.encoder, published_grid.WINDOWS.get(cell.encoder))
    rows = table[
        (table["encoder"] == encoder)
        & (table["collection"] == (cell.collection if cell.collection == "gutenqa" else POOLED))
        & (table["ordering"] == cell.ordering)
    ]
    if cell.chunker != "all":
        rows = rows[rows["method"] == cell.chunker]
    found = rows["r"].dropna()
    if found.empty:
        return None
    return float(found.min() if cell.statistic == "lowest r" else found.max())


def _order(prediction: Prediction, evidence: Evidence) -> float | None:
    """tau-b between the printed and the reproduced order of a table's rows."""
    reproduced = [evidence.numbers["reproduced"][name] for name in prediction.cells]
    if np.isnan(reproduced).any():
        return None
    printed = [evidence.by_id[name].value for name in prediction.cells]
    found = agreement.kendall(printed, reproduced)
    return None if np.isnan(found.tau) else found.tau


def _of_two(
    prediction: Prediction, conditions: list[Condition], evidence: Evidence
) -> float | None:
    """The difference of two conditions in points, over the queries that both score."""
    cell = evidence.by_id[prediction.cells[0]]
    scores = []
    for one in conditions:
        record = evidence.library.get(one)
        if record is None or prediction.measure not in record.wide:
            return None
        scores.append(evidence.library.values(record, prediction.measure, cell.part))
    both = pd.concat(scores, axis=1, join="inner").dropna()
    if both.empty:
        return None
    first, second = (100 * statistics.mean(both.iloc[:, at]) for at in (0, 1))
    if prediction.kind == "nearer":
        return abs(first - points(cell)) - abs(second - points(cell))
    return abs(first - second) if prediction.kind == "distance" else first - second


def known(places: Places) -> Evidence:
    """What is known today, cells that no single condition gives among them."""
    evidence = from_records(places)
    return replace(evidence, comparison=with_measured(evidence))


def with_measured(evidence: Evidence) -> pd.DataFrame:
    """The comparison with cells that no single condition gives, lengths of documents and
    correlations, judged as well where their number is known."""
    filled = evidence.comparison.copy()
    cells = evidence.by_id
    for at, name in ids(filled).items():
        cell = cells[name]
        what = MEASURED.get(cell.unit if cell.unit == "correlation" else cell.measure)
        if what is None or any(evidence.library.get(one) is None for one in _behind(cell)):
            continue
        value = _of_cell(name, work_of(cell).protocol, evidence)
        if value is not None:
            judged: dict[str, Any] = {
                "run": what,
                "reproduced": value,
                "difference": value - cell.value,
                "verdict": verdict(cell, value),
                "fits": fits(cell, value),
                "reason": "",
            }
            for column, said in judged.items():
                filled.loc[at, column] = said
    return filled


def _behind(cell: Cell) -> tuple[Condition, ...]:
    """The records that a measured number rests on: none of a mean length."""
    return needed(cell) if cell.unit == "correlation" else ()


def of_cells(comparison: pd.DataFrame, predictions: Iterable[Prediction]) -> pd.Series:
    """The ids of the predictions about each row of the comparison, the first made first."""
    about: dict[str, list[str]] = {}
    for one in predictions:
        for name in one.cells:
            about.setdefault(name, []).append(one.id)
    return ids(comparison).map(lambda name: " ".join(about.get(name, ()))).rename("prediction")
