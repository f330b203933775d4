"""A verdict follows from the published string, the reproduced value and the measured noise."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pandas as pd
import pytest

from chunkstudy import derive
from chunkstudy.grid.conditions import NONE, Condition
from chunkstudy.places import Places
from chunkstudy.published import compare as published
from chunkstudy.published import sources
from chunkstudy.published.cells import KEYS, Cell, read
from chunkstudy.published.compare import COLUMNS, Library, compare, measured_noise, verdict
from chunkstudy.published.sources import IN_CORPUS, Source, Work, conditions_of, source_of

ROOT = Path(__file__).parents[1]
CELLS = read(Places(ROOT))
NOMIC = "nomic-ai/nomic-embed-text-v1"
VERDICTS = {
    ("chroma", "main"): (20, 0, 93, "eb78556bca281154"),
    ("chroma", "minilm"): (12, 17, 0, "9fb40f28098a91b2"),
    ("chroma", "appendix"): (254, 29, 401, "3c0759a1bf911b3c"),
    ("jina", "berlin"): (0, 0, 6, "999831761ff26d2a"),
    ("jina", "beir"): (0, 0, 20, "9c7202b2c59d0f82"),
    ("jina", "combinations"): (0, 0, 72, "6791808ecc17d2d8"),
    ("taxonomy", "1"): (0, 0, 8, "ede2f356d9f2740f"),
    ("taxonomy", "2"): (0, 0, 48, "5255da6b4314c8b9"),
    ("taxonomy", "3"): (0, 0, 224, "a410d1dcb7b28143"),
    ("taxonomy", "5"): (0, 0, 224, "b24701eab2d47dd0"),
    ("taxonomy", "4"): (0, 0, 224, "b6ca0850f2d426fa"),
    ("taxonomy", "figure 2, text"): (0, 0, 12, "4087f56e916b5376"),
    ("taxonomy", "figure 2, repository"): (0, 0, 72, "3b8bf917d0c5ec5f"),
}
"""Of each table how many cells are exact, deviate and were not run, and a digest of every key and
verdict, taken while cells were still compared as text."""


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


def cell(text: str, unit: str = "percent", state: str = "whole") -> Cell:
    whole = state == "whole"
    changed = {
        "published": text,
        "decimals": len(text.partition(".")[2]) if whole else None,
        "unit": unit,
        "state": state,
    }
    return Cell.model_validate(CELLS[0].model_dump() | changed)


@pytest.mark.parametrize(
    ("text", "value", "noise", "expected"),
    [
        ("29.9", 29.942, 0.0, "exact"),
        ("29.9", 29.96, 0.0, "deviates"),
        ("29.9", 29.96, 0.02, "within_noise"),
        ("29.9", 35.0, 0.02, "deviates"),
        ("29.9", 25.0, 0.02, "deviates"),
    ],
)
def test_a_verdict_is_two_sided(text: str, value: float, noise: float, expected: str) -> None:
    assert verdict(cell(text), value, noise) == expected


def test_published_sizes_may_be_truncated() -> None:
    assert verdict(cell("312", unit="token"), 312.99, 0.0) == "exact"
    assert verdict(cell("312", unit="token"), 314.2, 0.0) == "deviates"


@pytest.mark.parametrize(("text", "value"), [("8", 83.4), ("1", 100.0), ("9", 9.4)])
def test_of_a_truncated_cell_only_the_leading_digit_counts(text: str, value: float) -> None:
    assert verdict(cell(text, state="leading digit"), value, 0.0) == "exact"
    assert verdict(cell(text, state="leading digit"), 25.0, 0.0) == "deviates"


def test_every_published_cell_has_a_verdict_or_a_reason(comparison: pd.DataFrame) -> None:
    assert list(comparison.columns) == COLUMNS
    assert [tuple(row) for row in comparison[list(KEYS)].to_numpy()] == [one.key for one in CELLS]
    not_run = comparison["verdict"] == "not_run"
    assert ((comparison["reason"] != "") == not_run).all()
    assert (comparison["reproduced"].isna() == not_run).all()
    assert (comparison.loc[~not_run, "run"] != "").all()
    assert set(comparison["verdict"]) <= {"exact", "within_noise", "deviates", "not_run"}


@pytest.mark.parametrize("table", VERDICTS)
def test_no_verdict_changes_by_accident(table: tuple[str, str], comparison: pd.DataFrame) -> None:
    rows = comparison[(comparison["work"] == table[0]) & (comparison["table"] == table[1])]
    counts = [int((rows["verdict"] == one).sum()) for one in ("exact", "deviates", "not_run")]
    text = "\n".join(",".join(map(str, row)) for row in rows[[*KEYS, "verdict"]].to_numpy())
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    assert (*counts, digest) == VERDICTS[table]


def test_the_stored_comparison_is_what_the_records_give(comparison: pd.DataFrame) -> None:
    predicted = derive.predicted(Places(ROOT), comparison)
    made = predicted.to_csv(index=False, lineterminator="\n", float_format="%.8g")
    assert made == (ROOT / "results" / "comparison.csv").read_bytes().decode("utf-8")


def test_every_table_is_watched(comparison: pd.DataFrame) -> None:
    assert set(map(tuple, comparison[["work", "table"]].to_numpy())) == set(VERDICTS)


def test_numbers_are_unrounded_and_in_the_unit_of_the_cell(comparison: pd.DataFrame) -> None:
    run = comparison[comparison["verdict"] != "not_run"]
    whole = run[run["state"] == "whole"]
    assert whole["difference"].equals(whole["reproduced"] - whole["value"])
    assert run.loc[run["state"] != "whole", "difference"].isna().all()
    means = run[(run["statistic"] == "mean") & (run["unit"] == "percent")]
    assert ((means["low"] <= means["reproduced"]) & (means["reproduced"] <= means["high"])).all()
    assert run.loc[run["unit"] == "percent", "reproduced"].median() > 10
    assert (means["reproduced"].round(3) != means["reproduced"]).mean() > 0.9


def test_noise_without_measurements_is_zero(tmp_path: Path) -> None:
    assert measured_noise(Places(tmp_path)) == 0.0


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
    assert row["reason"].startswith("computed from 2 conditions, 1 of them missing, first scifact/")


def test_an_average_is_the_mean_of_six_collections_whatever_their_queries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scores = {f"{name} pre": [0.1 * i] * i for i, name in enumerate(IN_CORPUS, start=1)}
    scores |= {f"{name} con": [0.1 * i + 0.1] * i for i, name in enumerate(IN_CORPUS, start=1)}
    cells = [taxonomy_cell("3", "average"), taxonomy_cell("4", "average")]
    average, change = compared(cells, scores, monkeypatch, tmp_path)["reproduced"]
    assert average == pytest.approx(0.35)
    assert change == pytest.approx(sum(100 / i for i in range(1, 7)) / 6)


def test_noise_of_a_change_grows_with_what_it_is_divided_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(published, "measured_noise", lambda places: 0.0001)
    near = taxonomy_cell("4", "scifact").model_copy(update={"published": "25.02"})
    far = near.model_copy(update={"published": "25.10"})
    both = {"scifact pre": [0.4], "scifact con": [0.5]}
    rows = compared([near, far], both, monkeypatch, tmp_path)
    assert list(rows["verdict"]) == ["within_noise", "deviates"]


def test_a_sentence_on_berlin_is_compared_once_its_own_model_has_measured_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cells = [c for c in CELLS if (c.table, c.ordering) == ("berlin", "contextualized")]
    rows = compared(cells, {}, monkeypatch, tmp_path)
    assert set(rows["verdict"]) == {"not_run"}
    assert rows["reason"].str.contains("jina-embeddings-v2-base-en").all()
    assert rows["reason"].str.endswith(" berlin`").all()
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
        "work,table,collection,chunker,encoder,measure,statistic,published,decimals,unit,state,"
        "place\n"
        "own,1,chroma,recursive-200-0,text,PrecisionOmega,mean,29.9,1,percent,whole,row 1\n"
        "own,1,chroma,recursive-400-0,text,PrecisionOmega,mean,17.7,1,percent,whole,row 2\n",
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
    assert list(rows["place"]) == ["row 1", "row 2"]
