"""Contexts beside late chunking: the likeness of what they move."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.studies.contexts.gains import left_of


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
