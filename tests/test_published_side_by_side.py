"""Every published cell stands beside what was reproduced, with a verdict that it bears out."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import side_by_side as published
from chunkstudy.published.cells import KEYS, Cell, read
from chunkstudy.published.side_by_side import COLUMNS, Library, compare
from chunkstudy.published.sources import IN_CORPUS, conditions_of, source_of
from chunkstudy.published.verdicts import SETTING, TIES, VERDICTS
from chunkstudy.runs import study_results
from tests.made_library import made_library

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
NOMIC = "nomic-ai/nomic-embed-text-v1"


@pytest.fixture(scope="module")
def comparison() -> pd.DataFrame:
    return compare(Places(ROOT), Library(Places(ROOT)))


def test_every_published_cell_has_a_verdict_or_a_reason(comparison: pd.DataFrame) -> None:
    assert list(comparison.columns) == COLUMNS
    assert [tuple(row) for row in comparison[list(KEYS)].to_numpy()] == [one.key for one in CELLS]
    not_run = comparison["verdict"] == "not_run"
    assert ((comparison["needs"] != "") == not_run).all()
    assert (comparison["reproduced"].isna() == not_run).all()
    assert (comparison.loc[~not_run, "run"] != "").all()
    assert set(comparison["verdict"]) <= set(VERDICTS)


def test_what_the_published_stack_gave_again_is_given_with_its_setting(
    comparison: pd.DataFrame,
) -> None:
    measured = comparison[comparison["stack_low"].notna()]
    assert (measured["stack_low"] <= measured["stack_high"]).all()
    reruns, ties = (measured[measured["setting"] == name] for name in (SETTING, TIES))
    assert len(measured) == len(reruns) + len(ties) and set(ties["work"]) == {"mteb"}
    assert (comparison.loc[comparison["stack_low"].isna(), "setting"] == "").all()
    assert set(reruns["work"]) == {"chroma"} and (reruns["verdict"] == "within_stack").any()


def taxonomy_cell(table: str, collection: str) -> Cell:
    wanted = ("taxonomy", table, collection, "fixed-256", NOMIC)
    (found,) = [one for one in CELLS if one.key[:5] == wanted]
    return found


def scored(measure: str, values: list[float]) -> pd.DataFrame:
    return pd.DataFrame({measure: values}, [f"q{at}" for at in range(len(values))])


def compared(
    cells: list[Cell],
    scores: dict[str, list[float]],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> pd.DataFrame:
    """Cells compared with records whose scores are given by collection and ordering."""
    records = {
        condition: scored(cell.measure, scores[name])
        for cell in cells
        for one in conditions_of(source_of(cell))
        if (name := f"{one.collection} {one.ordering[:3]}") in scores
        for condition in (one, replace(one, protocol="corrected"))
    }
    monkeypatch.setattr(published, "read", lambda places: cells)
    return compare(Places(folder), made_library(records))


def test_a_cell_of_one_condition_is_the_mean_of_its_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = taxonomy_cell("3", "scifact")
    row = compared([one], {"scifact pre": [0.25, 0.75]}, monkeypatch, tmp_path).iloc[0]
    assert row["run"] == str(source_of(one))
    assert (row["reproduced"], row["corrected"]) == (0.5, 0.5)
    assert row["difference"] == 0.5 - one.value
    assert row["verdict"] == "deviates"
    same = {"scifact pre": [one.value, one.value]}
    assert compared([one], same, monkeypatch, tmp_path).iloc[0]["verdict"] == "exact"


def test_a_change_is_computed_from_both_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = taxonomy_cell("4", "scifact")
    both = {"scifact pre": [0.2, 0.6], "scifact con": [0.3, 0.7]}
    row = compared([one], both, monkeypatch, tmp_path).iloc[0]
    assert row["reproduced"] == pytest.approx(25) and math.isnan(row["low"])
    assert row["run"].split("/")[3] == "*"
    del both["scifact pre"]
    row = compared([one], both, monkeypatch, tmp_path).iloc[0]
    assert row["verdict"] == "not_run" and math.isnan(row["reproduced"])
    assert row["needs"].startswith("needs the weights of ") and ";" not in row["needs"]


def test_an_average_is_the_mean_of_six_collections_whatever_their_queries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scores = {f"{name} pre": [0.1 * i] * i for i, name in enumerate(IN_CORPUS, start=1)}
    scores |= {f"{name} con": [0.1 * i + 0.1] * i for i, name in enumerate(IN_CORPUS, start=1)}
    cells = [taxonomy_cell("3", "average"), taxonomy_cell("4", "average")]
    average, change = compared(cells, scores, monkeypatch, tmp_path)["reproduced"]
    assert average == pytest.approx(0.35)
    assert change == pytest.approx(sum(100 / i for i in range(1, 7)) / 6)


def measured(monkeypatch: pytest.MonkeyPatch, **tables: pd.DataFrame) -> None:
    """What studies left, by their names."""
    found = {name.replace("_", "-"): table for name, table in tables.items()}
    monkeypatch.setattr(
        study_results, "read", lambda places, study, table: found.get(study, pd.DataFrame())
    )


def test_a_sentence_on_berlin_is_compared_once_its_own_model_has_measured_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = [c for c in CELLS if (c.table, c.ordering) == ("berlin", "contextualized")]
    rows = compared(cells, {}, monkeypatch, tmp_path)
    assert set(rows["verdict"]) == {"not_run"}
    assert rows["needs"].str.contains("jina-embeddings-v2-base-en").all()
    assert rows["needs"].str.endswith("needs `chunkstudy study berlin` then").all()
    model, told = "jinaai/jina-embeddings-v2-base-en", [one.value for one in cells]
    berlin = pd.DataFrame(
        {"encoder": model, "chunk": [one.chunker for one in cells], "plain": 0.1, "late": 0.2,
         "late as published": told}
    )  # fmt: skip
    measured(monkeypatch, berlin=berlin)
    rows = compared(cells, {}, monkeypatch, tmp_path)
    assert set(rows["verdict"]) == {"exact"} and set(rows["corrected"]) == {0.2}
    measured(monkeypatch, berlin=berlin.assign(encoder="another"))
    assert set(compared(cells, {}, monkeypatch, tmp_path)["verdict"]) == {"not_run"}


def test_a_length_is_the_count_of_its_collection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = [one for one in CELLS if one.measure == "characters"]
    lengths = pd.DataFrame({"collection": ["fiqa"], "mean characters": [768.0]})
    measured(monkeypatch, document_lengths=lengths)
    rows = compared(cells, {}, monkeypatch, tmp_path).set_index("collection")
    assert rows["reproduced"].dropna().to_dict() == {"fiqa": 768.0}
    assert rows.loc["fiqa", "run"] == "studies/document-lengths"
    assert (rows.loc[rows["verdict"] == "not_run", "run"] == "").all()


def test_a_correlation_waits_for_all_collections_though_a_table_has_it_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lowest, *_ = [
        one for one in CELLS if one.statistic == "lowest r" and one.ordering == "pre_embedding"
    ]
    conditions = list(conditions_of(source_of(lowest)))
    assert len({c.collection for c in conditions}) == 6 == len({c.chunker for c in conditions})
    monkeypatch.setattr(published, "published_r", lambda *given: [0.15, 0.07])
    scores = {f"{name} pre": [0.5] for name in IN_CORPUS}
    assert compared([lowest], scores, monkeypatch, tmp_path)["reproduced"].tolist() == [0.07]
    del scores["scidocs pre"]
    row = compared([lowest], scores, monkeypatch, tmp_path).iloc[0]
    assert row["verdict"] == "not_run" and row["needs"].startswith("nothing to run: a correlation")
