"""Measures of reproduction between printed and recorded results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.analysis import reproduction, taxonomy
from chunkstudy.analysis.reproduction import DIFFERENCE, IMPROVEMENT, RATIO, RMSE, TAU
from chunkstudy.grid.conditions import Condition
from chunkstudy.places import Places
from chunkstudy.published import cells as published_cells
from tests.recorded import IELAB, LATE, OWN, PRE, WIDE, library, made

CELLS = published_cells.frame(published_cells.read(Places(Path(__file__).parents[1])))
NOTHING = pd.DataFrame(columns=["statistic", "unit", "verdict"])


def measures(
    scores: dict[Condition, pd.Series], comparison: pd.DataFrame = NOTHING
) -> pd.DataFrame:
    found = library(scores)
    return reproduction.measures(found, CELLS, comparison, taxonomy.tables(found, CELLS))


def rows(found: pd.DataFrame, measure: str, **keys: str) -> pd.DataFrame:
    wanted = found["measure"] == measure
    for name, value in keys.items():
        wanted &= found[name] == value
    return found[wanted]


def scores_of(number: str, model: str, name: str) -> list[float]:
    cells = CELLS[(CELLS["table"] == number) & (CELLS["collection"] == name)
                  & CELLS["encoder"].str.endswith(model)
                  & (CELLS["chunker"] != "average")]  # fmt: skip
    return cells.set_index("chunker")["value"].sort_index().tolist()


def test_published_models_are_ranked_against_each_other() -> None:
    found = rows(measures({}), TAU, table="3", collection="gutenqa")
    both = found[found["original"].str.endswith("small-en")
                 & found["reproduced"].str.endswith("large-instruct")]  # fmt: skip
    small = scores_of("3", "jina-embeddings-v2-small-en", "gutenqa")
    large = scores_of("3", "multilingual-e5-large-instruct", "gutenqa")
    expected = stats.kendalltau(small, large)
    assert both["n"].tolist() == [6]
    assert both["value"].iloc[0] == pytest.approx(expected.statistic)
    assert len(found) == 6  # every two of four models


def test_the_taxonomys_own_reproduction_is_measured_too() -> None:
    found = measures({})
    assert rows(found, TAU, table="1")["value"].tolist() == [pytest.approx(1)]
    delta = rows(found, IMPROVEMENT, table="2", collection="fiqa", chunker="semantic")
    expected = (0.337 - 0.303) / 0.303 - (0.223 - 0.303) / 0.303
    assert delta["value"].tolist() == [pytest.approx(expected)]
    ratio = rows(found, RATIO, table="2", collection="fiqa", chunker="semantic")
    assert ratio["value"].tolist() == [pytest.approx((0.223 - 0.303) / (0.337 - 0.303))]


def test_recorded_gains_stand_against_every_published_model() -> None:
    scores = made(("scifact",))
    found = measures(scores)
    gains = rows(found, RATIO, work="taxonomy", table="3 and 5", chunker="semantic")
    assert gains[["reproduced", "protocol"]].drop_duplicates().to_numpy().tolist() == [[WIDE, OWN]]
    assert gains["original"].nunique() == 4
    means = {c.ordering: s.mean() for c, s in scores.items() if c.chunker == "semantic"}
    expected = (means[LATE] - means[PRE]) / (0.6498 - 0.6445)
    small = gains[gains["original"].str.endswith("small-en")]["value"]
    assert small.tolist() == [pytest.approx(expected)]
    assert np.isfinite(found["value"].dropna()).all()


def test_books_are_held_against_the_one_that_is_public() -> None:
    found = rows(measures(made(("gutenqa-emma",))), TAU, table="3", collection="gutenqa")
    emma = found[found["reproduced collection"] == "gutenqa-emma"]
    assert emma["n"].tolist() == [4] * 4  # methods, of each published model


def test_two_protocols_of_one_condition_are_compared_topic_by_topic() -> None:
    official = made(("scifact",), protocol=IELAB, seed=0)
    shifted = {c: s + 0.001 for c, s in made(("scifact",), protocol=OWN, seed=0).items()}
    found = measures(official | shifted)
    of = f"scifact/semantic/{WIDE}/{PRE}/{IELAB}"
    assert rows(found, RMSE, run=of)["value"].tolist() == [pytest.approx(0.001)]
    assert rows(found, DIFFERENCE, run=of)["value"].tolist() == [pytest.approx(-0.001)]


def test_reproduced_means_lie_as_far_from_the_published_ones_as_they_do_without_a_test() -> None:
    scores = made(("scifact",))
    condition = next(iter(scores))
    cell = {
        "work": "x", "table": "1", "collection": "scifact", "measure": "nDCG@10",
        "statistic": "mean", "part": "all", "value": 50.0, "unit": "percent",
        "run": str(condition), "verdict": "deviates",
    }  # fmt: skip
    of = rows(measures(scores, pd.DataFrame([cell])), DIFFERENCE, work="x")
    assert of["p"].isna().all()
    assert of["value"].tolist() == [pytest.approx(scores[condition].mean() - 0.5)]
