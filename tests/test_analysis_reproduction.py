"""Measures of reproduction between printed and recorded results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.analysis import taxonomy
from chunkstudy.analysis.reproduction import measures
from chunkstudy.places import Places
from chunkstudy.published.compare import COLUMNS, Library, read_published
from tests.test_report_taxonomy_tables import IELAB, LATE, OWN, PRE, WIDE, Recorded, made

ROOT = Path(__file__).parents[1]
CELLS = read_published(Places(ROOT))
NOTHING = pd.DataFrame(columns=COLUMNS)
TAU = "tau-b of the methods' ranking"


def rows(table: pd.DataFrame, measure: str, of: str) -> pd.DataFrame:
    return table[(table["measure"] == measure) & (table["of"] == of)]


def scores_of(number: str, model: str, name: str) -> list[float]:
    cells = CELLS[(CELLS["table"] == number) & (CELLS["collection"] == name)
                  & CELLS["encoder"].str.endswith(model)
                  & (CELLS["chunker"] != "average")]  # fmt: skip
    return cells.set_index("chunker")["printed"].astype(float).sort_index().tolist()


def test_published_models_are_ranked_against_each_other() -> None:
    found = rows(measures(Recorded({}), CELLS, NOTHING), TAU, "Table 3, gutenqa")
    both = found[(found["original"] == "Jina-v2") & (found["reproduced"] == "E5-Large")]
    small = scores_of("3", "jina-embeddings-v2-small-en", "gutenqa")
    large = scores_of("3", "multilingual-e5-large-instruct", "gutenqa")
    expected = stats.kendalltau(small, large)
    assert both["n"].tolist() == [6]
    assert float(both["value"].iloc[0]) == pytest.approx(expected.statistic, abs=5e-5)
    assert len(found) == 6  # every two of four models


def test_the_taxonomys_own_reproduction_is_measured_too() -> None:
    found = measures(Recorded({}), CELLS, NOTHING)
    assert rows(found, TAU, "Table 1, gutenqa")["value"].tolist() == ["1.0000"]
    gain = "Table 2, semantic on fiqa, contextualized over plain"
    delta = rows(found, "delta relative improvement", gain)["value"].tolist()
    expected = (0.337 - 0.303) / 0.303 - (0.223 - 0.303) / 0.303  # S2:189
    assert delta == [f"{expected:.4f}"]
    ratio = rows(found, "effect ratio", gain)["value"].tolist()
    assert ratio == [f"{(0.223 - 0.303) / (0.337 - 0.303):.4f}"]


def test_recorded_gains_stand_against_every_published_model() -> None:
    scores = made(("scifact",))
    found = measures(Recorded(scores), CELLS, NOTHING)
    gains = rows(found, "effect ratio", "taxonomy, Semantic on scifact, contextualized over plain")
    assert gains["original"].tolist() == ["Jina-v2", "Jina-v3", "Nomic", "E5-Large"]
    means = {c.ordering: s.mean() for c, s in scores.items() if c.chunker == "semantic"}
    expected = (means[LATE] - means[PRE]) / (0.6498 - 0.6445)  # S2:213, S2:313
    assert float(gains["value"].iloc[0]) == pytest.approx(expected, abs=1e-3)
    assert not found["value"].isin(["nan", "inf"]).any()


def test_two_protocols_of_one_condition_are_compared_topic_by_topic() -> None:
    official = made(("scifact",), protocol=IELAB, seed=0)
    shifted = {c: s + 0.001 for c, s in made(("scifact",), protocol=OWN, seed=0).items()}
    found = measures(Recorded(official | shifted), CELLS, NOTHING)
    of = f"nDCG@10 of scifact/semantic/{WIDE}/{PRE}"
    assert rows(found, "RMSE per topic", of)["value"].tolist() == ["0.0010"]
    same = rows(found, "difference of means, equivalent within 0.01", of)
    assert same[["value", "p"]].to_numpy().tolist() == [["-0.0010", "0"]]


def test_reproduced_means_are_tested_for_equivalence_with_the_printed_ones() -> None:
    scores = made(("scifact",))
    condition = next(iter(scores))
    cell = dict.fromkeys(COLUMNS, "") | {
        "work": "x", "table": "1", "measure": "nDCG@10", "statistic": "mean", "part": "all",
        "published": "50.00", "unit": "percent", "state": "whole", "run": str(condition),
        "verdict": "deviates",
    }  # fmt: skip

    class Whole(Recorded):
        def values(self, record: object, measure: str, part: str = "all") -> pd.Series:
            return scores[condition]

    found = measures(Whole(scores), CELLS, pd.DataFrame([cell]))
    of = found[found["of"].str.startswith("x 1")]
    difference = scores[condition] - 0.5
    expected = max(
        stats.ttest_1samp(difference, -0.01, alternative="greater").pvalue,
        stats.ttest_1samp(difference, 0.01, alternative="less").pvalue,
    )
    assert of["p"].tolist() == [f"{expected:.2g}"]


def test_every_table_is_derived_from_the_records_at_hand() -> None:
    library = Library(Places(ROOT))
    laid_out = taxonomy.layouts(library, CELLS)
    assert {f"taxonomy_table{n}" for n in "345"} < set(laid_out)
    tests = taxonomy.tests(laid_out)
    assert set(tests["table"]) >= {"taxonomy_table3", "taxonomy_builtin_table4"}
    counted = taxonomy.superscripts(laid_out).set_index(["table", "model"])
    marks = CELLS.loc[(CELLS["table"] == "3") & CELLS["encoder"].str.endswith("-v3"), "marks"]
    expected = marks.str.split("+").map(
        lambda parts: any("a" in p for p in parts if "b" not in p or p == "ab")
    )
    assert counted.loc[("taxonomy_table3", "Jina-v3"), "a"] == int(expected.sum())
    text = taxonomy.caption("taxonomy_table3", laid_out["taxonomy_table3"])
    assert "6 (Jina-v2, Jina-v3, Nomic, E5-Large)" in text


def test_with_no_records_the_printed_tables_remain() -> None:
    library = Recorded({})
    laid_out = taxonomy.layouts(library, CELLS)
    assert len(laid_out["taxonomy_table4"].rows) == 28
    assert laid_out["taxonomy_builtin_table3"].rows == {}
    assert taxonomy.tests(laid_out).empty
    assert not np.isnan(
        [c.value for r in laid_out["taxonomy_table5"].rows.values() for c in r.values()]
    ).any()
