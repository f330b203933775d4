"""Published cells beside reproduced ones, with a verdict each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import pandas as pd

from chunkstudy.core.project import Project
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.pipeline import experiment_tables, facts
from chunkstudy.pipeline.conditions import LARGE, MINILM, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.requirements import AND
from chunkstudy.published.cells import COLUMNS as CELL_COLUMNS
from chunkstudy.published.cells import Cell, frame, read
from chunkstudy.published.chunk_size import published_r
from chunkstudy.published.sources import (
    WORKS,
    Change,
    Mean,
    Measured,
    Source,
    conditions_of,
    corrected_source,
    of_missing,
    pattern,
    source_of,
)
from chunkstudy.published.verdicts import Judge, scale_of

SIZES = {LARGE: ("cl100k", 0), parse_encoder(MINILM).model: ("wordpiece", 2)}
"""What Chroma's chunk sizes count, by model: the unit, and the special tokens on top of it."""
NUMBERS = ["reproduced", "corrected", "difference", "low", "high", "stack_low", "stack_high"]
ADDED = ["protocol", "run", *NUMBERS, "verdict", "needs"]
COLUMNS = [*CELL_COLUMNS, *ADDED]


def compare(places: Project, library: Library) -> pd.DataFrame:
    """A row per published cell: what it says, what was reproduced, and a verdict.

    Returns:
        The columns `COLUMNS`. What was reproduced stands in the printed unit, unrounded; NaN where
        there is none. ``stack_low`` and ``stack_high`` are what the published stack gave when run
        again, or another order of equal scores; ``needs`` says what a cell waits for
        (:func:`.sources.of_missing`).
    """
    cells = read(places)
    comparison = _Comparison(places, library)
    beside = pd.DataFrame([comparison.row(cell, source_of(cell)) for cell in cells], columns=ADDED)
    return frame(cells).join(beside.astype(dict.fromkeys(NUMBERS, float)))


class _Comparison:
    """Published cells against the records of one library and what studies measured."""

    def __init__(self, places: Project, library: Library) -> None:
        self.places = places
        self.library = library
        self.judge = Judge(places)
        self._scores: dict[tuple[Condition, str, str], pd.Series] = {}

    def row(self, cell: Cell, source: Source) -> dict[str, object]:
        """What stands beside a cell; numbers that there are none of have no entry."""
        row: dict[str, object] = {"protocol": WORKS[cell.work].protocol, "run": "",
                                  "verdict": "not_run", "needs": ""}  # fmt: skip
        missing = [c for c in conditions_of(source) if c not in self.library]
        if not isinstance(source, Measured):
            row |= {"run": pattern(source), "protocol": next(conditions_of(source)).protocol}
        ours = {} if missing else self._reproduced(cell, source)
        if not ours:
            waits = source.waits if isinstance(source, Measured) else of_missing(missing)
            return row | {"needs": AND.join(dict.fromkeys(waits))}
        if isinstance(source, Measured):
            row |= {"run": f"studies/{source.study}"}
        else:
            twin = corrected_source(source)
            if all(self.library.get(condition) for condition in conditions_of(twin)):
                row["corrected"] = self._value(cell, twin)["reproduced"]
        judged = self.judge.judged(cell, source, ours["reproduced"], self._ties(cell, source))
        return row | ours | judged

    def _ties(self, cell: Cell, source: Source) -> Interval | None:
        """What a mean may be under another order of equal scores, of a work that names none."""
        record = self.library.get(source) if isinstance(source, Condition) else None
        if record is None or not WORKS[cell.work].ties_open:
            return None
        ends = record.run.tie_range.get(cell.measure)
        return None if ends is None else Interval(*(scale_of(cell) * end for end in ends))

    def _reproduced(self, cell: Cell, source: Source) -> dict[str, float]:
        """The cell's value in its printed unit, all of whose conditions have records, with the
        interval of a mean over queries; nothing where no study measured it."""
        if not isinstance(source, Measured):
            return self._value(cell, source)
        if cell.unit == "correlation":
            return self._correlation(cell, source.conditions)
        return self._length(cell) if cell.measure == "characters" else self._cosine(cell)

    def _value(self, cell: Cell, source: Source) -> dict[str, float]:
        if isinstance(source, Mean):
            parts = [self._value(cell, part)["reproduced"] for part in source.parts]
            return {"reproduced": statistics.mean(parts)}
        if isinstance(source, Change):
            before, after = (statistics.mean(self._values(cell, c)) for c in conditions_of(source))
            return {"reproduced": 100 * (after / before - 1)}
        assert isinstance(source, Condition)
        if cell.measure == "chunk size":
            unit, special_tokens = SIZES[cell.encoder]
            size = self.library[source].run.sizes[unit].mean + special_tokens
            return {"reproduced": size}
        values = scale_of(cell) * self._values(cell, source)
        if cell.statistic == "std":
            return {"reproduced": statistics.population_std(values)}
        interval = statistics.bootstrap_interval(values)
        ends = {"low": interval.low, "high": interval.high}
        return {"reproduced": statistics.mean(values)} | ends

    def _values(self, cell: Cell, condition: Condition) -> pd.Series:
        """Scores by query, read once for all cells that rest on them."""
        key = (condition, cell.measure, cell.part)
        if key not in self._scores:
            values = self.library[condition].wide[cell.measure]
            if cell.part != "all":
                parts = facts.read(self.places, condition.collection).set_index("query_id")["part"]
                values = values[values.index.isin(parts.index[parts == cell.part])]
            self._scores[key] = values
        return self._scores[key]

    def _length(self, cell: Cell) -> dict[str, float]:
        """The mean number of characters of a collection's documents."""
        lengths = experiment_tables.read(self.places, "document-lengths", "characters")
        matching = at(lengths, collection=cell.collection)
        if matching.empty:
            return {}
        return {"reproduced": float(matching["mean characters"].iloc[0])}

    def _cosine(self, cell: Cell) -> dict[str, float]:
        """Of Jina's example on Berlin, late as published and corrected at once."""
        cosines = experiment_tables.read(self.places, "berlin", "cosines")
        matching = at(cosines, encoder=cell.encoder, chunk=cell.chunker)
        if matching.empty:
            return {}
        late = {"reproduced": "late as published", "corrected": "late"}
        of_cell = {"reproduced": "plain"} if cell.ordering == PRE_EMBEDDING else late
        return {name: float(matching[column].iloc[0]) for name, column in of_cell.items()}

    def _correlation(self, cell: Cell, conditions: Iterable[Condition]) -> dict[str, float]:
        """r as the official code defines it; the lowest or highest of all methods where the cell
        says so."""
        of_methods = published_r(conditions, cell.ordering, self.library, self._chunk_sizes)
        defined = [r for r in of_methods if not math.isnan(r)]
        if not defined:
            return {}
        return {"reproduced": min(defined) if cell.statistic == "lowest r" else max(defined)}

    @cached_property
    def _chunk_sizes(self) -> dict[str, pd.DataFrame]:
        return experiment_tables.tables(self.places, "chunk-sizes")
