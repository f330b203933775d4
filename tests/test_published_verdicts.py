"""A verdict says which printed strings a value could have given, cells are read whole, and every
published cell stands beside what was reproduced."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.core.errors import UserError
from chunkstudy.core.project import Project
from chunkstudy.evaluation.statistics.intervals import Interval
from chunkstudy.pipeline import experiment_tables
from chunkstudy.published import side_by_side as published
from chunkstudy.published.cells import KEYS, Cell, read
from chunkstudy.published.side_by_side import COLUMNS, Library, compare
from chunkstudy.published.sources import IN_CORPUS, conditions_of, source_of
from chunkstudy.published.verdicts import VERDICTS, printed_ends, verdict, within
from tests.made_library import made_library

ROOT = Path(__file__).parents[1]
CELLS = read(Project(ROOT))
RECALL = next(c for c in CELLS if c.measure == "SpanRecall@5" and c.statistic == "mean")


def whole(text: str, unit: str = "percent") -> Cell:
    decimals = len(text.partition(".")[2])
    return changed(published=text, decimals=decimals, unit=unit)


def changed(**values: object) -> Cell:
    return Cell.model_validate(RECALL.model_dump() | values)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("29.9", 29.942, "exact"),
        ("29.9", 29.96, "deviates"),
        ("29.9", 35.0, "deviates"),
        ("29.9", 25.0, "deviates"),
        ("0.7", 0.65, "exact"),
        ("78.9", 78.96, "deviates"),  # a percent is never taken as truncated
    ],
)
def test_exact_is_every_printed_digit_and_better_is_no_excuse(
    text: str, value: float, expected: str
) -> None:
    assert verdict(whole(text), value) == expected


@pytest.mark.parametrize(
    ("value", "exact"), [(312.2, True), (312.99, True), (311.7, True), (313.01, False)]
)
def test_a_size_may_be_rounded_or_truncated(value: float, exact: bool) -> None:
    assert (verdict(whole("312", unit="token"), value) == "exact") == exact


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (78.2, 78.6, True),
        (78.54, 78.9, True),
        (78.56, 78.9, False),
        (77.0, 78.44, False),
        (78.5, 78.5, True),
    ],
)
def test_a_cell_is_within_the_stack_if_a_value_of_its_spread_prints_so(
    low: float, high: float, expected: bool
) -> None:
    found = verdict(whole("78.5"), 78.9, stack=Interval(low, high))
    assert found == ("within_stack" if expected else "deviates")
    assert verdict(whole("78.5"), 78.52, stack=Interval(low, high)) == "exact"


def test_every_cell_is_exact_in_the_middle_of_what_prints_so_and_not_at_its_end() -> None:
    for cell in CELLS:
        low, high = printed_ends(cell)
        middle = (low + high) / 2
        assert verdict(cell, middle) == "exact", cell
        assert within(cell, Interval(middle, middle))
        assert not within(cell, Interval(high, high + 1))


HEADER = (
    "work,table,collection,chunker,encoder,measure,statistic,published,decimals,unit,"
    "section,row,column"
)
ROW = "jina,beir,quora,none,small,nDCG@10,mean,87.19,2,percent,post,Quora,Small"


def written(folder: Path, *lines: str, header: str = HEADER) -> Project:
    path = folder / "results" / "published" / "own.csv"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return Project(folder)


def refused(folder: Path, *lines: str, header: str = HEADER) -> str:
    with pytest.raises(UserError) as error:
        read(written(folder, *lines, header=header))
    sentence = str(error.value)
    assert sentence.startswith("own.csv") and "\n" not in sentence
    return sentence


def test_a_table_of_ones_own_is_one_file_with_the_columns_of_a_cell(tmp_path: Path) -> None:
    (cell,) = read(written(tmp_path, ROW))
    assert (cell.value, cell.decimals, cell.part, cell.marks) == (87.19, 2, "all", "")
    assert (cell.section, cell.row, cell.column) == ("post", "Quora", "Small")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        *(([ROW.replace("87.19", f'"{text}"')], f"the printed string {text!r} is not a number")
          for text in ("87,19", "n/a", "87.19%", "nan", "inf")),
        ([ROW.replace(",2,", ",3,")], "'87.19' does not have 3 decimals"),
        ([ROW.replace("percent", "points")], "unit: Input should be"),
        ([ROW.replace("jina", "")], "work: Field required"),
        ([ROW + ",more"], "does not have as many fields as the file has columns"),
        ([ROW.replace(",2,", ",")], "does not have as many fields as the file has columns"),
        ([ROW, ROW.replace("87.19", "88.00")], "line 3 has the key of another row (jina, "),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_one_sentence(
    rows: list[str], words: str, tmp_path: Path
) -> None:
    assert words in refused(tmp_path, *rows)


def test_an_unknown_column_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, ROW + ",1", header=HEADER + ",printed")
    assert "printed: Extra inputs are not permitted" in said


NOMIC = "nomic-ai/nomic-embed-text-v1"


@pytest.fixture(scope="module")
def comparison() -> pd.DataFrame:
    return compare(Project(ROOT), Library(Project(ROOT)))


def test_every_published_cell_has_a_verdict_or_a_reason(comparison: pd.DataFrame) -> None:
    assert list(comparison.columns) == COLUMNS
    assert [tuple(row) for row in comparison[list(KEYS)].to_numpy()] == [one.key for one in CELLS]
    not_run = comparison["verdict"] == "not_run"
    assert ((comparison["needs"] != "") == not_run).all()
    assert (comparison["reproduced"].isna() == not_run).all()
    assert (comparison.loc[~not_run, "run"] != "").all()
    assert set(comparison["verdict"]) <= set(VERDICTS)


def test_a_range_is_of_chromas_search_run_again_or_of_mtebs_equal_scores(
    comparison: pd.DataFrame,
) -> None:
    measured = comparison[comparison["stack_low"].notna()]
    assert (measured["stack_low"] <= measured["stack_high"]).all()
    assert set(measured["work"]) == {"chroma", "mteb"}
    assert (measured.loc[measured["work"] == "chroma", "verdict"] == "within_stack").any()


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
    return compare(Project(folder), made_library(records))


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
        experiment_tables, "read", lambda places, study, table: found.get(study, pd.DataFrame())
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
