"""A record decides its prediction, and what is registered stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.commands import cli
from chunkstudy.publish import reproduce
from chunkstudy.published.cells import frame, read
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.published.predictions.outcomes import CAME_TRUE, FAILED, UNDECIDED, Evidence, ids
from chunkstudy.published.predictions.register import Prediction, PredictionError
from chunkstudy.runs import records as recorded
from chunkstudy.runs.conditions import Condition, parse
from chunkstudy.runs.grids import LATE, WIDE
from chunkstudy.runs.published_grid import corrected
from chunkstudy.studies.predictions import tables
from tests.made_library import made_library

ROOT = Path(__file__).parents[1]
BARE = frame(read(Places(ROOT))).assign(reproduced=np.nan, corrected=np.nan, verdict="not_run")
REGISTERED = register.read(Places(ROOT))


def of_rule(name: str) -> Prediction:
    return next(one for one in REGISTERED.predictions if one.rule == name)


def scores(value: float, measure: str = "nDCG@10", queries: int = 4) -> pd.DataFrame:
    index = pd.Index([f"q{at}" for at in range(queries)], name="query_id")
    return pd.DataFrame({measure: [value] * queries}, index=index)


def evidence(
    records: Mapping[Condition, pd.DataFrame],
    numbers: Mapping[str, float] | None = None,
    column: str = "reproduced",
) -> Evidence:
    """Evidence of records made for a test, and of numbers of cells by id."""
    comparison = BARE.assign(**{column: ids(BARE).map(numbers or {}).astype(float)})
    return Evidence(comparison, made_library(records))


def of_cells(prediction: Prediction, numbers: list[float], column: str = "reproduced") -> str:
    """The outcome if the prediction's cells came out so."""
    found = evidence({}, dict(zip(prediction.cells, numbers, strict=True)), column)
    return outcomes.outcome(prediction, outcomes.number(prediction, found))


def of_two(prediction: Prediction, first: float, second: float) -> tuple[float | None, str]:
    """The number and the outcome if the two conditions scored so, in fractions."""
    values = zip(map(parse, prediction.conditions), (first, second), strict=True)
    made = {one: scores(value, prediction.measure) for one, value in values}
    number = outcomes.number(prediction, evidence(made))
    return number, outcomes.outcome(prediction, number)


def test_a_score_is_decided_by_its_cell_within_bounds_that_count() -> None:
    one = of_rule("taxonomy-scores")
    assert one.low is not None and one.high is not None
    assert of_cells(one, [one.low]) == of_cells(one, [one.high]) == CAME_TRUE
    assert of_cells(one, [one.high + 0.001]) == of_cells(one, [one.low - 0.001]) == FAILED
    assert of_cells(one, [float("nan")]) == UNDECIDED


def test_a_corrected_value_is_not_decided_by_the_published_protocol() -> None:
    one = of_rule("semantic-average-guarded")
    assert of_cells(one, [3.0], "corrected") == CAME_TRUE
    assert of_cells(one, [-2.5], "corrected") == FAILED
    assert of_cells(one, [3.0], "reproduced") == UNDECIDED


def test_two_conditions_are_compared_in_points_by_difference_distance_or_nearness() -> None:
    first = of_rule("fiqa-guarded")
    assert of_two(first, 0.337, 0.303) == (pytest.approx(3.4), CAME_TRUE)
    assert of_two(first, 0.223, 0.303) == (pytest.approx(-8.0), FAILED)
    apart = of_rule("paragraphs-are-no-chunking")
    assert of_two(apart, 0.3042, 0.3042) == (0, CAME_TRUE)
    assert of_two(apart, 0.3042, 0.2842) == of_two(apart, 0.2842, 0.3042)
    assert of_two(apart, 0.2842, 0.3042) == (pytest.approx(2.0), FAILED)
    nearer = of_rule("which-e5")
    printed = evidence({}).by_id[nearer.cells[0]]["value"]
    assert of_two(nearer, printed + 0.01, printed - 0.05) == (pytest.approx(-4.0), CAME_TRUE)
    assert of_two(nearer, printed - 0.05, printed + 0.01) == (pytest.approx(4.0), FAILED)


def test_an_order_is_decided_when_every_row_is_there() -> None:
    one = of_rule("order-of-methods")
    printed = [evidence({}).by_id[name]["value"] for name in one.cells]
    assert of_cells(one, [value + 0.1 for value in printed]) == CAME_TRUE
    assert of_cells(one, [-value for value in printed]) == FAILED
    assert of_cells(one, [*printed[:-1], float("nan")]) == UNDECIDED


def test_a_comparison_waits_for_both_records_and_is_over_the_queries_of_both() -> None:
    one = of_rule("fiqa-guarded")
    first, second = map(parse, one.conditions)
    assert outcomes.number(one, evidence({first: scores(0.4)})) is None
    assert outcomes.number(one, evidence({second: scores(0.4)})) is None
    more = scores(0.3, queries=9)
    more.iloc[4:] = 1.0
    missing = scores(0.4).assign(**{"nDCG@10": [0.4, float("nan"), 0.4, 0.4]})
    for own in (scores(0.4), missing):
        assert outcomes.number(one, evidence({first: own, second: more})) == pytest.approx(10.0)


def copy(tmp_path: Path) -> Places:
    """A checkout with the real register and published cells, and no record."""
    places = Places(tmp_path)
    places.published.parent.mkdir(parents=True)
    places.published.symlink_to(ROOT / "results" / "published")
    (places.results / "predictions").mkdir()
    for path in (ROOT / "results" / "predictions").iterdir():
        (places.results / "predictions" / path.name).write_bytes(path.read_bytes())
    return places


def record(places: Places, condition: Condition) -> float:
    """A record of a condition with the scores of all-MiniLM-L6-v2's; their mean."""
    late = condition.ordering != "pre_embedding"
    own = replace(condition, encoder=WIDE, ordering=LATE if late else "pre_embedding")
    folder = Places(ROOT).runs / own.path
    given = {"encoder": condition.encoder, "ordering": condition.ordering}
    run = recorded.read_run(folder).model_copy(update=given)
    scored = recorded.read_in_order(folder, run)
    unranked = run.model_copy(update={"ranking": None})
    where = places.runs / condition.path
    recorded.write(where, unranked, scored, {}, outside=places.rankings)
    return float(scored["nDCG@10"].mean())


def test_the_day_a_record_appears_it_decides(tmp_path: Path) -> None:
    places = copy(tmp_path)
    plain = parse(
        "scifact/fixed-256/jinaai__jina-embeddings-v2-small-en/pre_embedding/as_published-ielab"
    )
    late = replace(plain, ordering="contextualized-8192")
    scored = {one: record(places, one) for one in (plain, late, corrected(plain))}
    after = tables.predictions(register.read(places), outcomes.known(places))
    decided = after[after["outcome"] != UNDECIDED]
    numbers = {rule: list(part["number"]) for rule, part in decided.groupby("rule")}
    moved = 100 * (scored[corrected(plain)] - scored[plain])
    gained = 100 * (scored[late] - scored[plain])
    assert numbers["taxonomy-corrected"] == [pytest.approx(moved)]
    assert numbers["late-direction"] == [pytest.approx(gained)]
    assert numbers["taxonomy-scores"] == pytest.approx([scored[plain], scored[late]])
    assert numbers["changes"] == [pytest.approx(100 * (scored[late] / scored[plain] - 1))]
    (change,) = decided[decided["rule"] == "changes"]["id"]
    rows = reproduce.compared(places)
    (cell,) = rows[rows["prediction"] == change].to_dict("records")
    assert cell["verdict"] != "not_run"
    assert cell["reproduced"] == pytest.approx(numbers["changes"][0])


def test_records_move_no_bound_and_a_rule_is_scored() -> None:
    one = of_rule("fiqa-guarded")
    first, second = map(parse, one.conditions)
    made = evidence({first: scores(0.2), second: scores(0.3)})
    waiting, decided = (
        tables.predictions(REGISTERED, known).set_index("id") for known in (evidence({}), made)
    )
    same = ["at least", "at most", "probability", "published", "surprise", "registered"]
    pd.testing.assert_frame_equal(waiting[same], decided[same])
    assert waiting.loc[one.id, "outcome"] == UNDECIDED
    assert decided.loc[one.id, "outcome"] == FAILED
    rules = tables.by_rule(decided.reset_index(), REGISTERED).set_index("rule")
    assert dict(rules.loc[rules["decided"] > 0, "decided"]) == {"fiqa-guarded": 1}
    assert rules.loc["fiqa-guarded", "Brier score"] == pytest.approx(one.probability**2)


def test_a_bound_changed_by_hand_is_refused(tmp_path: Path) -> None:
    places = copy(tmp_path)
    path = next((places.results / "predictions").glob("*.jsonl"))
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[0])
    changed["high"] += 1
    path.write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(PredictionError, match="is not what was registered on"):
        register.read(places)


def test_a_prediction_that_stands_in_two_days_is_refused(tmp_path: Path) -> None:
    places = copy(tmp_path)
    for path in list((places.results / "predictions").iterdir()):
        (path.parent / f"2031-05-04{path.suffix}").write_bytes(path.read_bytes())
    with pytest.raises(PredictionError, match="is registered twice"):
        register.read(places)


def test_the_command_counts_what_became_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = map(parse, of_rule("fiqa-guarded").conditions)
    made = evidence({first: scores(0.4), second: scores(0.3)})
    monkeypatch.setattr(outcomes, "known", lambda _: made)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT))
    done = CliRunner().invoke(cli.app, ["predict"])
    assert done.exit_code == 0
    assert done.output == f"{len(REGISTERED.predictions) - 1} undecided, 1 came true, 0 failed\n"
