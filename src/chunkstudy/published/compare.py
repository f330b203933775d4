"""Published cells beside reproduced ones, with a verdict each."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from chunkstudy import statistics
from chunkstudy.encoders import models
from chunkstudy.grid.conditions import LARGE, MINILM, Condition, weights_needed
from chunkstudy.grid.library import Library
from chunkstudy.grid.published_grid import corrected
from chunkstudy.places import Places
from chunkstudy.published.cells import COLUMNS as CELL_COLUMNS
from chunkstudy.published.cells import Cell, frame, read
from chunkstudy.published.sources import (
    Change,
    Mean,
    NoCondition,
    Similarity,
    Source,
    conditions_of,
    pattern,
    source_of,
    with_conditions,
    work_of,
)
from chunkstudy.studies import results

SIZES = {LARGE: ("cl100k", 0), models.parse_slug(MINILM)[0]: ("wordpiece", 2)}
"""What Chroma's chunk sizes count, by model: the unit, and the special tokens on top of it."""
NUMBERS = ["reproduced", "corrected", "difference", "low", "high"]
BESIDE = ["protocol", "run", *NUMBERS, "verdict", "reason"]
COLUMNS = [*CELL_COLUMNS, *BESIDE]


def compare(places: Places, library: Library) -> pd.DataFrame:
    """A row per published cell: what it says, what was reproduced, and a verdict.

    Args:
        places: of the cells, and of what measures noise and similarities.
        library: the records.

    Returns:
        The columns `COLUMNS`. What was reproduced stands in the printed unit, unrounded; NaN where
        there is none.
    """
    comparison = _Comparison(places, library)
    cells = read(places)
    beside = pd.DataFrame([comparison.row(cell) for cell in cells], columns=BESIDE)
    return frame(cells).join(beside.astype(dict.fromkeys(NUMBERS, float)))


def measured_noise(places: Places) -> float:
    """The largest change of any mean when one condition is repeated, a fraction."""
    means = results.read(places, "repeatability")
    if means.empty:
        return 0.0
    means = means[~means["measure"].str.startswith("TokensRead")]
    spread = means.groupby("measure")["mean"].agg(["min", "max"])
    return float((spread["max"] - spread["min"]).max())


def verdict(cell: Cell, value: float, noise: float) -> str:
    """``exact`` at the printed digits (rounded or truncated), ``within_noise``, or ``deviates``.

    Args:
        cell: a published cell of which something survives.
        value: the reproduced value in the printed unit.
        noise: in the printed unit.
    """
    if cell.decimals is None:
        return "exact" if f"{value:.1f}"[0] == cell.published else "deviates"
    step = 10.0**-cell.decimals
    if f"{value:.{cell.decimals}f}" == cell.published:
        return "exact"
    if cell.unit == "token" and math.floor(value / step) * step == cell.value:
        return "exact"
    half = step / 2 if cell.unit != "token" else step
    return "within_noise" if abs(value - cell.value) <= half + noise else "deviates"


@dataclass(frozen=True)
class Reproduced:
    """A cell's value from records, in its printed unit."""

    value: float
    sensitivity: float
    """How far the value moves, in its unit, where a score moves by one."""
    low: float = math.nan
    high: float = math.nan
    """The interval of a mean over queries; NaN for anything else."""


class _Comparison:
    """Published cells against the records of one library."""

    def __init__(self, places: Places, library: Library) -> None:
        self.library = library
        self.noise = measured_noise(places)
        self.similarities = _similarities(places)
        self._scores: dict[tuple[Condition, str, str], pd.Series] = {}

    def row(self, cell: Cell) -> dict[str, object]:
        """What stands beside a cell; numbers that there are none of have no entry."""
        row: dict[str, object] = {
            "protocol": work_of(cell).protocol,
            "run": "",
            "verdict": "not_run",
            "reason": "",
        }
        if cell.state == "lost":
            return row | {"reason": "the printed value is lost in the source"}
        source = source_of(cell)
        if isinstance(source, NoCondition):
            return row | {"reason": source.reason}
        if isinstance(source, Similarity):
            return row | self._similarity(cell, source)
        row |= {"run": pattern(source), "protocol": next(conditions_of(source)).protocol}
        if reason := self._why_missing(source):
            return row | {"reason": reason}
        ours = self._reproduced(cell, source)
        row |= {"low": ours.low, "high": ours.high}
        twin = with_conditions(source, corrected)
        if all(self.library.get(one) for one in conditions_of(twin)):
            row["corrected"] = self._reproduced(cell, twin).value
        return row | self._judged(cell, ours)

    def _judged(self, cell: Cell, ours: Reproduced) -> dict[str, object]:
        return {
            "reproduced": ours.value,
            "difference": ours.value - cell.value,
            "verdict": verdict(cell, ours.value, self.noise * ours.sensitivity),
        }

    def _similarity(self, cell: Cell, source: Similarity) -> dict[str, object]:
        found = self.similarities
        if len(found):
            own = (found["encoder"] == source.model) & (found["chunk"] == source.chunk)
            found = found[own]
        if found.empty:
            needs = weights_needed(models.spec(source.model))
            return {"reason": "; ".join([*needs, "then run `chunkstudy study berlin`"])}
        measured = found.iloc[0]
        row: dict[str, object] = {"run": "studies/berlin"}
        if source.arm != "plain":
            row["corrected"] = float(measured["late"])
        return row | self._judged(cell, Reproduced(float(measured[source.arm]), 1.0))

    def _why_missing(self, source: Source) -> str:
        """Why a cell has no score: what its condition needs, or the first missing of several."""
        wanted = list(dict.fromkeys(conditions_of(source)))
        missing = [one for one in wanted if self.library.get(one) is None]
        if not missing:
            return ""
        first = missing[0]
        # What this machine has is left out, so that the table is the same everywhere.
        reason = "; ".join(first.needs()) or f"open: run `chunkstudy run --only '{first}'`"
        if len(wanted) == 1:
            return reason
        many = f"computed from {len(wanted)} conditions, {len(missing)} of them missing"
        return f"{many}, first {first}: {reason}"

    def _reproduced(self, cell: Cell, source: Source) -> Reproduced:
        """The cell's value, all of whose conditions have records."""
        if isinstance(source, Mean):
            parts = [self._reproduced(cell, part) for part in source.parts]
            value = statistics.mean([part.value for part in parts])
            return Reproduced(value, max(part.sensitivity for part in parts))
        if isinstance(source, Change):
            before, after = (
                statistics.mean(self._values(cell, one)) for one in conditions_of(source)
            )
            return Reproduced(100 * (after / before - 1), 100 * (1 + after / before) / before)
        assert isinstance(source, Condition)
        if cell.measure == "chunk size":
            record = self.library.get(source)
            assert record is not None
            unit, special_tokens = SIZES[cell.encoder]
            return Reproduced(record.run.sizes[unit].mean + special_tokens, 1.0)
        scale = 100.0 if cell.unit == "percent" else 1.0
        values = scale * self._values(cell, source)
        if cell.statistic == "std":
            return Reproduced(statistics.population_std(values), scale)
        interval = statistics.bootstrap_interval(values)
        return Reproduced(statistics.mean(values), scale, interval.low, interval.high)

    def _values(self, cell: Cell, condition: Condition) -> pd.Series:
        """Scores by query, read once for all cells that rest on them."""
        key = (condition, cell.measure, cell.part)
        if key not in self._scores:
            record = self.library.get(condition)
            assert record is not None
            self._scores[key] = self.library.values(record, cell.measure, cell.part)
        return self._scores[key]


def _similarities(places: Places) -> pd.DataFrame:
    """The cosines of Jina's example that were measured here; no row where none were."""
    return results.read(places, "berlin")
