"""Published cells beside reproduced ones, with a verdict each.

``results/published/*.csv`` holds cells as printed; nothing here writes to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from chunkstudy import statistics
from chunkstudy.encoders import models
from chunkstudy.grid import records
from chunkstudy.grid.conditions import Condition, weights_needed
from chunkstudy.grid.published_grid import corrected
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, AS_PUBLISHED_IELAB, AS_PUBLISHED_JINA
from chunkstudy.published.cells import frame, read
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
)

SIZE_UNIT = {"minilm": "wordpiece", "main": "cl100k"}
SPECIAL_TOKENS = {"minilm": 2, "main": 0}
HNSW = "hnsw.csv"
BERLIN = "berlin.csv"
PROTOCOL_OF = {
    "chroma": AS_PUBLISHED_CHROMA.name,
    "jina": AS_PUBLISHED_JINA.name,
    "taxonomy": AS_PUBLISHED_IELAB.name,
}
"""Each cell is judged against the protocol of the work that made it; one that quotes another work
against that one's."""
COLUMNS = [
    "work", "table", "collection", "chunker", "encoder", "ordering", "part", "cut", "measure",
    "statistic", "published", "decimals", "unit", "state", "line", "protocol", "run",
    "reproduced", "corrected", "difference", "low", "high", "verdict", "reason",
]  # fmt: skip


@dataclass(frozen=True)
class Scores:
    """One record, read once: its scores by measure, and its chunk sizes."""

    run: records.Run
    folder: Path

    @cached_property
    def wide(self) -> pd.DataFrame:
        long = records.read_scores(self.folder, self.run)
        return long.pivot(index="query_id", columns="measure", values="value")


class Library:
    """Every record of the study by condition."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._found = records.find(places.runs)
        self._read: dict[Condition, Scores] = {}
        self._parts: dict[str, pd.Series] = {}

    def __iter__(self) -> Iterator[Condition]:
        return iter(self._found)

    def get(self, condition: Condition) -> Scores | None:
        if condition not in self._found:
            return None
        if condition not in self._read:
            folder = self._found[condition]
            self._read[condition] = Scores(records.read_run(folder), folder)
        return self._read[condition]

    def values(self, scores: Scores, measure: str, part: str = "all") -> pd.Series:
        """A measure's value per query, of one part or of all."""
        column = scores.wide[measure]
        if part == "all":
            return column
        name = scores.run.collection
        if name not in self._parts:
            table = pd.read_csv(self.places.results / "parts" / f"{name}.csv", dtype=str)
            self._parts[name] = table.set_index("query_id")["part"]
        parts = self._parts[name]
        return column[column.index.isin(parts.index[parts == part])]


def read_published(places: Places) -> pd.DataFrame:
    """Published cells for rooms that still ask for ``printed`` and ``line``."""
    table = frame(read(places))
    decimals = table["decimals"].astype("string").fillna("").astype(str)
    return table.assign(printed=table["published"], line=table["place"], decimals=decimals)


def compare(places: Places) -> pd.DataFrame:
    """A row per published cell: what it says, what was reproduced, and a verdict."""
    library = Library(places)
    noise = measured_noise(places)
    rows = [_compare(cell, library, noise) for _, cell in read_published(places).iterrows()]
    return pd.DataFrame(rows, columns=COLUMNS)


def measured_noise(places: Places) -> float:
    """The largest change of any mean when one condition is repeated, a fraction (results/noise)."""
    largest = 0.0
    for path in sorted((places.results / "noise").glob("*.csv")):
        means = pd.read_csv(path)
        if path.name == HNSW:  # another search, not the same one repeated
            continue
        means = means[~means["measure"].str.startswith("TokensRead")]
        spread = means.groupby("measure")["mean"].agg(["min", "max"])
        largest = max(largest, float((spread["max"] - spread["min"]).max()))
    return largest


def verdict(cell: pd.Series, value: float, noise: float) -> str:
    """``exact`` at the printed digits (rounded or truncated), ``within_noise``, or ``deviates``.

    Args:
        cell: a published cell.
        value: the reproduced value in the printed unit.
        noise: in the printed unit.
    """
    printed = str(cell["published"] if "published" in cell else cell["printed"])
    if cell["state"] == "leading digit":
        return "exact" if f"{value:.1f}"[0] == printed else "deviates"
    decimals = int(cell["decimals"])
    step = 10.0**-decimals
    if f"{value:.{decimals}f}" == printed:
        return "exact"
    if cell["unit"] == "token" and math.floor(value / step) * step == float(printed):
        return "exact"
    half = step / 2 if cell["unit"] != "token" else step
    return "within_noise" if abs(value - float(printed)) <= half + noise else "deviates"


def _compare(cell: pd.Series, library: Library, noise: float) -> dict[str, object]:
    row: dict[str, object] = {
        **{name: cell[name] for name in COLUMNS if name in cell},
        "published": cell["printed"],
        "protocol": PROTOCOL_OF[str(cell["work"])],
        "verdict": "not_run",
    }
    if cell["state"] == "lost":
        return row | {"reason": "the printed value is lost in the source"}
    source = source_of(cell)
    if isinstance(source, NoCondition):
        return row | {"reason": source.reason}
    if isinstance(source, Similarity):
        return row | _similarity(cell, source, library.places, noise)
    row |= {"run": pattern(source), "protocol": next(conditions_of(source)).protocol}
    if reason := _why_missing(source, library):
        return row | {"reason": reason}
    value, interval, sensitivity = _reproduced(cell, source, library)
    row["reproduced"] = _shown(value, cell)
    if interval is not None:
        row |= {"low": _shown(interval.low, cell), "high": _shown(interval.high, cell)}
    twin = with_conditions(source, corrected)
    if all(library.get(one) for one in conditions_of(twin)):
        row["corrected"] = _shown(_reproduced(cell, twin, library)[0], cell)
    if cell["state"] == "whole":
        row["difference"] = _shown(value - float(str(cell["printed"])), cell)
    return row | {"verdict": verdict(cell, value, noise * sensitivity)}


def _similarity(
    cell: pd.Series, source: Similarity, places: Places, noise: float
) -> dict[str, object]:
    path = places.results / "experiments" / BERLIN
    table = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["encoder", "chunk"])
    found = table[(table["encoder"] == source.model) & (table["chunk"] == source.chunk)]
    if found.empty:
        needs = weights_needed(models.spec(source.model))
        return {"reason": "; ".join([*needs, "then run `chunkstudy experiment berlin`"])}
    value = float(found[source.arm].iloc[0])
    return {
        "run": f"experiments/{BERLIN}",
        "reproduced": _shown(value, cell),
        "corrected": _shown(float(found["late"].iloc[0]), cell) if source.arm != "plain" else None,
        "difference": _shown(value - float(str(cell["printed"])), cell),
        "verdict": verdict(cell, value, noise),
    }


def _why_missing(source: Source, library: Library) -> str:
    """Why a cell has no score: what its condition needs, or the first missing one of several."""
    wanted = list(dict.fromkeys(conditions_of(source)))
    missing = [one for one in wanted if library.get(one) is None]
    if not missing:
        return ""
    first = missing[0]
    # What this machine has is left out, so that the table is the same everywhere.
    reason = "; ".join(first.needs()) or f"open: run `chunkstudy run --only '{first}'`"
    if len(wanted) == 1:
        return reason
    many = f"computed from {len(wanted)} conditions, {len(missing)} of them missing"
    return f"{many}, first {first}: {reason}"


def _reproduced(
    cell: pd.Series, source: Source, library: Library
) -> tuple[float, statistics.Interval | None, float]:
    """The cell's value in its printed unit, the interval of a mean over queries, and how far the
    value moves, in its unit, where a score moves by one."""
    if isinstance(source, Mean):
        parts = [_reproduced(cell, part, library) for part in source.parts]
        return (
            statistics.mean([value for value, _, _ in parts]),
            None,
            max(sensitivity for _, _, sensitivity in parts),
        )
    if isinstance(source, Change):
        before, after = (
            statistics.mean(_scores(cell, one, library)) for one in conditions_of(source)
        )
        return 100 * (after / before - 1), None, 100 * (1 + after / before) / before
    assert isinstance(source, Condition)
    if cell["measure"] == "chunk size":
        table = "minilm" if "MiniLM" in str(cell["encoder"]) else "main"
        run = _record(source, library).run
        return run.sizes[SIZE_UNIT[table]].mean + SPECIAL_TOKENS[table], None, 1.0
    scale = 100.0 if cell["unit"] == "percent" else 1.0
    values = scale * _scores(cell, source, library)
    if cell["statistic"] == "std":
        return statistics.population_std(values), None, scale
    return statistics.mean(values), statistics.bootstrap_interval(values), scale


def _scores(cell: pd.Series, condition: Condition, library: Library) -> pd.Series:
    return library.values(_record(condition, library), str(cell["measure"]), str(cell["part"]))


def _record(condition: Condition, library: Library) -> Scores:
    record = library.get(condition)
    assert record is not None
    return record


def _shown(value: float, cell: pd.Series) -> str:
    return f"{value:.5f}" if cell["unit"] == "fraction" else f"{value:.3f}"
