"""A dozen verdicts recomputed from the printed files by other means."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import pandas as pd
import pytest

from chunkstudy.claims import ledger
from chunkstudy.claims.evidence import Evidence
from chunkstudy.grid import facts
from chunkstudy.places import Places
from tests.test_claims_ledger import COMPARISON, EVIDENCE, ROOT, TABLES

Row = dict[str, str]


def printed(work: str, **keys: str) -> list[Row]:
    rows: list[Row] = []
    for path in sorted((ROOT / "results" / "published").glob(f"{work}*.csv")):
        with path.open(encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return [row for row in rows if all(row[k] == v for k, v in keys.items())]


def number(work: str, **keys: str) -> float:
    (row,) = printed(work, **keys)
    return float(row["published"])


def decided(id: str, evidence: Evidence = EVIDENCE) -> list[str]:
    """The verdicts of a claim's readings, the strict one first."""
    return settled(id, evidence)["verdict"].tolist()


def settled(id: str, evidence: Evidence = EVIDENCE) -> pd.DataFrame:
    works = [
        ledger.Work(work.name, work.selections, [claim for claim in work.claims if claim.id == id])
        for work in ledger.read_works()
    ]
    return ledger.settle(works, evidence)


def test_c01_the_gap_of_recall() -> None:
    cells = printed("chroma", table="main", measure="SpanRecall@5", statistic="mean")
    recall = [float(row["published"]) for row in cells]
    gap = max(recall) - min(recall)
    assert gap < 8.5 and 9 <= 100 * gap / min(recall) < 10
    assert decided("C01") == ["contradicted", "holds"]


def test_c22_a_mean_above_the_limit_breaks_it() -> None:
    size = number("chroma", table="main", chunker="kamradt-modified-300", measure="chunk size")
    assert size > 300
    assert decided("C22") == ["contradicted"]


def test_c07_the_caption_counts_other_queries() -> None:
    queries = facts.read(Places(ROOT), "chroma")
    assert len(queries) == 472
    assert decided("C07") == ["contradicted"]


def test_c02_precision_omega_of_sixteen_cells() -> None:
    cells = COMPARISON[
        (COMPARISON["measure"] == "PrecisionOmega")
        & COMPARISON["chunker"].str.contains("recursive|token")
    ]
    apart = (cells["reproduced"].astype(float) - cells["published"].astype(float)).abs()
    assert len(cells) == 16 and apart.max() <= 0.0501
    assert decided("C02") == ["holds"]


def test_c61_quora_does_not_improve() -> None:
    cells = {
        (row["collection"], row["ordering"]): float(row["published"])
        for row in printed("jina", table="beir", chunker="fixed-256")
    }
    gains = {
        name: cells[name, "contextualized"] - cells[name, "pre_embedding"]
        for name, ordering in cells
        if ordering == "contextualized"
    }
    assert gains["quora"] == 0 and all(g > 0 for n, g in gains.items() if n != "quora")
    assert decided("C61") == ["partly", "holds"]


def test_c131_three_of_36_cells_do_not_gain() -> None:
    cells = {
        (row["encoder"], row["chunker"], row["collection"], row["ordering"]): float(
            row["published"]
        )
        for row in printed("jina", table="combinations")
    }
    gains = [
        value - cells[(*key[:3], "pre_embedding")]
        for key, value in cells.items()
        if key[3] == "contextualized"
    ]
    assert len(gains) == 36 and sum(gain <= 0 for gain in gains) == 3
    assert settled("C131")["figures"][0].startswith("33 of 36")


def test_c132_a_weaker_model_wins_on_trec_covid() -> None:
    keys = {"table": "combinations", "collection": "trec-covid", "chunker": "fixed-256"}
    late = number("jina", **keys, encoder="nomic-ai/nomic-embed-text-v1", ordering="contextualized")
    naive = number("jina", **keys, encoder="jinaai/jina-embeddings-v3", ordering="pre_embedding")
    assert late > naive
    assert decided("C132") == ["contradicted", "holds"]


def test_x11_rows_of_two_kinds_of_boundaries_are_equal() -> None:
    cells = {
        (row["encoder"], row["ordering"], row["chunker"], row["collection"]): row["published"]
        for row in printed("jina", table="combinations")
    }
    equal = [
        key
        for key, value in cells.items()
        if key[2] == "sentence-5" and cells[(*key[:2], "semantic", key[3])] == value
    ]
    assert len(equal) == 11
    assert decided("X11") == ["partly", "holds"]


def test_c83_propositions_are_best_in_one_cell() -> None:
    cells = printed("taxonomy", table="3")
    ranks = []
    for row in cells:
        if row["chunker"] != "proposition" or row["collection"] in ("gutenqa", "average"):
            continue
        rivals = [
            float(other["published"])
            for other in cells
            if other["encoder"] == row["encoder"]
            and other["collection"] == row["collection"]
            and other["chunker"] not in ("average", "proposition")
        ]
        ranks.append(1 + sum(rival > float(row["published"]) for rival in rivals))
    assert len(ranks) == 24 and ranks.count(6) == 21 and ranks.count(1) == 1
    assert decided("C83") == ["partly", "holds"]


@pytest.mark.parametrize(
    ("method", "last", "id"),
    [
        ("paragraph", 3, "C96"),
        ("proposition", 4, "C97"),
    ],
)
def test_c96_and_c97_ranks_on_gutenqa(method: str, last: int, id: str) -> None:
    table = pd.DataFrame(printed("taxonomy", table="3", collection="gutenqa"))
    table = table[table["chunker"] != "average"].astype({"published": float})
    places = table.assign(rank=table.groupby("encoder")["published"].rank(ascending=False))
    ranks = places.loc[places["chunker"] == method, "rank"]
    assert ranks.between(2, last).all()
    assert decided(id) == ["holds"]


def test_c101_averages_are_means_of_percentages() -> None:
    rows = printed("taxonomy", table="4", chunker="proposition")
    e5 = {
        row["collection"]: float(row["published"])
        for row in rows
        if row["encoder"].endswith("instruct")
    }
    six = [value for name, value in e5.items() if name not in ("gutenqa", "average")]
    assert mean(six) == pytest.approx(e5["average"], abs=0.011)
    keys = {"chunker": "proposition", "collection": "average"}
    encoder = "intfloat/multilingual-e5-large-instruct"
    before = number("taxonomy", table="3", encoder=encoder, **keys)
    after = number("taxonomy", table="5", encoder=encoder, **keys)
    assert 100 * (after / before - 1) < e5["average"] - 9
    assert decided("C101") == ["partly", "holds"]


def test_c108_three_configurations_gain_within_documents() -> None:
    rows = printed("taxonomy", table="4", collection="gutenqa")
    gains = [r for r in rows if r["chunker"] != "average" and float(r["published"]) > 0]
    assert len(gains) == 3
    assert decided("C108") == ["partly", "holds"]


def test_c112_the_model_with_the_short_window_does_not_gain_least() -> None:
    average = {
        row["encoder"]: float(row["published"])
        for row in printed("taxonomy", table="4", collection="average", chunker="average")
    }
    short = average.pop("intfloat/multilingual-e5-large-instruct")
    assert short > mean(average.values())
    assert decided("C112")[1] == "contradicted"


def test_c128_and_c129_the_worked_example() -> None:
    assert round((1 / 2 + 1 + 1 / 3) / 3, 3) == 0.611 and 3 / 6 == 0.5
    assert decided("C128") == ["holds"]
    assert decided("C129") == ["holds"]


def test_a_changed_cell_changes_its_verdict(tmp_path: Path) -> None:
    """LumberChunker's best score on GutenQA, made its worst."""
    folder = tmp_path / "results" / "published"
    folder.mkdir(parents=True)
    for path in (ROOT / "results" / "published").glob("*.csv"):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(text.replace("0.6016", "0.1016"), encoding="utf-8")
    changed = Evidence(Places(tmp_path), COMPARISON, TABLES)
    assert decided("C94", changed) == ["partly"]


def test_sentences_that_the_printed_tables_contradict_are_judged_once() -> None:
    cells = [
        float(row["published"])
        for row in printed("taxonomy", table="3", collection="arguana", chunker="proposition")
    ]
    assert sorted(0.29 <= round(cell, 2) <= 0.36 for cell in cells) == [False, True, True, True]
    assert decided("X33") == ["partly"]
    figure = printed("taxonomy", table="figure 2, repository", collection="beir")
    v3 = [float(row["published"]) for row in figure if row["encoder"].endswith("-v3")]
    assert min(v3) < 0.08
    assert decided("C116")[0] == "contradicted"
