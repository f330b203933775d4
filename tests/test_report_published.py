"""A verdict follows from the printed string, the reproduced value and the measured noise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.places import Places
from chunkstudy.published import compare as published
from chunkstudy.published.compare import compare, measured_noise, read_published, verdict
from chunkstudy.published.sources import IN_CORPUS, conditions_of, source_of
from chunkstudy.render import latex
from chunkstudy.studies import results
from tests.test_studies import made_by

ROOT = Path(__file__).parents[1]


def cell(printed: str, unit: str = "percent", state: str = "whole") -> pd.Series:
    decimals = str(len(printed.partition(".")[2]))
    return pd.Series({"printed": printed, "decimals": decimals, "unit": unit, "state": state})


@pytest.mark.parametrize(
    ("printed", "value", "noise", "expected"),
    [
        ("29.9", 29.942, 0.0, "exact"),
        ("29.9", 29.96, 0.0, "deviates"),
        ("29.9", 29.96, 0.02, "within_noise"),
        ("29.9", 35.0, 0.02, "deviates"),
        ("29.9", 25.0, 0.02, "deviates"),
    ],
)
def test_a_verdict_is_two_sided(printed: str, value: float, noise: float, expected: str) -> None:
    assert verdict(cell(printed), value, noise) == expected


def test_printed_sizes_may_be_truncated() -> None:
    assert verdict(cell("312", unit="token"), 312.99, 0.0) == "exact"
    assert verdict(cell("312", unit="token"), 314.2, 0.0) == "deviates"


@pytest.mark.parametrize(("printed", "value"), [("8", 83.4), ("1", 100.0), ("9", 9.4)])
def test_of_a_truncated_cell_only_the_leading_digit_counts(printed: str, value: float) -> None:
    assert verdict(cell(printed, state="leading digit"), value, 0.0) == "exact"
    assert verdict(cell(printed, state="leading digit"), 25.0, 0.0) == "deviates"


def test_every_published_cell_has_a_verdict_or_a_reason() -> None:
    comparison = pd.read_csv(ROOT / "results" / "comparison.csv", dtype=str, keep_default_na=False)
    assert len(comparison) == len(read_published(Places(ROOT)))
    not_run = comparison["verdict"] == "not_run"
    assert (comparison.loc[not_run, "reason"] != "").all()
    assert (comparison.loc[~not_run, ["run", "reproduced"]] != "").all().all()
    assert set(comparison["verdict"]) <= {"exact", "within_noise", "deviates", "not_run"}


def test_the_stored_comparison_is_what_the_records_give() -> None:
    made = compare(Places(ROOT)).to_csv(index=False, lineterminator="\n")
    assert made == (ROOT / "results" / "comparison.csv").read_bytes().decode("utf-8")


def test_noise_without_measurements_is_zero(tmp_path: Path) -> None:
    assert measured_noise(Places(tmp_path)) == 0.0


@given(st.text(max_size=40))
def test_no_text_breaks_out_of_a_latex_cell(text: str) -> None:
    escaped = latex.escape(text)
    bare = escaped.replace(r"\textbackslash{}", "").replace(r"\textasciitilde{}", "")
    bare = bare.replace(r"\textasciicircum{}", "")
    for special in "&%$#_{}":
        assert bare.count(special) == bare.count("\\" + special)


def test_a_macro_name_holds_letters_only() -> None:
    assert latex.macro_name("tokens state_of_the_union 5") == "TokensStateOfTheUnionFive"


TAXONOMY = read_published(Places(ROOT)).query("work == 'taxonomy' and chunker == 'fixed-256'")


def taxonomy_cell(table: str, collection: str) -> pd.Series:
    (cell,) = [
        cell
        for _, cell in TAXONOMY.iterrows()
        if (cell["table"], cell["collection"]) == (table, collection)
        and cell["encoder"] == "nomic-ai/nomic-embed-text-v1"
    ]
    return cell


def comparison_of(
    cell: pd.Series, scores: dict[str, list[float]], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> pd.Series:
    """One cell compared with records whose scores are given by collection and ordering."""
    wanted = conditions_of(source_of(cell))
    read = {one: scores.get(f"{one.collection} {one.ordering[:3]}") for one in wanted}
    library = SimpleNamespace(
        get=lambda one: read.get(replace(one, protocol="as_published-ielab")),
        values=lambda record, measure, part: pd.Series(record),
    )
    monkeypatch.setattr(published, "Library", lambda places: library)
    monkeypatch.setattr(published, "read_published", lambda places: pd.DataFrame([cell]))
    return compare(Places(folder)).iloc[0]


def test_a_cell_of_one_condition_is_the_mean_of_its_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cell = taxonomy_cell("3", "scifact")
    row = comparison_of(cell, {"scifact pre": [0.25, 0.75]}, monkeypatch, tmp_path)
    assert row["run"] == str(source_of(cell))
    assert (row["reproduced"], row["corrected"]) == ("0.50000", "0.50000")
    assert float(row["difference"]) == pytest.approx(0.5 - float(cell["printed"]))
    assert row["verdict"] == "deviates"
    printed = float(cell["printed"])
    row = comparison_of(cell, {"scifact pre": [printed, printed]}, monkeypatch, tmp_path)
    assert row["verdict"] == "exact"


def test_a_change_is_computed_from_both_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cell = taxonomy_cell("4", "scifact")
    both = {"scifact pre": [0.2, 0.6], "scifact con": [0.3, 0.7]}
    row = comparison_of(cell, both, monkeypatch, tmp_path)
    assert row["reproduced"] == "25.000"
    assert row["run"].split("/")[3] == "*"
    del both["scifact pre"]
    row = comparison_of(cell, both, monkeypatch, tmp_path)
    assert row["verdict"] == "not_run"
    assert row["reason"].startswith("computed from 2 conditions, 1 of them missing, first scifact/")


def test_an_average_is_the_mean_of_six_collections_whatever_their_queries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cell = taxonomy_cell("3", "average")
    scores = {f"{name} pre": [0.1 * i] * i for i, name in enumerate(IN_CORPUS, start=1)}
    row = comparison_of(cell, scores, monkeypatch, tmp_path)
    assert row["reproduced"] == "0.35000"
    assert row["run"].startswith("*/fixed-256/")
    change = taxonomy_cell("4", "average")
    scores |= {f"{name} con": [0.1 * i + 0.1] * i for i, name in enumerate(IN_CORPUS, start=1)}
    row = comparison_of(change, scores, monkeypatch, tmp_path)
    of_percentages = sum(100 / i for i in range(1, 7)) / 6
    assert float(row["reproduced"]) == pytest.approx(of_percentages, abs=0.001)


def test_noise_of_a_change_grows_with_what_it_is_divided_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cell = taxonomy_cell("4", "scifact").copy()
    cell["printed"], cell["decimals"] = "25.02", "2"
    monkeypatch.setattr(published, "measured_noise", lambda places: 0.0001)
    both = {"scifact pre": [0.4], "scifact con": [0.5]}
    assert comparison_of(cell, both, monkeypatch, tmp_path)["verdict"] == "within_noise"
    cell["printed"] = "25.10"
    assert comparison_of(cell, both, monkeypatch, tmp_path)["verdict"] == "deviates"


def test_a_sentence_on_berlin_is_compared_once_its_own_model_has_measured_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = read_published(Places(ROOT)).query("table == 'berlin' and ordering == 'contextualized'")
    monkeypatch.setattr(published, "read_published", lambda places: cells)
    stored = results.read(Places(ROOT), "berlin")
    folder = results.folder(Places(tmp_path), "berlin")
    results.write(folder, {"cosines": stored}, made_by(study="berlin"))
    rows = compare(Places(tmp_path))
    assert set(rows["verdict"]) == {"not_run"}
    assert rows["reason"].str.contains("jina-embeddings-v2-base-en").all()
    assert rows["reason"].str.endswith("then run `chunkstudy study berlin`").all()
    own = pd.DataFrame(
        [
            ("jinaai/jina-embeddings-v2-base-en", chunk, 0.1, float(printed), 0.2)
            for chunk, printed in zip(cells["chunker"], cells["printed"], strict=True)
        ],
        columns=stored.columns,
    )
    both = pd.concat([stored, own], ignore_index=True)
    results.write(folder, {"cosines": both}, made_by(study="berlin"))
    rows = compare(Places(tmp_path))
    assert set(rows["verdict"]) == {"exact"}
    assert set(rows["corrected"]) == {"0.20000"}
