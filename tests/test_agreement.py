"""Measures of reproduction against brute force and their definitions."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.evaluation.statistics import agreement

SCORES = st.lists(st.integers(0, 5), min_size=2, max_size=9)


def tau_by_counting(x: list[int], y: list[int]) -> float:
    """Concordant less discordant pairs, over the geometric mean of the pairs untied in each."""
    pairs = list(combinations(range(len(x)), 2))
    agree = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs)
    untied = [sum(z[i] != z[j] for i, j in pairs) for z in (x, y)]
    return float(agree / math.sqrt(untied[0] * untied[1])) if all(untied) else math.nan


@given(SCORES, st.randoms(use_true_random=False))
def test_tau_counts_pairs_and_ties(x: list[int], random: np.random.Generator) -> None:
    y = [one + random.choice([-1, 0, 0, 1]) for one in x]
    found = agreement.kendall(x, y)
    assert found == pytest.approx(tau_by_counting(x, y), nan_ok=True)


def test_tau_of_what_has_no_order_is_a_gap() -> None:
    assert math.isnan(agreement.kendall([1.0], [2.0]))
    assert math.isnan(agreement.kendall([1, 1, 1], [1, 2, 3]))


def test_delta_relative_improvement_and_effect_ratio_compare_gains_not_levels() -> None:
    same = ((0.2, 0.25), (0.4, 0.5))
    assert agreement.delta_relative_improvement(*same) == pytest.approx(0)
    assert agreement.effect_ratio(*same) == pytest.approx(2)
    weaker = ((0.5, 0.6), (0.5, 0.55))
    assert agreement.delta_relative_improvement(*weaker) == pytest.approx(0.1)
    assert agreement.effect_ratio(*weaker) == pytest.approx(0.5)
    assert agreement.effect_ratio((0.5, 0.6), (0.5, 0.4)) == pytest.approx(-1)
    assert math.isnan(agreement.relative_improvement(0.0, 0.1))
    assert math.isnan(agreement.effect_ratio((0.5, 0.5), (0.5, 0.6)))


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        agreement.kendall([1, 2], [1])
    with pytest.raises(ValueError, match="not finite"):
        agreement.kendall([1, math.nan], [1, 2])
