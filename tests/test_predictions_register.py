"""A record decides its prediction, and what is registered stays as it is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.commands import cli
from chunkstudy.encoders import models
from chunkstudy.publish import reproduce
from chunkstudy.published.cells import frame, read
from chunkstudy.published.chunk_size import POOLED
from chunkstudy.published.predictions import outcomes, register, tables
from chunkstudy.published.predictions.cells import cell_id, needed
from chunkstudy.published.predictions.evidence import Evidence
from chunkstudy.published.predictions.outcomes import CAME_TRUE, FAILED, UNDECIDED
from chunkstudy.published.predictions.register import Prediction, PredictionError, Registered
from chunkstudy.runs import records as recorded
from chunkstudy.runs.conditions import Condition, parse
from chunkstudy.runs.grids import LATE, WIDE
from chunkstudy.runs.published_grid import corrected
from chunkstudy.studies.predictions import figure_bets
from tests.made_library import made_library

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
BY_ID = {cell_id(cell): cell for cell in CELLS}
BARE = frame(CELLS).assign(id=list(BY_ID), reproduced=np.nan, corrected=np.nan)
REGISTERED = register.read(Places(ROOT))
NOWHERE = pd.DataFrame(
    columns=["source", "encoder", "protocol", "collection", "ordering", "definition", "method", "r"]
)
LENGTHS = pd.DataFrame({"collection": ["fiqa"], "characters": [768.0]})


def of_rule(name: str) -> Prediction:
    return next(one for one in REGISTERED.predictions if one.rule == name)


def scores(value: float, measure: str = "nDCG@10", queries: int = 4) -> pd.DataFrame:
    index = pd.Index([f"q{at}" for at in range(queries)], name="query_id")
    return pd.DataFrame({measure: [value] * queries}, index=index)


def evidence(
    records: Mapping[Condition, pd.DataFrame],
    numbers: Mapping[str, float] | None = None,
    column: str = "reproduced",
    correlations: pd.DataFrame = NOWHERE,
) -> Evidence:
    """Evidence of records made for a test, and of numbers of cells by id."""
    comparison = BARE.assign(**{column: BARE["id"].map(numbers or {}).astype(float)})
    return Evidence(CELLS, comparison, made_library(records), correlations, LENGTHS)


def of_cells(prediction: Prediction, numbers: list[float], column: str = "reproduced") -> str:
    """The outcome if the prediction's cells came out so, all of their records being there."""
    conditions = [one for name in prediction.cells for one in needed(BY_ID[name])]
    records = {one: scores(0.5) for one in conditions}
    found = evidence(records, dict(zip(prediction.cells, numbers, strict=True)), column)
    return outcomes.outcome(prediction, outcomes.number(prediction, found))


def of_two(prediction: Prediction, first: float, second: float) -> tuple[float | None, str]:
    """The number and the outcome if the two conditions scored so, in fractions."""
    one, other = map(parse, prediction.conditions)
    measure = prediction.measure
    found = evidence({one: scores(first, measure), other: scores(second, measure)})
    number = outcomes.number(prediction, found)
    return number, outcomes.outcome(prediction, number)


def test_a_score_is_decided_by_its_cell() -> None:
    one = of_rule("taxonomy-scores")
    assert one.low is not None and one.high is not None
    assert of_cells(one, [(one.low + one.high) / 2]) == CAME_TRUE
    assert of_cells(one, [one.low]) == of_cells(one, [one.high]) == CAME_TRUE
    assert of_cells(one, [one.high + 0.001]) == of_cells(one, [one.low - 0.001]) == FAILED


def test_a_corrected_value_is_not_decided_by_the_published_protocol() -> None:
    one = of_rule("semantic-average-guarded")
    assert of_cells(one, [3.0], "corrected") == CAME_TRUE
    assert of_cells(one, [-2.5], "corrected") == FAILED
    assert of_cells(one, [3.0], "reproduced") == UNDECIDED


def test_a_difference_is_first_minus_second_in_points() -> None:
    one = of_rule("fiqa-guarded")
    assert [parse(path).ordering for path in one.conditions] == [
        "contextualized-8192", "pre_embedding",
    ]  # fmt: skip
    assert of_two(one, 0.337, 0.303) == (pytest.approx(3.4), CAME_TRUE)
    assert of_two(one, 0.223, 0.303) == (pytest.approx(-8.0), FAILED)


def test_a_distance_has_no_sign() -> None:
    one = of_rule("paragraphs-are-no-chunking")
    assert of_two(one, 0.3042, 0.3042) == (0, CAME_TRUE)
    assert of_two(one, 0.3042, 0.2842) == (pytest.approx(2.0), FAILED)
    assert of_two(one, 0.2842, 0.3042) == (pytest.approx(2.0), FAILED)


def test_the_nearer_of_two_models_is_the_one_nearer_to_print() -> None:
    one = of_rule("which-e5")
    printed = BY_ID[one.cells[0]].value
    assert of_two(one, printed + 0.01, printed - 0.05) == (pytest.approx(-4.0), CAME_TRUE)
    assert of_two(one, printed - 0.05, printed + 0.01) == (pytest.approx(4.0), FAILED)


def test_an_order_is_decided_when_every_row_is_there() -> None:
    one = of_rule("order-of-methods")
    printed = [BY_ID[name].value for name in one.cells]
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
    found = outcomes.number(one, evidence({first: scores(0.4), second: more}))
    assert found == pytest.approx(10.0)
    missing = scores(0.4).assign(**{"nDCG@10": [0.4, float("nan"), 0.4, 0.4]})
    assert outcomes.number(one, evidence({first: missing, second: more})) == pytest.approx(10.0)


def test_a_correlation_waits_for_all_collections_though_a_table_has_it_before() -> None:
    one = of_rule("correlations-in-corpora")
    lowest = BY_ID[one.cells[0]]
    assert lowest.statistic == "lowest r" and one.low is not None and one.high is not None
    conditions = needed(lowest)
    assert len({c.collection for c in conditions}) == 6 == len({c.chunker for c in conditions})
    row = {"encoder": models.slug(lowest.encoder, 8192),
           "protocol": "as_published-ielab", "collection": POOLED, "ordering": "pre_embedding",
           "definition": "code"}  # fmt: skip
    table = pd.DataFrame(
        [
            row | {"method": "paragraph", "r": 0.15},
            row | {"method": "sentence-5", "r": 0.07},
        ]
    )
    records = {condition: scores(0.5) for condition in conditions}
    assert outcomes.number(one, evidence(records, correlations=table)) == 0.07
    records.pop(conditions[-1])
    assert outcomes.number(one, evidence(records, correlations=table)) is None


def test_a_length_is_decided_by_the_count_of_a_collection() -> None:
    lengths = [one for one in REGISTERED.predictions if one.rule == "jina-lengths"]
    found = {BY_ID[one.cells[0]].collection: outcomes.number(one, evidence({})) for one in lengths}
    assert found == {"fiqa": 768.0, "trec-covid": None, "quora": None}


def copy(tmp_path: Path) -> Places:
    """A checkout with the real register and published cells, and no record."""
    places = Places(tmp_path)
    places.published.parent.mkdir(parents=True)
    places.published.symlink_to(ROOT / "results" / "published")
    folder = register.folder(places)
    folder.mkdir()
    for path in register.folder(Places(ROOT)).iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return places


def record(places: Places, condition: Condition) -> float:
    """A record of a condition with the scores of all-MiniLM-L6-v2's; their mean."""
    late = condition.ordering != "pre_embedding"
    own = replace(condition, encoder=WIDE, ordering=LATE if late else "pre_embedding")
    folder = Places(ROOT).runs / own.path
    run = recorded.read_run(folder).model_copy(
        update={"encoder": condition.encoder, "ordering": condition.ordering}
    )
    scored = recorded.read_in_order(folder, run)
    recorded.write(
        places.runs / condition.path,
        run.model_copy(update={"ranking": None}),
        scored,
        {},
        outside=places.rankings,
    )
    return float(scored["nDCG@10"].mean())


def test_records_move_no_bound_and_decide(tmp_path: Path) -> None:
    places = copy(tmp_path)
    one = of_rule("fiqa-guarded")
    first, second = map(parse, one.conditions)
    before = register.read(places)
    waiting = tables.predictions(before, evidence({})).set_index("id")
    after = register.read(places)
    made = evidence({first: scores(0.2), second: scores(0.3)})
    decided = tables.predictions(after, made).set_index("id")
    same = ["at least", "at most", "probability", "published", "surprise", "registered"]
    pd.testing.assert_frame_equal(waiting[same], decided[same])
    assert waiting.loc[one.id, "outcome"] == UNDECIDED
    assert decided.loc[one.id, "outcome"] == FAILED
    assert decided.loc[one.id, "number"] == pytest.approx(-10.0)
    rows = tables.by_rule(decided.reset_index(), after).set_index("rule")
    assert dict(rows.loc[rows["decided"] > 0, "decided"]) == {"fiqa-guarded": 1, "jina-lengths": 1}
    assert rows.loc["fiqa-guarded", "Brier score"] == pytest.approx(one.probability**2)
    assert tables.by_outcome(after, made)[FAILED] == 1


def test_the_day_a_record_appears_it_decides(tmp_path: Path) -> None:
    places = copy(tmp_path)
    plain = parse(
        "scifact/fixed-256/jinaai__jina-embeddings-v2-small-en/pre_embedding/as_published-ielab"
    )
    late = replace(plain, ordering="contextualized-8192")
    scored = {one: record(places, one) for one in (plain, late, corrected(plain))}
    found = outcomes.known(places)
    after = tables.predictions(register.read(places), found)
    decided = after[after["outcome"] != UNDECIDED]
    numbers = {rule: list(part["number"]) for rule, part in decided.groupby("rule")}
    moved = 100 * (scored[corrected(plain)] - scored[plain])
    gained = 100 * (scored[late] - scored[plain])
    assert numbers["taxonomy-corrected"] == [pytest.approx(moved)]
    assert numbers["late-direction"] == [pytest.approx(gained)]
    assert numbers["taxonomy-scores"] == pytest.approx([scored[plain], scored[late]])
    assert numbers["changes"] == [pytest.approx(100 * (scored[late] / scored[plain] - 1))]
    (change,) = decided[decided["rule"] == "changes"]["id"]
    row = reproduce.compared(places)
    (cell,) = row[row["prediction"] == change].to_dict("records")
    assert cell["verdict"] != "not_run" and cell["reproduced"] == pytest.approx(
        numbers["changes"][0]
    )


def test_a_bound_changed_by_hand_is_refused(tmp_path: Path) -> None:
    places = copy(tmp_path)
    path = next(register.folder(places).glob("*.jsonl"))
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[0])
    changed["high"] += 1
    path.write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(PredictionError, match="is not what was registered on"):
        register.read(places)


def test_a_prediction_that_stands_in_two_days_is_refused(tmp_path: Path) -> None:
    places = copy(tmp_path)
    for path in list(register.folder(places).iterdir()):
        (path.parent / f"2031-05-04{path.suffix}").write_bytes(path.read_bytes())
    with pytest.raises(PredictionError, match="is registered twice"):
        register.read(places)


def test_a_registration_keeps_sentences_and_errors() -> None:
    found = json.loads(next(register.folder(Places(ROOT)).glob("*.json")).read_text())
    assert found["predictions"] == len(REGISTERED.predictions)
    assert set(found["rules"]) == {one.rule for one in REGISTERED.predictions}
    assert all(said["says"] and said["why"] and said["basis"] for said in found["rules"].values())
    errors = found["experience"]["two-works"]["errors"]
    k = math.ceil(0.9 * (len(errors) + 1))  # the k-th smallest of n bounds the next one
    reach, probability = sorted(map(abs, errors))[k - 1], k / (len(errors) + 1)
    one = of_rule("taxonomy-scores")
    assert one.high == pytest.approx(BY_ID[one.cells[0]].value + reach)
    assert one.probability == pytest.approx(probability, abs=1e-4)
    assert set(found["rested_on"]) > {"records", "published/taxonomy.csv"}


def test_the_command_counts_what_became_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    one = of_rule("fiqa-guarded")
    first, second = map(parse, one.conditions)
    made = evidence({first: scores(0.4), second: scores(0.3)})
    monkeypatch.setattr(outcomes, "known", lambda _: made)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(ROOT))
    done = CliRunner().invoke(cli.app, ["predict"])
    true = len([one for one in REGISTERED.predictions if outcomes.number(one, made) is not None])
    assert done.exit_code == 0 and true == 2
    assert done.output == f"{len(REGISTERED.predictions) - 2} undecided, 2 came true, 0 failed\n"


def test_the_figure_shows_what_was_reproduced_once_something_is() -> None:
    one = of_rule("fiqa-guarded")
    first, second = map(parse, one.conditions)
    for records in ({}, {first: scores(0.2), second: scores(0.3)}):
        found = tables.predictions(REGISTERED, evidence(records))
        rows = found[found["rule"] == one.rule].reset_index(drop=True)
        (axes,) = (figure := figure_bets(rows)).axes
        _, _, reproduced = axes.get_lines()
        drawn = np.asarray(reproduced.get_xdata(), dtype=float)
        assert list(drawn[~np.isnan(drawn)]) == ([pytest.approx(-10.0)] if records else [])
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert ("reproduced" in words) == bool(records)
        plt.close(figure)


def test_an_empty_register_gives_empty_tables() -> None:
    found = tables.every(Registered([], {}, {}), evidence_with_verdicts())
    assert found["predictions"].empty and found["predictions_to_bet_on"].empty
    assert found["predictions_coverage"]["predicted"].sum() == 0


def evidence_with_verdicts() -> Evidence:
    made = evidence({})
    return replace(made, comparison=made.comparison.assign(verdict="not_run"))


def test_each_kind_of_number_is_tested_here() -> None:
    tested = ("taxonomy-scores", "fiqa-guarded", "paragraphs-are-no-chunking", "which-e5",
              "order-of-methods")  # fmt: skip
    assert {of_rule(name).kind for name in tested} == {one.kind for one in REGISTERED.predictions}


def test_conditions_that_are_compared_can_be_run() -> None:
    paths = {path for one in REGISTERED.predictions for path in one.conditions}
    assert all(str(parse(path)) == path for path in paths)
    both = [one for one in REGISTERED.predictions if one.rule == "taxonomy-corrected"]
    for one in both:
        first, second = map(parse, one.conditions)
        assert first == corrected(second)
