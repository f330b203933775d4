"""A library of records that a test writes down, for tables that would need a study's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd

from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.library import Library

COUNTS = SimpleNamespace(chunks=10, empty_chunks=0, ties_at_cut=0)
SIZES = {name: SimpleNamespace(mean=100.0) for name in ("cl100k", "wordpiece")}


class _MadeLibrary:
    """Condition to scores per query; parts by name to the queries in them."""

    def __init__(
        self, scores: Mapping[Condition, pd.DataFrame], parts: Mapping[str, list[str]] | None = None
    ) -> None:
        self._parts = parts or {}
        self._records = {
            one: SimpleNamespace(
                wide=scores[one],
                run=SimpleNamespace(collection=one.collection, counts=COUNTS, sizes=SIZES),
            )
            for one in sorted(scores)
        }

    def __iter__(self) -> Iterator[Condition]:
        return iter(self._records)

    def get(self, condition: Condition) -> Any:
        return self._records.get(condition)

    def values(self, record: Any, measure: str, part: str = "all") -> pd.Series:
        column = record.wide[measure]
        return column if part == "all" else column[column.index.isin(self._parts.get(part, []))]


def made_library(
    scores: Mapping[Condition, pd.DataFrame], parts: Mapping[str, list[str]] | None = None
) -> Library:
    """Condition to scores per query, shape (queries, measures); parts by name to their queries."""
    return cast(Library, _MadeLibrary(scores, parts))
