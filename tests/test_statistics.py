"""Statistics against scipy's own, statsmodels' and brute force, and the answers at the edges."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures import find
from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import (
    EQUIVALENT,
    FEWEST_DOCUMENTS,
    HIGHER,
    LOWER,
    NOT_SHOWN,
    OVER_DOCUMENTS,
    SIGNIFICANT,
    Pair,
    differences,
    is_unit,
)
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
    (found,) = statistics.mean_differences([A - B])
    assert found.p == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert found.mean == pytest.approx((A - B).mean())
    assert statistics.effect(A - B) == pytest.approx((A - B).mean() / (A - B).std(ddof=1))
    assert found.interval.low < found.mean < found.interval.high


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_queries_have_no_test(n: int) -> None:
    (found,) = statistics.mean_differences([(A - B)[:n]])
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
    (found,) = statistics.mean_differences([A - B])
    half = stats.t.ppf(0.95, 59) * found.error
    for margin in (0.02, 0.04, 0.06, 0.2):
        p = statistics.two_one_sided(found.mean, found.error, 59, margin)
        assert (p < 0.05) == (abs(found.mean) + half < margin)
        assert p == pytest.approx(ttost_paired(A, B, -margin, margin)[0])
    assert statistics.two_one_sided(0.0, 0.0, 59, 0.01) == 0
    assert statistics.two_one_sided(0.1, 0.0, 59, 0.01) == 1


def test_values_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(ValueError, match="value 1 is not finite"):
        statistics.mean([1, math.nan])
    with pytest.raises(ValueError, match="one-dimensional"):
        statistics.mean([[1.0]])


def test_intervals_asked_for_together_are_those_asked_for_one_by_one() -> None:
    columns = [A, B, A[:20], A[:1], A - B]
    together = statistics.bootstrap_intervals(columns)
    for column, found in zip(columns, together, strict=True):
        alone = statistics.bootstrap_interval(column)
        assert found == pytest.approx(alone, rel=1e-12, nan_ok=True)


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
    (usual,) = statistics.mean_differences([values])
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


RANDOM = np.random.default_rng(3)
QUERIES = [f"q{i}" for i in range(80)]
BASE = pd.Series(RANDOM.random(80), index=QUERIES)


def _noisy(change: float, spread: float = 0.1) -> pd.Series:
    return BASE + change + spread * pd.Series(RANDOM.standard_normal(80), index=QUERIES)


def _table(firsts: Sequence[pd.Series], question: str = "one question") -> pd.DataFrame:
    pairs = [Pair({"system": i}, one, BASE) for i, one in enumerate(firsts)]
    return differences(pairs, question, "ours", "theirs")


def test_arms_a_billionth_apart_differ_when_every_query_says_so() -> None:
    apart = BASE + 1e-9 * (1 + 0.1 * np.sin(np.arange(80)))
    row = _table([apart]).iloc[0]
    assert row["difference"] == pytest.approx(1e-9, rel=0.05)
    assert 0 < row["low"] < row["difference"] < row["high"] < 1.2e-9
    assert row["p_holm"] < SIGNIFICANT
    assert f"{100 * row['ours']:.2f}" == f"{100 * row['theirs']:.2f}"


def test_only_queries_of_both_systems_are_compared_whatever_their_order() -> None:
    some = _noisy(0.1).iloc[10:].sample(frac=1, random_state=1)
    theirs = BASE.iloc[:70].copy()
    theirs["q20"] = math.nan
    row = differences([Pair({}, some, theirs)], "one question", "ours", "theirs").iloc[0]
    common = [q for q in QUERIES[10:70] if q != "q20"]
    assert row["n"] == 59
    assert row["ours"] == pytest.approx(some[common].mean())
    assert row["difference"] == pytest.approx((some - BASE)[common].mean())


def test_two_scores_of_one_query_are_refused() -> None:
    twice = pd.concat([BASE, BASE.iloc[:1]])
    with pytest.raises(ValueError, match=r"query 'q0' of .* has two scores"):
        differences([Pair({"system": 1}, twice, BASE)], "one question", "ours", "theirs")


def test_one_query_has_a_difference_and_no_test() -> None:
    table = _table([_noisy(0.1).iloc[:1], _noisy(0.1)])
    row = table.iloc[0]
    assert row["n"] == 1 and not math.isnan(row["difference"])
    assert all(math.isnan(row[name]) for name in ("low", "high", "p", "p_holm", "effect"))
    assert table["family_size"].tolist() == [1, 1]  # what has no p is not corrected for


@pytest.mark.parametrize("measure", ["DCG@10", "SpanIoU@5"])
def test_equivalence_is_tested_by_two_one_sided_t_tests(measure: str) -> None:
    allowed = find(measure).margin
    near = [_noisy(change, allowed) for change in (0.0, 0.5 * allowed, 2 * allowed)]
    pairs = [Pair({"system": i, "measure": measure}, one, BASE) for i, one in enumerate(near)]
    table = differences(pairs, "one question", "ours", "theirs")
    expected = [ttost_paired(one, BASE, -allowed, allowed)[0] for one in near]
    assert table["p_equivalent"].tolist() == pytest.approx(expected)
    assert table["p_equivalent_holm"].tolist() == pytest.approx(statistics.holm(expected).tolist())
    assert set(table["margin"]) == {allowed}


def test_a_comparison_ends_in_one_of_four_words() -> None:
    spreads = {HIGHER: (0.1, 0.01), LOWER: (-0.1, 0.01), EQUIVALENT: (0.0, 0.001),
               NOT_SHOWN: (0.01, 0.3)}  # fmt: skip
    table = _table([_noisy(change, spread) for change, spread in spreads.values()])
    assert table["shown"].tolist() == list(spreads)


def _by_document(change: pd.Series, documents: int) -> pd.DataFrame:
    asked = pd.Series([f"d{i % documents}" for i in range(80)], index=QUERIES)
    pairs = [
        Pair({"documents are": "named"}, BASE + change, BASE, asked),
        Pair({"documents are": "unknown"}, BASE + change, BASE),
    ]
    return differences(pairs, lambda keys: str(keys), "ours", "theirs").set_index("documents are")


def test_many_documents_are_drawn_with_all_their_questions() -> None:
    of_document = np.resize(RANDOM.standard_normal(FEWEST_DOCUMENTS), 80)
    table = _by_document(pd.Series(of_document, index=QUERIES), FEWEST_DOCUMENTS)
    named, unknown = table.loc["named"], table.loc["unknown"]
    assert named["difference"] == unknown["difference"]
    assert named["documents"] == FEWEST_DOCUMENTS and pd.isna(unknown["documents"])
    assert named["interval"] == OVER_DOCUMENTS != unknown["interval"]
    # four equal questions a document tell no more than one does
    once = differences(
        [Pair({}, BASE.iloc[:20] + of_document[:20], BASE.iloc[:20])], "once", "ours", "theirs"
    ).iloc[0]
    assert named["high"] - named["low"] == pytest.approx(once["high"] - once["low"], rel=0.05)
    assert named["p"] == pytest.approx(once["p"], rel=1e-6)
    assert named["p_equivalent"] == pytest.approx(once["p_equivalent"], rel=1e-6)


def test_few_documents_are_counted_and_questions_drawn() -> None:
    change = pd.Series(RANDOM.standard_normal(80), index=QUERIES)
    table = _by_document(change, FEWEST_DOCUMENTS - 1)
    assert table.loc["named", "documents"] == FEWEST_DOCUMENTS - 1
    same = ["difference", "low", "high", "p", "p_equivalent", "interval"]
    rows = table[same].to_dict("index")
    assert rows["named"] == rows["unknown"]


def test_a_question_without_its_document_is_refused() -> None:
    asked = pd.Series("d", index=QUERIES[1:])
    with pytest.raises(ValueError, match=r"'q0' .* has no document; name one for every query"):
        differences([Pair({}, BASE, BASE, asked)], "a question", "ours", "theirs")


@pytest.mark.parametrize(("difference", "std"), [(0.5, 1.0), (-0.2, 0.4), (0.3, 1.5)])
def test_that_many_normal_queries_show_the_difference_as_often_as_statsmodels_says(
    difference: float, std: float
) -> None:
    n = int(power.queries_needed(difference, std))
    assert TTestPower().power(abs(difference) / std, n, 0.05) >= 0.8
    assert TTestPower().power(abs(difference) / std, n - 1, 0.05) < 0.8


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


@pytest.mark.parametrize(("documents", "is_over_documents"), [(19, False), (20, True)])
def test_documents_are_the_unit_from_twenty_on_and_one_function_decides(
    documents: int, is_over_documents: bool
) -> None:
    questions = [f"q{i}" for i in range(60)]
    asked_of = pd.Series([f"d{i % documents}" for i in range(60)], questions)
    assert is_unit(asked_of) is is_over_documents and not is_unit(None)
    change = pd.Series(np.random.default_rng(0).normal(0.1, 0.2, 60), questions)
    table = differences([Pair({}, change, 0 * change, asked_of)], "", "a", "b")
    by_question = stats.ttest_1samp(change, 0).pvalue
    assert (table["p"].iloc[0] == pytest.approx(by_question)) is not is_over_documents
    assert ("documents" in table["interval"].iloc[0]) is is_over_documents
