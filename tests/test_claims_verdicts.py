"""A dozen verdicts recomputed from the printed files by other means."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import pandas as pd
import pytest

from chunkstudy.claims import (
    chroma_collection,
    chroma_main,
    chroma_own,
    jina_first_post,
    jina_second_post,
    ledger,
    taxonomy_arithmetic,
    taxonomy_contextualized,
    taxonomy_in_corpus,
    taxonomy_in_document,
    tutorial,
)
from chunkstudy.claims.evidence import Evidence
from chunkstudy.claims.verdicts import Finding, Readings
from chunkstudy.grid import facts
from chunkstudy.places import Places
from tests.test_claims_ledger import COMPARISON, EVIDENCE, ROOT, TABLES

Row = dict[str, str]


def printed(work: str, **keys: str) -> list[Row]:
    with (ROOT / "results" / "published" / f"{work}.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[k] == v for k, v in keys.items())]


def number(work: str, **keys: str) -> float:
    (row,) = printed(work, **keys)
    return float(row["printed"])


def one(found: Readings) -> Finding:
    assert isinstance(found, Finding)
    return found


def both(found: Readings) -> tuple[str, str]:
    assert isinstance(found, tuple)
    strict, charitable = found
    return strict.verdict, charitable.verdict


def test_c01_the_gap_of_recall() -> None:
    cells = printed("chroma", table="main", measure="SpanRecall@5", statistic="mean")
    recall = [float(row["printed"]) for row in cells]
    gap = max(recall) - min(recall)
    assert gap < 8.5 and 9 <= 100 * gap / min(recall) < 10
    assert both(chroma_main.recall_gap(EVIDENCE)) == ("contradicted", "holds")


def test_c22_a_mean_above_the_limit_breaks_it() -> None:
    size = number("chroma", table="main", chunker="kamradt-modified-300", measure="chunk size")
    assert size > 300
    assert one(chroma_own.limit_bounds_the_largest_chunk(EVIDENCE)).verdict == "contradicted"


def test_c07_the_caption_counts_other_queries() -> None:
    queries = facts.read(Places(ROOT), "chroma")
    assert len(queries) == 472
    assert one(chroma_collection.queries_in_the_caption(EVIDENCE)).verdict == "contradicted"


def test_c02_precision_omega_of_sixteen_cells() -> None:
    cells = COMPARISON[
        (COMPARISON["measure"] == "PrecisionOmega")
        & COMPARISON["chunker"].str.contains("recursive|token")
    ]
    apart = (cells["reproduced"].astype(float) - cells["published"].astype(float)).abs()
    assert len(cells) == 16 and apart.max() <= 0.0501
    assert one(chroma_collection.omega_of_heuristic_rows(EVIDENCE)).verdict == "holds"


def test_c61_quora_does_not_improve() -> None:
    cells = {
        (row["collection"], row["ordering"]): float(row["printed"])
        for row in printed("jina", table="beir", chunker="fixed-256")
    }
    gains = {
        name: cells[name, "contextualized"] - cells[name, "pre_embedding"]
        for name, ordering in cells
        if ordering == "contextualized"
    }
    assert gains["quora"] == 0 and all(g > 0 for n, g in gains.items() if n != "quora")
    assert both(jina_first_post.late_improves_everywhere(EVIDENCE)) == ("partly", "holds")


def test_c131_three_of_36_cells_do_not_gain() -> None:
    cells = {
        (row["encoder"], row["chunker"], row["collection"], row["ordering"]): float(row["printed"])
        for row in printed("jina", table="combinations")
    }
    gains = [
        value - cells[(*key[:3], "pre_embedding")]
        for key, value in cells.items()
        if key[3] == "contextualized"
    ]
    assert len(gains) == 36 and sum(gain <= 0 for gain in gains) == 3
    found = jina_second_post.every_model_profits(EVIDENCE)
    assert isinstance(found, tuple) and found[0].figures.startswith("33 of 36")


def test_c132_a_weaker_model_wins_on_trec_covid() -> None:
    keys = {"table": "combinations", "collection": "trec-covid", "chunker": "fixed-256"}
    late = number("jina", **keys, encoder="nomic-ai/nomic-embed-text-v1", ordering="contextualized")
    naive = number("jina", **keys, encoder="jinaai/jina-embeddings-v3", ordering="pre_embedding")
    assert late > naive
    found = both(jina_second_post.late_never_lifts_a_weaker_model(EVIDENCE))
    assert found == ("contradicted", "holds")


def test_x11_rows_of_two_kinds_of_boundaries_are_equal() -> None:
    cells = {
        (row["encoder"], row["ordering"], row["chunker"], row["collection"]): row["printed"]
        for row in printed("jina", table="combinations")
    }
    equal = [
        key
        for key, value in cells.items()
        if key[2] == "sentence-5" and cells[(*key[:2], "semantic", key[3])] == value
    ]
    assert len(equal) == 11
    assert both(jina_second_post.boundaries_were_varied(EVIDENCE)) == ("partly", "holds")


def test_c83_propositions_are_best_in_one_cell() -> None:
    cells = printed("taxonomy", table="3")
    ranks = []
    for row in cells:
        if row["chunker"] != "proposition" or row["collection"] in ("gutenqa", "average"):
            continue
        rivals = [
            float(other["printed"])
            for other in cells
            if other["encoder"] == row["encoder"]
            and other["collection"] == row["collection"]
            and other["chunker"] not in ("average", "proposition")
        ]
        ranks.append(1 + sum(rival > float(row["printed"]) for rival in rivals))
    assert len(ranks) == 24 and ranks.count(6) == 21 and ranks.count(1) == 1
    assert both(taxonomy_in_corpus.proposition_is_worst(EVIDENCE)) == ("partly", "holds")


@pytest.mark.parametrize(
    ("method", "last", "computation"),
    [
        ("paragraph", 3, taxonomy_in_document.paragraph_drops),
        ("proposition", 4, taxonomy_in_document.proposition_is_second_to_fourth),
    ],
)
def test_c96_and_c97_ranks_on_gutenqa(method: str, last: int, computation: object) -> None:
    table = pd.DataFrame(printed("taxonomy", table="3", collection="gutenqa"))
    table = table[table["chunker"] != "average"].astype({"printed": float})
    places = table.assign(rank=table.groupby("encoder")["printed"].rank(ascending=False))
    ranks = places.loc[places["chunker"] == method, "rank"]
    assert ranks.between(2, last).all()
    assert computation(EVIDENCE).verdict == "holds"  # type: ignore[operator]


def test_c101_averages_are_means_of_percentages() -> None:
    rows = printed("taxonomy", table="4", chunker="proposition")
    e5 = {
        row["collection"]: float(row["printed"])
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
    assert both(taxonomy_arithmetic.averages_of_table_4(EVIDENCE)) == ("partly", "holds")


def test_c108_three_configurations_gain_within_documents() -> None:
    rows = printed("taxonomy", table="4", collection="gutenqa")
    gains = [r for r in rows if r["chunker"] != "average" and float(r["printed"]) > 0]
    assert len(gains) == 3
    assert both(taxonomy_in_document.degrades_within_documents(EVIDENCE)) == ("partly", "holds")


def test_c112_the_model_with_the_short_window_does_not_gain_least() -> None:
    average = {
        row["encoder"]: float(row["printed"])
        for row in printed("taxonomy", table="4", collection="average", chunker="average")
    }
    short = average.pop("intfloat/multilingual-e5-large-instruct")
    assert short > mean(average.values())
    found = taxonomy_contextualized.window_explains_the_difference(EVIDENCE)
    assert isinstance(found, tuple) and found[1].verdict == "contradicted"


def test_c128_and_c129_the_worked_example() -> None:
    assert round((1 / 2 + 1 + 1 / 3) / 3, 3) == 0.611 and 3 / 6 == 0.5
    assert one(tutorial.macro_of_the_example(EVIDENCE)).verdict == "holds"
    assert one(tutorial.micro_of_the_example(EVIDENCE)).verdict == "holds"


def test_a_changed_cell_changes_its_verdict(tmp_path: Path) -> None:
    """LumberChunker's best score on GutenQA, made its worst."""
    folder = tmp_path / "results" / "published"
    folder.mkdir(parents=True)
    for path in (ROOT / "results" / "published").glob("*.csv"):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(text.replace("0.6016", "0.1016"), encoding="utf-8")
    changed = Evidence(Places(tmp_path), COMPARISON, TABLES)
    assert taxonomy_in_document.lumber_is_best_on_gutenqa(changed).verdict == "partly"


def test_every_computation_answers_one_claim_or_several_alike() -> None:
    claims = ledger.read_claims()
    found = ledger.settle(claims, ledger.computations(), EVIDENCE)
    assert set(found["id"]) == {claim.id for claim in claims}
