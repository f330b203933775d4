"""Contexts beside late chunking: the likeness of what they move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.evaluation.statistics.differences import HIGHER
from chunkstudy.studies import contexts
from chunkstudy.studies.contexts.gains import left_of

QUERIES = [f"q{i}" for i in range(80)]
RANDOM = np.random.default_rng(7)
BASE, HELPED = RANDOM.normal(0.5, 0.2, 80), RANDOM.normal(0.0, 0.2, 80)
"""A question's score, and what it gains by context, whoever gives it."""
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
KEYS = {"measure": "DCG@10", "collection": "chroma-within", "model": MINILM}


def scores(gain: float = 0.0, moved: float = 0.0, noise: int = 0) -> pd.Series:
    own = np.random.default_rng(noise).normal(0, 0.05, 80)
    return pd.Series(BASE + gain + moved * HELPED + own, QUERIES)


def way(name: str, own: pd.Series, papers: pd.Series | None = None) -> contexts.Way:
    return contexts.Way(KEYS, name, ("sentence-5", "fixed-64"), own, scores(noise=30), papers)


WAYS = [
    way("title", scores(0.1, 1.0, 60)),
    way("preceding-sentence", scores(noise=50)),
    way("late-128", scores(0.1, 1.0, 10)),
    way("late-512", scores(-0.2, noise=20)),
]
"""A title that gains and moves questions as late chunking at 128 tokens does, a sentence before the
chunk that moves others, late chunking at 512 that loses."""


def test_what_moves_the_same_questions_is_correlated_and_what_does_not_is_not() -> None:
    table = contexts.alike(WAYS)
    rows = {(row["context"], row["beside"]): row for row in table.to_dict("records")}
    alike, other = rows["title", "late-128"], rows["title", "preceding-sentence"]
    assert alike["correlation"] > 0.9 and abs(alike["difference"]) < 0.03
    assert other["correlation low"] < 0 < other["correlation high"]
    assert rows["title", "late-512"]["shown"] == HIGHER
    assert len(table) == 5 and table["family"].nunique() == 2  # no late beside late


def _partial(first: pd.Series, second: pd.Series, held: pd.Series) -> float:
    return float(np.corrcoef(*left_of(first, second, held))[0, 1])


@given(st.integers(0, 10_000))
def test_a_partial_correlation_is_that_of_the_textbook(seed: int) -> None:
    random = np.random.default_rng(seed)
    held, first, second = (pd.Series(random.normal(size=30)) for _ in range(3))
    first, second = first + held, second + 0.5 * held
    ab, ah, bh = first.corr(second), first.corr(held), second.corr(held)
    expected = (ab - ah * bh) / np.sqrt((1 - ah**2) * (1 - bh**2))
    assert _partial(first, second, held) == pytest.approx(expected)
