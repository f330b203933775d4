"""Paired differences: decided on unrounded values, corrected within one question."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures import POINT, find
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
)

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


def test_holm_is_taken_within_a_family_and_not_over_two() -> None:
    arms = [_noisy(change) for change in (0.03, 0.028, 0.025, 0.0)]
    pairs = [Pair({"task": "ab"[i % 2], "system": i}, one, BASE) for i, one in enumerate(arms)]
    table = differences(pairs, lambda keys: f"task {keys['task']}", "ours", "theirs")
    for name, group in table.groupby("family"):
        assert name in ("task a", "task b")
        assert group["p_holm"].tolist() == statistics.holm(group["p"]).tolist()
        assert set(group["family_size"]) == {2}
    over_both = statistics.holm(table["p"])
    assert (over_both > table["p_holm"]).any()


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


def test_collections_count_the_same_however_many_queries_they_have() -> None:
    index = pd.MultiIndex.from_tuples([("small" if i < 10 else "large", q)
                                       for i, q in enumerate(QUERIES)])  # fmt: skip
    ours = pd.Series(np.where(np.arange(80) < 10, 0.5, 0.1) + 0.01 * RANDOM.random(80), index)
    row = differences([Pair({}, ours, 0 * ours)], "q", "ours", "theirs").iloc[0]
    assert row["difference"] == pytest.approx(0.3, abs=0.01)
    assert row["low"] < row["difference"] < row["high"] < 0.31
    assert "within each collection" in row["interval"]


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


def test_over_collections_equivalence_rests_on_the_same_error_as_the_difference() -> None:
    index = pd.MultiIndex.from_tuples([("ab"[i % 2], q) for i, q in enumerate(QUERIES)])
    change = pd.Series(0.002 + 0.02 * RANDOM.standard_normal(80), index)
    row = differences([Pair({}, change, 0 * change)], "q", "ours", "theirs").iloc[0]
    groups = [one for _, one in change.groupby(level=0)]
    parts = [one.var() / len(one) for one in groups]
    error = math.sqrt(sum(parts)) / 2
    freedom = sum(parts) ** 2 / sum(part**2 / 39 for part in parts)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(row["difference"]) / error, freedom))
    below = stats.t.cdf((row["difference"] - POINT) / error, freedom)
    above = stats.t.sf((row["difference"] + POINT) / error, freedom)
    assert row["p_equivalent"] == pytest.approx(max(below, above))


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
