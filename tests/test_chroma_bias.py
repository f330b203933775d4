"""Whether reproduced means are off to one side of print: counted by row, tested exactly."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy import statistics
from chunkstudy.analysis import chroma_bias
from chunkstudy.analysis.chroma_bias import (
    ABOVE,
    AS_PUBLISHED,
    NEARER,
    OUTSIDE,
    SEARCHED,
    TRUE_OFFSETS,
    every_sign,
)
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.studies.chroma_search import OFFICIAL
from tests.made_library import made_library

CHUNKERS = ("token-200-0", "token-250-0", "cluster-200", "cluster-250")
PRINTED = (70.0, 71.0, 72.0, 73.0)
QUESTIONS = [f"q{i}" for i in range(30)]


def _run(chunker: str, protocol: str = "as_published-chroma") -> Condition:
    return Condition("chroma", chunker, MINILM, "pre_embedding", protocol)


def _comparison(shifts: tuple[float, ...], corrected: tuple[float, ...]) -> pd.DataFrame:
    """Rows shifted from print by so many points under either protocol."""
    return pd.DataFrame(
        {
            "work": "chroma", "table": "minilm", "measure": "SpanRecall@5", "statistic": "mean",
            "verdict": "deviates", "run": [str(_run(one)) for one in CHUNKERS],
            "value": PRINTED, "reproduced": np.add(PRINTED, shifts),
            "corrected": np.add(PRINTED, corrected),
        }
    )  # fmt: skip


def _spread(lows: tuple[float, ...]) -> pd.DataFrame:
    """Ten points of search above its lowest, and another setting that nobody asks for."""
    rows = [
        {"chunker": chunker, **OFFICIAL, "part": "all", "measure": "SpanRecall@5",
         "statistic": "mean", "low": low / 100, "mean": low / 100 + 0.05, "high": low / 100 + 0.1}
        for chunker, low in zip(CHUNKERS, lows, strict=True)
    ]  # fmt: skip
    others = [row | {"insertion": "shuffled", "low": 0.0} for row in rows]
    at_home = [row | {"offsets": "true", "mean": 0.71} for row in rows]
    return pd.DataFrame(others + at_home + rows)


def _tests(comparison: pd.DataFrame, spread: pd.DataFrame, library: Library) -> Any:
    found = chroma_bias.tests(chroma_bias.rows(comparison, spread), library)
    return found.set_index(["question", "protocol"])


NONE = pd.DataFrame()
NO_RECORDS = made_library({})


def test_rows_to_one_side_are_counted_and_what_rounds_to_print_is_on_neither() -> None:
    found = _tests(_comparison((1, 2, 0.04, 0.5), (1, -1, 0.3, -0.3)), NONE, NO_RECORDS)
    official, own = found.loc[(ABOVE, AS_PUBLISHED)], found.loc[(ABOVE, "corrected")]
    assert (official["rows"], official["against"]) == (3, 0)
    assert official["p"] == pytest.approx(2 * 0.5**3)
    assert (own["rows"], own["against"], own["p"]) == (2, 2, 1)
    assert official["mean"] == pytest.approx(0.00885)
    both = statistics.holm([official["p"], own["p"]])
    assert [official["p_holm"], own["p_holm"]] == pytest.approx(list(both))
    assert (found["family_size"] == [2, 2, 1]).all()


def test_a_shift_to_the_other_side_turns_the_verdict() -> None:
    found = _tests(_comparison((-1, -2, -3, -4), (0, 0, 0, 0)), NONE, NO_RECORDS)
    row = found.loc[(ABOVE, AS_PUBLISHED)]
    assert (row["rows"], row["against"], row["mean"]) == (0, 4, pytest.approx(-0.025))
    assert found.loc[(ABOVE, "corrected"), "p"] == 1


def test_nearer_counts_only_where_every_value_that_rounds_to_print_agrees() -> None:
    shifts, corrected = (1.0, 0.2, 0.5, -0.3), (0.5, -0.2, 0.9, 0.1)
    row = _tests(_comparison(shifts, corrected), NONE, NO_RECORDS).loc[(NEARER, "corrected")]
    assert (row["rows"], row["against"]) == (2, 1)  # the second lies as far off on either side
    assert row["p"] == pytest.approx(stats.binomtest(2, 3).pvalue)
    assert row["mean"] == pytest.approx((0.5 + 0.0 - 0.4 + 0.2) / 400)


def test_the_p_of_a_mean_is_counted_over_all_signs() -> None:
    values = [0.3, 0.1, -0.05, 0.2, 0.4]
    means = [np.mean([s * v for s, v in zip(signs, values, strict=True)])
             for signs in product((-1, 1), repeat=5)]  # fmt: skip
    assert every_sign(values) == np.mean(np.abs(means) > abs(np.mean(values)) - 1e-9)
    theirs = stats.permutation_test((values,), np.mean, permutation_type="samples")
    assert every_sign(values) == pytest.approx(theirs.pvalue)
    assert every_sign([1, 1, 1, 1, 1, 1, 1, 1]) == 2 / 256


def test_print_below_every_search_is_tested_as_one_run_more() -> None:
    comparison = _comparison((1, 1, 1, 1), (0, 0, 0, 0))
    found = _tests(comparison, _spread((70.5, 71.5, 71.0, 72.0)), NO_RECORDS)
    row = found.loc[(OUTSIDE, SEARCHED)]
    assert (row["rows"], row["against"]) == (2, 2)
    expected = stats.binomtest(2, 4, 1 / 21, alternative="greater").pvalue
    assert row["p"] == pytest.approx(expected)
    assert found.loc[(ABOVE, SEARCHED), "mean"] == pytest.approx(0.0475)
    home = found.loc[(ABOVE, TRUE_OFFSETS)]  # 71% of each, where 70 to 73% are printed
    assert (home["rows"], home["against"]) == (1, 2)
    assert found["family"].nunique() == 5 and set(found.loc[ABOVE, "family_size"]) == {2}
    nearer = found.loc[(NEARER, TRUE_OFFSETS)]  # 1, 0, 1, 2 points off instead of 5.5, 5.5, 4, 4
    assert (nearer["rows"], nearer["against"]) == (4, 0)
    assert nearer["mean"] == pytest.approx((4.5 + 5.5 + 3 + 2) / 400)


def test_without_the_study_of_search_its_questions_are_not_asked() -> None:
    comparison = _comparison((1, 1, 1, 1), (0, 0, 0, 0))
    assert chroma_bias.rows(comparison, NONE)["search mean"].isna().all()
    assert OUTSIDE not in _tests(comparison, NONE, NO_RECORDS).index.get_level_values(0)


def test_the_interval_draws_the_same_questions_for_every_row() -> None:
    random = np.random.default_rng(0)
    of_question = random.random(len(QUESTIONS))
    scores = {
        _run(one, protocol): pd.DataFrame({"SpanRecall@5": of_question}, index=QUESTIONS)
        for one in CHUNKERS
        for protocol in ("as_published-chroma", "corrected")
    }
    found = _tests(_comparison((1, 1, 1, 1), (0, 0, 0, 0)), NONE, made_library(scores))
    low, high = statistics.bootstrap_interval(of_question)
    row = found.loc[(ABOVE, "corrected")]
    assert [row["low"], row["high"]] == pytest.approx([low - 0.715, high - 0.715])


def test_no_row_means_no_test() -> None:
    empty = _comparison((1, 1, 1, 1), (0, 0, 0, 0)).iloc[:0]
    assert chroma_bias.tests(chroma_bias.rows(empty, NONE), NO_RECORDS).empty


def test_the_recorded_rows_are_the_eight_of_the_table() -> None:
    root = Places(Path(__file__).parents[1])
    comparison = pd.read_csv(root.results / "comparison.csv")
    table = chroma_bias.rows(comparison, NONE)
    assert len(table) == 8
    row = chroma_bias.tests(table, Library(root)).iloc[0]
    assert row["low"] < row["mean"] < row["high"]
