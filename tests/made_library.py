"""A library of records that a test writes down, for tables that would need a study's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd

from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.library import Library

WIDE = f"{MINILM}-w512"
OWN, IELAB = "corrected", "as_published-ielab"
PRE, LATE = "pre_embedding", "contextualized-512"
CHUNKERS = ("none", "paragraph", "sentence-5", "fixed-256", "semantic")
COUNTS = SimpleNamespace(documents=1, chunks=20, empty_chunks=0, ties_at_cut=0)
LARGEST = {"fixed-64": 64.0, "paragraph": 300.0}
"""Tokens of a chunker's largest chunk, 100 of any other."""


def _sizes(chunker: str) -> dict[str, SimpleNamespace]:
    largest = LARGEST.get(chunker, 100.0)
    size = SimpleNamespace(mean=0.5 * largest, percentiles=[largest] * 21)
    return {"cl100k": size, "wordpiece": size}


class _MadeLibrary:
    """Condition to scores per query; parts by name to the queries in them."""

    def __init__(
        self, scores: Mapping[Condition, pd.DataFrame], parts: Mapping[str, list[str]] | None = None
    ) -> None:
        self._parts = parts or {}
        self._records = {
            one: SimpleNamespace(
                wide=scores[one],
                run=SimpleNamespace(
                    collection=one.collection,
                    counts=COUNTS,
                    sizes=_sizes(one.chunker),
                    chunks_sha256=one.chunker.ljust(64, "0"),
                ),
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


def made(
    collections: tuple[str, ...] = ("scifact", "nfcorpus"),
    chunkers: tuple[str, ...] = CHUNKERS,
    protocol: str = OWN,
    encoder: str = WIDE,
    late: str = LATE,
    queries: int = 40,
    seed: int = 0,
) -> dict[Condition, pd.Series]:
    """Scores whose methods differ by a little, so that some tests are significant."""
    drawn = np.random.default_rng(seed)
    ids = [f"q{i}" for i in range(queries)]
    found = {}
    for name in collections:
        base = drawn.random(queries)
        for place, chunker in enumerate(chunkers):
            for ordering in (PRE, late):
                noise = 0.15 * drawn.standard_normal(queries) + 0.03 * place
                condition = Condition(name, chunker, encoder, ordering, protocol)
                found[condition] = pd.Series(base + noise, index=ids)
    return found
