"""How many queries are needed: the formula against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from chunkstudy.evaluation.statistics import power


@pytest.mark.parametrize(("difference", "std"), [(0.5, 1.0), (-0.2, 0.4), (0.3, 1.5)])
def test_that_many_normal_queries_show_the_difference_as_often_as_said(
    difference: float, std: float
) -> None:
    n = int(power.queries_needed(difference, std))
    generator = np.random.default_rng(1)
    samples = generator.normal(difference, std, (4000, n))
    assert TTestPower().power(abs(difference) / std, n, 0.05) >= 0.8
    assert TTestPower().power(abs(difference) / std, n - 1, 0.05) < 0.8
    seen = (stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05).mean()
    assert seen == pytest.approx(0.8, abs=0.025)


@given(st.floats(0.01, 1), st.floats(0.05, 2))
@settings(max_examples=30)
def test_what_that_many_queries_detect_is_the_difference_again(
    difference: float, std: float
) -> None:
    n = power.queries_needed(difference, std)
    assert power.detectable(int(n), std) <= difference * (1 + 1e-3)
    if n > 3:
        assert power.detectable(int(n) - 1, std) > difference * (1 - 1e-3)


def test_edges_have_an_answer() -> None:
    assert power.queries_needed(0, 0.4) == math.inf
    assert power.queries_needed(0.1, 0) == 3
    assert power.queries_needed(100, 0.001) == 3
    assert math.isnan(power.queries_needed(float("nan"), 0.4))
    assert math.isnan(power.detectable(1, 0.4))
