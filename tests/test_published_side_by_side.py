"""Every published cell stands beside what was reproduced, with a verdict that it bears out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import side_by_side as published
from chunkstudy.published import sources
from chunkstudy.published.cells import KEYS, Cell, read
from chunkstudy.published.side_by_side import COLUMNS, SETTING, Library, compare, needs_of
from chunkstudy.published.sources import IN_CORPUS, Source, Work, conditions_of, source_of
from chunkstudy.published.verdicts import VERDICTS, printed_range
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import NONE, Condition

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
NOMIC = "nomic-ai/nomic-embed-text-v1"
TABLES = {
    ("chroma", "main"),
    ("chroma", "minilm"),
    ("chroma", "appendix"),
    ("jina", "berlin"),
    ("jina", "beir"),
    ("jina", "combinations"),
    *(("taxonomy", number) for number in "12345"),
    ("taxonomy", "2, repository"),
    ("taxonomy", "figure 2, text"),
    ("taxonomy", "figure 2, repository"),
}


@pytest.fixture(scope="module")
def comparison() -> pd.DataFrame:
    return compare(Places(ROOT), Library(Places(ROOT)))


@dataclass
class FakeLibrary:
    """Records whose scores are given by condition."""

    scores: dict[Condition, list[float]] = field(default_factory=dict)

    def get(self, condition: Condition) -> object | None:
        if condition not in self.scores:
            return None
        return SimpleNamespace(scores=self.scores[condition], run=SimpleNamespace(sizes={}))

    def values(self, record: SimpleNamespace, measure: str, part: str) -> pd.Series:
        return pd.Series(record.scores)


def test_every_published_cell_has_a_verdict_or_a_reason(comparison: pd.DataFrame) -> None:
    assert list(comparison.columns) == COLUMNS
    assert [tuple(row) for row in comparison[list(KEYS)].to_numpy()] == [one.key for one in CELLS]
    not_run = comparison["verdict"] == "not_run"
    assert ((comparison["reason"] != "") == not_run).all()
    assert (comparison["reproduced"].isna() == not_run).all()
    assert (comparison.loc[~not_run, "run"] != "").all()
    assert set(comparison["verdict"]) <= set(VERDICTS)


def test_exact_is_every_printed_digit(comparison: pd.DataFrame) -> None:
    exact = comparison[comparison["verdict"] == "exact"]
    for row in exact.to_dict("records"):
        rounded = f"{row['reproduced']:.{row['decimals']}f}" == row["published"]
        assert row["fits"] and (rounded or row["unit"] == "token")
    assert (comparison.loc[comparison["verdict"] != "exact", "fits"] == "").all()


def test_within_the_stack_names_its_setting_and_holds_in_both_directions(
    comparison: pd.DataFrame,
) -> None:
    measured = comparison[comparison["stack_low"].notna()]
    assert (measured["stack_low"] <= measured["stack_high"]).all()
    assert (measured["setting"] == SETTING).all()
    assert (comparison.loc[comparison["stack_low"].isna(), "setting"] == "").all()
    assert set(measured["work"]) == {"chroma"}
    for at, row in measured.iterrows():
        low, high = printed_range(CELLS[cast(int, at)])
        meets = low <= row["stack_high"] and row["stack_low"] < high
        if row["verdict"] in ("within_stack", "deviates"):
            assert (row["verdict"] == "within_stack") == meets, row["place"]
    stray = comparison["verdict"] == "within_stack"
    assert stray.any() and comparison.loc[stray, "stack_low"].notna().all()


def test_the_search_that_was_run_again_starts_from_the_records_of_exact_search(
    comparison: pd.DataFrame,
) -> None:
    spread = study_results.read(Places(ROOT), "chroma-search", "spread")
    own = spread[(spread["insertion"] == "official") & (spread["offsets"] == "located")]
    keys = ["chunker", "part", "measure", "statistic"]
    exact = own[own["search list"] == 50].set_index(keys)["exact"]
    rows = comparison[comparison["stack_low"].notna()]
    chunkers = rows["run"].str.split("/").str[1]
    found = exact.loc[list(zip(chunkers, *(rows[k] for k in keys[1:]), strict=True))]
    assert rows["reproduced"].to_numpy() == pytest.approx(100 * found.to_numpy(), abs=2e-5)
    assert len(rows) > 250


def test_every_cell_is_counted_once(comparison: pd.DataFrame) -> None:
    assert len(comparison) == len(CELLS) == 3484
    counts = comparison["verdict"].value_counts()
    assert counts.sum() == len(CELLS) and set(counts.index) == set(VERDICTS)


def test_every_table_is_watched(comparison: pd.DataFrame) -> None:
    assert set(map(tuple, comparison[["work", "table"]].to_numpy())) == TABLES


def test_numbers_are_unrounded_and_in_the_unit_of_the_cell(comparison: pd.DataFrame) -> None:
    run = comparison[comparison["verdict"] != "not_run"]
    assert run["difference"].equals(run["reproduced"] - run["value"])
    means = run[(run["statistic"] == "mean") & (run["unit"] == "percent")]
    assert ((means["low"] <= means["reproduced"]) & (means["reproduced"] <= means["high"])).all()
    assert run.loc[run["measure"] == "SpanRecall@5", "reproduced"].median() > 10
    assert (means["reproduced"].round(3) != means["reproduced"]).mean() > 0.9


def taxonomy_cell(table: str, collection: str) -> Cell:
    wanted = ("taxonomy", table, collection, "fixed-256", NOMIC)
    (found,) = [one for one in CELLS if one.key[:5] == wanted]
    return found


def compared(
    cells: list[Cell],
    scores: dict[str, list[float]],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> pd.DataFrame:
    """Cells compared with records whose scores are given by collection and ordering."""
    wanted = {
        one: scores[name]
        for source in map(source_of, cells)
        for one in conditions_of(source)
        if (name := f"{one.collection} {one.ordering[:3]}") in scores
    }
    both = wanted | {replace(one, protocol="corrected"): given for one, given in wanted.items()}
    monkeypatch.setattr(published, "read", lambda places: cells)
    return compare(Places(folder), cast(Library, FakeLibrary(both)))


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
    assert row["reason"].startswith("computed from 2 conditions, 1 not run: needs the weights of ")
    assert needs_of(row["reason"]) == needs_of(row["reason"].split(": ", 1)[1])


def test_an_average_is_the_mean_of_six_collections_whatever_their_queries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scores = {f"{name} pre": [0.1 * i] * i for i, name in enumerate(IN_CORPUS, start=1)}
    scores |= {f"{name} con": [0.1 * i + 0.1] * i for i, name in enumerate(IN_CORPUS, start=1)}
    cells = [taxonomy_cell("3", "average"), taxonomy_cell("4", "average")]
    average, change = compared(cells, scores, monkeypatch, tmp_path)["reproduced"]
    assert average == pytest.approx(0.35)
    assert change == pytest.approx(sum(100 / i for i in range(1, 7)) / 6)


def test_a_sentence_on_berlin_is_compared_once_its_own_model_has_measured_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = [c for c in CELLS if (c.table, c.ordering) == ("berlin", "contextualized")]
    rows = compared(cells, {}, monkeypatch, tmp_path)
    assert set(rows["verdict"]) == {"not_run"}
    assert rows["reason"].str.contains("jina-embeddings-v2-base-en").all()
    assert rows["reason"].str.endswith("needs `chunkstudy study berlin` then").all()
    measured = pd.DataFrame(
        {
            "encoder": "jinaai/jina-embeddings-v2-base-en",
            "chunk": [one.chunker for one in cells],
            "plain": 0.1,
            "late as published": [one.value for one in cells],
            "late": 0.2,
        }
    )
    monkeypatch.setattr(published, "_similarities", lambda places: measured)
    rows = compared(cells, {}, monkeypatch, tmp_path)
    assert set(rows["verdict"]) == {"exact"}
    assert set(rows["corrected"]) == {0.2}


def test_a_further_table_costs_one_file_and_one_mapping(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "results" / "published" / "own.csv"
    path.parent.mkdir(parents=True)
    path.write_text(
        "work,table,collection,chunker,encoder,measure,statistic,published,decimals,unit,section,"
        "row,column\n"
        "own,1,chroma,recursive-200-0,text,PrecisionOmega,mean,29.9,1,percent,Table,1,Ω\n"
        "own,1,chroma,recursive-400-0,text,PrecisionOmega,mean,17.7,1,percent,Table,2,Ω\n",
        encoding="utf-8",
    )

    def mapping(one: Cell) -> Source:
        return Condition(one.collection, one.chunker, NONE, NONE, "as_published-chroma")

    monkeypatch.setitem(sources.WORKS, "own", Work(mapping, "as_published-chroma"))
    first, second = (mapping(one) for one in read(Places(tmp_path)))
    assert isinstance(first, Condition) and isinstance(second, Condition)
    library = FakeLibrary({first: [0.298, 0.3], second: [0.1, 0.2]})
    rows = compare(Places(tmp_path), cast(Library, library))
    assert list(rows["verdict"]) == ["exact", "deviates"]
    assert list(rows["place"]) == ["Table, row 1, column Ω", "Table, row 2, column Ω"]
