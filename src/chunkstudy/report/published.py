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
from chunkstudy.experiment import records
from chunkstudy.experiment.conditions import MINILM, NONE, Condition
from chunkstudy.experiment.encoding import PRE_EMBEDDING
from chunkstudy.experiment.places import Places
from chunkstudy.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    CORRECTED,
)

LARGE = "text-embedding-3-large"
CHROMA_LENGTH = {("minilm", "recursive"): "-wordpiece-special"}
"""Chroma's MiniLM table counts recursive chunks in WordPiece tokens with [CLS] and [SEP]; see the
table of length functions."""
SIZE_UNIT = {"minilm": "wordpiece", "main": "cl100k"}
SPECIAL_TOKENS = {"minilm": 2, "main": 0}
NO_KEY = (
    "needs OPENAI_API_KEY: the ranking, and for semantic chunkers the boundaries, come from "
    "text-embedding-3-large"
)
NO_WEIGHTS = "needs {}, whose weights are not in the registry yet"
NO_CONDITION = "not a condition: a fact of the collection"
HNSW = "hnsw.csv"
PROTOCOL_OF = {
    "chroma": AS_PUBLISHED_CHROMA.name,
    "jina": AS_PUBLISHED_JINA.name,
    "taxonomy": AS_PUBLISHED_IELAB.name,
}
"""Each cell is judged against the protocol of the work that printed it."""
NO_LLM = "needs OPENAI_API_KEY: the boundaries come from gpt-4o"
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
    """Every published cell of every work, strings as printed."""
    paths = sorted(places.published.glob("*.csv"))
    tables = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths]
    cells = pd.concat(tables, ignore_index=True).fillna("")
    chroma = cells["work"] == "chroma"
    cells.loc[chroma, "collection"] = "chroma"
    cells.loc[chroma, "ordering"] = PRE_EMBEDDING
    return cells


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


def condition_of(cell: pd.Series, protocol: str) -> Condition | str:
    """The condition that reproduces a cell, or the reason why none does."""
    if cell["work"] != "chroma":
        return NO_WEIGHTS.format(cell["encoder"]) if cell["encoder"] else NO_CONDITION
    chunker = str(cell["chunker"])
    family = chunker.split("-")[0]
    if family == "llm":
        return NO_LLM
    chunker += CHROMA_LENGTH.get((_table(cell), family), "")
    if cell["measure"] in ("PrecisionOmega", "chunk size") and family in ("recursive", "token"):
        return Condition("chroma", chunker, NONE, NONE, protocol)
    if cell["encoder"] == LARGE:
        return NO_KEY
    return Condition("chroma", chunker, MINILM, "pre_embedding", protocol)


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
    condition = condition_of(cell, AS_PUBLISHED_CHROMA.name)
    if isinstance(condition, str):
        return row | {"reason": condition}
    scores = library.get(condition)
    if scores is None:
        return row | {"reason": f"open: run `chunkstudy run --only '{condition}'`"}
    value, interval = _reproduced(cell, scores, library)
    row |= {"run": str(condition), "reproduced": _shown(value)}
    if interval is not None:
        row |= {"low": _shown(interval.low), "high": _shown(interval.high)}
    twin = condition_of(cell, CORRECTED.name)
    other = library.get(twin) if isinstance(twin, Condition) else None
    if other is not None:
        row["corrected"] = _shown(_reproduced(cell, other, library)[0])
    if cell["state"] == "whole":
        row["difference"] = f"{value - float(str(cell['printed'])):.3f}"
    scale = 100 if cell["unit"] == "percent" else 1
    return row | {"verdict": verdict(cell, value, noise * scale)}


def _reproduced(
    cell: pd.Series, scores: Scores, library: Library
) -> tuple[float, statistics.Interval | None]:
    """The cell's value in its printed unit, and the interval of a mean."""
    if cell["measure"] == "chunk size":
        table = _table(cell)
        return scores.run.sizes[SIZE_UNIT[table]].mean + SPECIAL_TOKENS[table], None
    values = 100 * library.values(scores, str(cell["measure"]), str(cell["part"]))
    if cell["statistic"] == "std":
        return statistics.population_std(values), None
    return statistics.mean(values), statistics.bootstrap_interval(values)


def _table(cell: pd.Series) -> str:
    return "minilm" if "MiniLM" in str(cell["encoder"]) else "main"


def _shown(value: float) -> str:
    return f"{value:.3f}"
