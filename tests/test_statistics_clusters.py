"""Intervals over groups: as over queries where groups are single, wider where a group agrees."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import ArrayLike

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.clusters import clustered_means

RNG = np.random.default_rng(5)


def clustered_mean(values: ArrayLike, groups: ArrayLike) -> statistics.Tested:
    return clustered_means([(values, groups)])[0]


def test_groups_of_one_query_give_the_interval_and_the_test_over_queries() -> None:
    values = RNG.normal(0.1, 1, 60)
    found = clustered_mean(values, np.arange(60))
    usual = statistics.paired_difference(values, np.zeros(60))
    assert found.interval == pytest.approx(usual.interval)
    assert found.p == pytest.approx(usual.p)
    assert (found.mean, found.freedom) == (pytest.approx(usual.mean), 59)


def test_p_is_that_of_a_regression_on_nothing_with_clustered_errors() -> None:
    groups = RNG.integers(0, 12, 150)
    values = RNG.normal(0, 1, 12)[groups] + RNG.normal(0.3, 1, 150)
    fitted = sm.OLS(values, np.ones(150)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    assert clustered_mean(values, groups).p == pytest.approx(float(fitted.pvalues[0]))


def test_queries_that_repeat_their_group_count_once() -> None:
    of_groups = RNG.normal(0.2, 1, 20)
    single = clustered_mean(of_groups, np.arange(20))
    repeated = clustered_mean(np.repeat(of_groups, 9), np.repeat(np.arange(20), 9))
    assert repeated.interval == pytest.approx(single.interval)
    assert repeated.p == pytest.approx(single.p)
    over_queries = statistics.bootstrap_interval(np.repeat(of_groups, 9))
    assert over_queries.high - over_queries.low < 0.5 * (single.interval.high - single.interval.low)


def test_the_interval_is_that_of_drawing_whole_groups() -> None:
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 6, 7, 30])
    values = RNG.normal(0, 1, 8)[groups] + RNG.normal(0, 0.1, 58)
    drawn = RNG.integers(0, 8, (4000, 8))
    members = [values[groups == one] for one in range(8)]
    means = [np.concatenate([members[one] for one in draw]).mean() for draw in drawn]
    expected = np.quantile(means, [0.025, 0.975])
    assert clustered_mean(values, groups).interval == pytest.approx(expected, abs=0.08)


def test_one_group_tells_no_interval_and_equal_values_no_doubt() -> None:
    assert np.isnan(clustered_mean([1.0, 2.0], ["a", "a"]).p)
    assert clustered_mean([0.0, 0.0], ["a", "b"]).p == 1
    assert clustered_mean([0.5, 0.5], ["a", "b"]).p == 0


def test_values_without_a_group_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values cannot be in 1 groups"):
        clustered_mean([1.0, 2.0], ["a"])
