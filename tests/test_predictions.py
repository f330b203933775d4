"""A rule and what is known give bounds and a probability; every waiting cell has some."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.places import Places
from chunkstudy.predictions import experience, outcomes, proposing, register, rules, tables, today
from chunkstudy.predictions.bounds import order_kept
from chunkstudy.predictions.errors import PredictionError
from chunkstudy.predictions.experience import Experience, Known
from chunkstudy.predictions.outcomes import Evidence
from chunkstudy.predictions.prints import cell_id, ids
from chunkstudy.predictions.proposing import Prediction
from chunkstudy.predictions.register import Registered
from chunkstudy.predictions.rules import Rule
from chunkstudy.published.cells import read

ROOT = Path(__file__).parents[1]
PLACES = Places(ROOT)
CELLS = read(PLACES)
RULE = {"name": "made", "says": "It is so.", "why": "It was.", "basis": ("own runs",),
        "kind": "value", "cells": "table == 'combinations'", "low": 1.0,
        "probability": 0.9}  # fmt: skip


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return today.gathered(PLACES)


@pytest.fixture(scope="module")
def learned(evidence: Evidence) -> dict[str, Experience]:
    known = Known(evidence.prints.frame, evidence.comparison, evidence.library, evidence.lengths)
    return experience.gather(known)


@pytest.fixture(scope="module")
def registered() -> Registered:
    return register.read(PLACES)


def made(learned: Mapping[str, Experience], **changed: object) -> list[Prediction]:
    return proposing.propose([Rule.model_validate(RULE | changed)], CELLS, learned)


def test_every_cell_that_waits_has_a_prediction_or_was_known_or_had_no_number_then(
    evidence: Evidence, registered: Registered
) -> None:
    about = {name for one in registered.predictions for name in one.cells}
    waiting = evidence.comparison[evidence.comparison["verdict"] == "not_run"]
    without = waiting[~ids(waiting).isin(about)]
    known = without[without["table"] != "appendix"]
    assert len(waiting) - len(without) > 1_000
    assert set(known["measure"]) <= {"characters"}
    assert set(known["collection"]) <= set(evidence.lengths["collection"])


def test_no_number_of_a_cell_is_expected_between_two_pairs_of_bounds_around_print(
    registered: Registered,
) -> None:
    around = {rule.name for rule in rules.read() if rule.around in ("print", "sampling")}
    found = [one.cells[0] for one in registered.predictions if one.rule in around]
    assert len(found) == len(set(found)) > 800


def test_whatever_the_rules_say_of_waiting_cells_is_registered(
    evidence: Evidence, learned: dict[str, Experience], registered: Registered
) -> None:
    proposed = proposing.propose(rules.read(), CELLS, learned)
    decided = outcomes.decided(proposed, evidence)
    waiting = [one for one in proposed if one.id not in decided]
    assert register.unregistered(waiting, registered) == []
    assert decided and waiting


def test_the_reach_covers_as_often_as_it_says() -> None:
    values = [((-1) ** at) * (at + 1) ** 2 / 100 for at in range(24)]
    covered = []
    for left_out in range(len(values)):
        others = tuple(value for at, value in enumerate(values) if at != left_out)
        reach, probability = Experience("made", others).reach()
        covered.append(abs(values[left_out]) <= reach)
    assert sum(covered) / len(covered) == pytest.approx(probability)
    assert probability >= experience.LEVEL


def test_few_errors_promise_less() -> None:
    assert Experience("made", (0.1, -0.4, 0.2)).reach() == (0.4, 0.75)
    with pytest.raises(PredictionError, match="nothing to learn from: made"):
        Experience("made", ()).reach()


def test_an_order_is_kept_where_scores_are_far_apart_and_not_where_they_are_near() -> None:
    errors = Experience("made", (-0.01, -0.004, 0.0, 0.003, 0.009))
    far = order_kept([0.1, 0.3, 0.5, 0.7], 0.9, errors)
    near = order_kept([0.500, 0.501, 0.502, 0.503], 0.9, errors)
    assert far > 0.99 > 0.3 > near
    assert near == order_kept([0.500, 0.501, 0.502, 0.503], 0.9, errors)


def test_bounds_around_print_are_as_wide_as_errors_were(learned: dict[str, Experience]) -> None:
    reach, probability = learned["two-works"].reach()
    found = made(learned, around="print", experience="two-works", low=None, probability=None)
    assert len(found) == 72
    for one in found:
        assert one.published is not None and one.low is not None and one.high is not None
        assert one.high - one.published == pytest.approx(100 * reach)
        assert one.published - one.low == pytest.approx(100 * reach)
        assert one.probability == round(probability, 4)
        assert one.surprise == 0


def test_an_error_in_proportion_adds_what_few_digits_leave_open(
    learned: dict[str, Experience],
) -> None:
    found = made(
        learned,
        cells="table == 'main' and measure == 'SpanPrecision@5' and statistic == 'mean'",
        around="print", experience="chroma-means", low=None, probability=None,
    )  # fmt: skip
    reach, _ = learned["chroma-means"].reach()
    for one in found:
        assert one.high is not None and one.published is not None
        assert one.high - one.published == pytest.approx(reach * one.published + 0.05)


def test_a_kept_direction_is_the_more_probable_the_larger_the_printed_gain(
    learned: dict[str, Experience],
) -> None:
    found = made(
        learned,
        kind="difference",
        cells="table == '5' and chunker == 'fixed-256' and collection != 'average'",
        second={"ordering": "pre_embedding"},
        around="direction", experience="two-works-gains", low=None, probability=None,
    )  # fmt: skip
    gains = sorted((abs(one.published or 0), one.probability) for one in found)
    upward = [one for one in found if (one.published or 0) > 0]
    assert all(one.low == 0.005 and one.high is None for one in upward)
    assert 0 < len(upward) < len(found)
    assert gains[0][1] < gains[-1][1]
    rising = [pair for pair in pairwise(gains) if pair[0][1] <= pair[1][1]]
    assert len(rising) > len(gains) / 2


def test_surprise_counts_the_reproductions_that_came_nearer(
    learned: dict[str, Experience],
) -> None:
    (one,) = made(
        learned,
        kind="difference",
        cells="table == 'beir' and collection == 'nfcorpus' and ordering == 'contextualized' "
        "and measure == 'nDCG@10'",
        second={"ordering": "pre_embedding"},
        low=None, high=5.0,
    )  # fmt: skip
    assert one.published == pytest.approx(29.98 - 23.46)
    apart = (29.98 - 23.46 - 5.0) / 100
    errors = learned["two-works-gains"].errors
    nearer = sum(abs(error) < apart for error in errors) / len(errors)
    assert 0 < nearer < 1
    assert one.surprise == pytest.approx(nearer, abs=1e-4)


def test_print_says_that_conditions_do_not_differ_of_which_it_knows_one_number(
    learned: dict[str, Experience],
) -> None:
    cells = "table == '3' and collection == 'gutenqa' and chunker == 'fixed-256'"
    pair = {"first": {"protocol": "corrected"}, "second": {}}
    found = made(learned, kind="difference", cells=cells, low=2.0, **pair)
    assert [one.published for one in found] == [0.0] * 4
    assert found[0].conditions[0].endswith("corrected")
    assert found[0].conditions[1].endswith("as_published-ielab")


def test_a_prediction_is_about_every_cell_that_its_conditions_give(
    learned: dict[str, Experience],
) -> None:
    (one,) = made(
        learned,
        kind="distance",
        cells="table == '5' and collection == 'fiqa' and chunker == 'fixed-256' "
        "and encoder == 'jinaai/jina-embeddings-v2-small-en'",
        second={"ordering": "pre_embedding"},
        low=None, high=1.0,
    )  # fmt: skip
    tables_of = sorted(name.split("|")[1] for name in one.cells)
    assert tables_of == ["2", "2", "3", "5"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"low": None}, "without a bound cannot fail"),
        ({"second": {}}, "a value compares no conditions"),
        ({"kind": "difference"}, "a difference compares two"),
        ({"probability": None}, "give a probability"),
        ({"probability": 1.0}, "less than 1"),
        ({"around": "print"}, "give a reach"),
        ({"points": 100}, "bounds by sampling need points"),
        ({"basis": ()}, "at least 1 item"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Rule.model_validate(RULE | changed)


def test_a_rule_that_names_nothing_is_refused(
    learned: dict[str, Experience], tmp_path: Path
) -> None:
    with pytest.raises(PredictionError, match="unknown experience 'none at all'; use one of two"):
        made(learned, experience="none at all")
    with pytest.raises(PredictionError, match="no published cell has"):
        made(learned, cells="table == '9'")
    text = rules.SOURCE.read_text(encoding="utf-8")
    first = text[text.index("[[rule]]") : text.index("[[rule]]", text.index("[[rule]]") + 1)]
    path = tmp_path / "rules.toml"
    path.write_text(first + first, encoding="utf-8")
    with pytest.raises(PredictionError, match="two rules are called chroma-scores"):
        rules.read(path)
    path.write_text(first.rstrip() + '\nrepeats = "another"\n', encoding="utf-8")
    with pytest.raises(PredictionError, match="repeats 'another', which is no rule"):
        rules.read(path)


def test_a_condition_is_asked_for_a_single_score(learned: dict[str, Experience]) -> None:
    with pytest.raises(PredictionError, match="compares conditions, and taxonomy, Table 4"):
        made(learned, kind="difference", cells="table == '4'", second={})


def test_what_to_bet_on_contradicts_print_and_is_said_once(
    evidence: Evidence, registered: Registered
) -> None:
    found = tables.every(registered, evidence)
    bets = found["predictions_to_bet_on"]
    assert len(bets) == tables.BETS == bets["says"].nunique()
    worth = bets["probability"] * bets["surprise"]
    assert worth.is_monotonic_decreasing and worth.iloc[-1] > 0
    outside = (bets["published"] < bets["at least"]) | (bets["published"] > bets["at most"])
    assert outside.all()
    kinds = found["predictions_by_kind"]
    assert kinds["predictions"].sum() == len(found["predictions"]) == len(registered.predictions)
    expected = sum(one.probability for one in registered.predictions)
    assert kinds["expected to come true"].sum() == pytest.approx(expected)
    coverage = found["predictions_coverage"]
    assert coverage["not run"].sum() == (evidence.comparison["verdict"] == "not_run").sum()
    parts = coverage[["predicted", "not predicted"]].sum(axis=1)
    assert parts.equals(coverage["not run"])


def test_each_row_of_the_comparison_names_its_predictions(
    evidence: Evidence, registered: Registered
) -> None:
    column = outcomes.of_cells(evidence.comparison, registered.predictions)
    assert len(column) == len(CELLS)
    by_cell = dict(zip(map(cell_id, CELLS), column, strict=True))
    one = registered.predictions[-1]
    assert all(one.id in by_cell[name].split(" ") for name in one.cells)
    assert sum(column.str.split(" ").map(lambda names: one.id in names)) == len(one.cells)
    assert isinstance(column, pd.Series) and column.name == "prediction"
