"""What the tables of predictions say of all cells at once, from the committed comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published.cells import KEYS
from chunkstudy.published.predictions import outcomes, register, tables
from chunkstudy.published.predictions.cells import ids
from chunkstudy.published.predictions.evidence import Evidence, from_records

PLACES = Places(Path(__file__).parents[1])
REGISTERED = register.read(PLACES)
COMPARISON = pd.read_csv(
    PLACES.results / "comparison.csv", dtype=dict.fromkeys(KEYS, str), low_memory=False
).fillna(dict.fromkeys([*KEYS, "prediction"], ""))


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return replace(from_records(PLACES), comparison=COMPARISON)


@pytest.fixture(scope="module")
def found(evidence: Evidence) -> dict[str, pd.DataFrame]:
    return tables.every(REGISTERED, evidence)


def test_every_cell_that_waits_has_a_prediction_or_was_known_or_had_no_number_then(
    evidence: Evidence,
) -> None:
    about = {name for one in REGISTERED.predictions for name in one.cells}
    waiting = COMPARISON[COMPARISON["verdict"] == "not_run"]
    without = waiting[~ids(waiting).isin(about)]
    later = ["appendix", "2, repository", "figure 2, repository"]  # found after the register closed
    known = without[~without["table"].isin(later)]
    assert len(waiting) - len(without) > 1_000
    assert set(known["measure"]) <= {"characters"}
    assert set(known["collection"]) <= set(evidence.lengths["collection"])


def test_what_to_bet_on_contradicts_print_and_is_said_once(found: dict[str, pd.DataFrame]) -> None:
    bets = found["predictions_to_bet_on"]
    assert len(bets) == tables.BETS == bets["says"].nunique()
    worth = bets["probability"] * bets["surprise"]
    assert worth.is_monotonic_decreasing and worth.iloc[-1] > 0
    outside = (bets["published"] < bets["at least"]) | (bets["published"] > bets["at most"])
    assert outside.all()


def test_counts_of_predictions_and_of_cells_add_up(found: dict[str, pd.DataFrame]) -> None:
    kinds = found["predictions_by_kind"]
    assert kinds["predictions"].sum() == len(found["predictions"]) == len(REGISTERED.predictions)
    expected = sum(one.probability for one in REGISTERED.predictions)
    assert kinds["expected to come true"].sum() == pytest.approx(expected)
    coverage = found["predictions_coverage"]
    assert coverage["not run"].sum() == (COMPARISON["verdict"] == "not_run").sum()
    parts = coverage[["predicted", "not predicted"]].sum(axis=1)
    assert parts.equals(coverage["not run"])


def test_each_row_of_the_comparison_names_its_predictions() -> None:
    column = outcomes.of_cells(COMPARISON, REGISTERED.predictions)
    one = REGISTERED.predictions[-1]
    named = column.str.split(" ").map(lambda names: one.id in names)
    assert set(ids(COMPARISON)[named]) == set(one.cells)
    pd.testing.assert_series_equal(column, COMPARISON["prediction"], check_dtype=False)
