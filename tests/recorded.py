"""Records that were never written: scores per query by condition, in place of a library."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.runs.conditions import MINILM, Condition

WIDE = f"{MINILM}-w512"
OWN, IELAB = "corrected", "as_published-ielab"
PRE, LATE = "pre_embedding", "contextualized-512"
CHUNKERS = ("none", "paragraph", "sentence-5", "fixed-256", "semantic")


class Recorded:
    """Answers as a library does."""

    def __init__(self, scores: dict[Condition, pd.Series]) -> None:
        self.scores = scores

    def __iter__(self) -> Iterator[Condition]:
        return iter(self.scores)

    def get(self, condition: Condition) -> SimpleNamespace | None:
        if condition not in self.scores:
            return None
        measure = "nDCG@10" if condition.task == "in_corpus" else "DCG@10"
        return SimpleNamespace(wide=self.scores[condition].to_frame(measure))

    def values(self, record: SimpleNamespace, measure: str, part: str = "all") -> pd.Series:
        return record.wide[measure]


def library(scores: dict[Condition, pd.Series]) -> Any:
    """A library of these scores."""
    return Recorded(scores)


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
