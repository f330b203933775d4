"""Statistics against scipy's own and against brute force, and the answers at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.testing import clustered_means

GENERATOR = np.random.default_rng(7)
A = GENERATOR.random(60)
B = A + 0.1 * GENERATOR.standard_normal(60) + 0.03


def test_mean_and_population_std_are_as_chroma_prints_them() -> None:
    assert statistics.mean([1, 2, 3, 6]) == 3
    assert statistics.population_std([1, 3]) == 1  # ddof 1 would give 1.414
    assert math.isnan(statistics.mean([])) and math.isnan(statistics.population_std([]))


def test_the_bootstrap_interval_is_near_scipys_and_repeats_itself() -> None:
    ours = statistics.bootstrap_interval(A, seed=1)
    theirs = stats.bootstrap((A,), np.mean, method="percentile", rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)
    assert ours == statistics.bootstrap_interval(A, seed=1)
    assert ours != statistics.bootstrap_interval(A, seed=2)


def test_the_paired_test_is_scipys_and_the_effect_is_dz() -> None:
    found = statistics.paired_difference(A, B)
    assert found.p == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert found.mean == pytest.approx((A - B).mean())
    assert statistics.effect(A - B) == pytest.approx((A - B).mean() / (A - B).std(ddof=1))
    assert found.interval.low < found.mean < found.interval.high


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_queries_have_no_test(n: int) -> None:
    found = statistics.paired_difference(A[:n], B[:n])
    assert all(map(math.isnan, (*found.interval, found.p, statistics.effect(A[:n]))))
    assert math.isnan(found.mean) == (n == 0)
    assert all(map(math.isnan, statistics.bootstrap_interval(A[:n])))
    assert math.isnan(statistics.two_one_sided(found.mean, found.error, n - 1, 0.1))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_holm_is_statsmodels_and_passes_over_gaps(n: int) -> None:
    p = np.random.default_rng(n).random(n) ** 3
    p[: n // 3] = p[-1]  # ties
    adjusted = statistics.holm(np.insert(p, n // 2, math.nan))
    expected = multipletests(p, method="holm")[1]
    np.testing.assert_allclose(adjusted, np.insert(expected, n // 2, math.nan))
    assert statistics.holm([]).tolist() == []


def test_systems_are_equivalent_when_the_interval_lies_inside_the_margin() -> None:
    found = statistics.paired_difference(A, B)
    half = stats.t.ppf(0.95, 59) * found.error
    for margin in (0.02, 0.04, 0.06, 0.2):
        p = statistics.two_one_sided(found.mean, found.error, 59, margin)
        assert (p < 0.05) == (abs(found.mean) + half < margin)
        assert p == pytest.approx(ttost_paired(A, B, -margin, margin)[0])
    assert statistics.two_one_sided(0.0, 0.0, 59, 0.01) == 0
    assert statistics.two_one_sided(0.1, 0.0, 59, 0.01) == 1


def test_values_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(ValueError, match="align them"):
        statistics.paired_difference([1, 2], [1])
    with pytest.raises(ValueError, match="value 1 is not finite"):
        statistics.mean([1, math.nan])
    with pytest.raises(ValueError, match="one-dimensional"):
        statistics.mean([[1.0]])
    with pytest.raises(ValueError, match="must be positive"):
        statistics.two_one_sided(0.1, 0.1, 59, 0)


def test_the_mean_over_collections_counts_each_the_same() -> None:
    rng = np.random.default_rng(1)
    small, large = rng.normal(1, 1, 20), rng.normal(0, 1, 2000)
    found, one = statistics.over_collections([[small, large], [small]])
    assert found.mean == pytest.approx((small.mean() + large.mean()) / 2)
    spread = np.sqrt(small.var(ddof=1) / 20 + large.var(ddof=1) / 2000) / 2
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * spread, rel=0.1)
    assert one.p == pytest.approx(stats.ttest_1samp(small, 0).pvalue)
    assert one.interval == statistics.bootstrap_interval(small)
    equal, few = statistics.over_collections([[[0.0, 0.0], [0.0, 0.0]], [[1.0], [1.0, 2.0]]])
    assert equal.p == 1 and np.isnan(few.p)


def test_intervals_asked_for_together_are_those_asked_for_one_by_one() -> None:
    columns = [A, B, A[:20], A[:1], A - B]
    together = statistics.bootstrap_intervals(columns)
    for column, found in zip(columns, together, strict=True):
        alone = statistics.bootstrap_interval(column)
        assert found == pytest.approx(alone, rel=1e-12, nan_ok=True)
    systems = [[A, B[:20]], [B], [A[:30]], [B, A[:20], A]]
    for groups, several in zip(systems, statistics.over_collections(systems), strict=True):
        (single,) = statistics.over_collections([groups])
        assert several.interval == pytest.approx(single.interval)
        assert (several.mean, several.p) == (single.mean, single.p)


def test_resampled_sums_hold_the_interval_of_a_mean_and_of_a_ratio() -> None:
    generator = np.random.default_rng(5)
    above, below = generator.integers(0, 4, 40), generator.integers(4, 9, 40)
    sums = statistics.resampled_sums([above, below])
    assert statistics.percentile_interval(sums[0] / 40) == pytest.approx(
        statistics.bootstrap_interval(above)
    )
    generator = np.random.default_rng(0)
    ratios = []
    for _ in range(statistics.RESAMPLES):
        drawn = generator.integers(0, 40, 40)
        ratios.append(above[drawn].sum() / below[drawn].sum())
    assert np.allclose(np.sort(sums[0] / sums[1]), np.sort(ratios))
    with pytest.raises(ValueError, match=r"of shape \(columns, queries\)"):
        statistics.resampled_sums(above)


def test_fishers_interval_is_scipys() -> None:
    found = stats.pearsonr(A, B)
    theirs = found.confidence_interval()
    assert statistics.fisher_interval(found.statistic, 60) == pytest.approx(
        (theirs.low, theirs.high)
    )


@pytest.mark.parametrize("n", [5, 30, 100])
def test_the_smallest_significant_r_has_p_of_alpha(n: int) -> None:
    r = statistics.smallest_significant_r(n)
    x = np.random.default_rng(n).standard_normal(n)
    noise = np.random.default_rng(n + 1).standard_normal(n)
    x = (x - x.mean()) / x.std()
    rest = noise - noise.mean() - x * (noise @ x) / n
    y = r * x + math.sqrt(1 - r * r) * rest / rest.std()
    found = stats.pearsonr(x, y)
    assert (found.statistic, found.pvalue) == pytest.approx((r, 0.05))


def test_fences_leave_out_what_a_box_plot_draws_as_outliers() -> None:
    values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100]
    low, high = np.percentile(values, [25, 75])
    kept = [low - 1.5 * (high - low) <= v <= high + 1.5 * (high - low) for v in values]
    assert statistics.inside_fences(values).tolist() == kept == [True] * 9 + [False]
    assert statistics.inside_fences([]).tolist() == []
    assert statistics.inside_fences([4.0] * 9 + [5.0]).tolist() == [True] * 9 + [False]


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
