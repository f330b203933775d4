"""A library of records that a test writes down, for tables that would need a study's own."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd

from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.record_store import Library

WIDE = f"{MINILM}-w512"
OWN, IELAB = "corrected", "as_published-ielab"
PRE, LATE = "pre_embedding", "contextualized-512"
CHUNKERS = ("none", "paragraph", "sentence-5", "fixed-256", "semantic")
COUNTS = SimpleNamespace(documents=1, chunks=20, empty_chunks=0, ties_at_cut=0)


def made_library(scores: Mapping[Condition, pd.DataFrame]) -> Library:
    """Condition to scores per query, shape (queries, measures)."""
    records = {
        one: SimpleNamespace(
            wide=scores[one], run=SimpleNamespace(collection=one.collection, counts=COUNTS)
        )
        for one in sorted(scores)
    }
    return cast(Library, records)


def made(
    collections: tuple[str, ...] = ("scifact", "nfcorpus"), protocol: str = OWN
) -> dict[Condition, pd.Series]:
    """Scores of 40 queries whose methods differ by a little, so that some tests are significant."""
    drawn = np.random.default_rng(0)
    ids = [f"q{i}" for i in range(40)]
    found = {}
    for name in collections:
        base = drawn.random(len(ids))
        for place, chunker in enumerate(CHUNKERS):
            for ordering in (PRE, LATE):
                noise = 0.15 * drawn.standard_normal(len(ids)) + 0.03 * place
                condition = Condition(name, chunker, WIDE, ordering, protocol)
                found[condition] = pd.Series(base + noise, index=ids)
    return found
