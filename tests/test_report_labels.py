"""Tables of chunk labels: against the collection, the records, and sums written out."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from chunkstudy.analysis.labels import LabelRecords, worked_example
from chunkstudy.chunkers import catalogue
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.store import Role, VectorStore, text_keys
from chunkstudy.measures.chunk_labels import GOLD_RULES, gold_chunks
from chunkstudy.places import Places
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.compare import Library
from chunkstudy.render import labels_answers
from chunkstudy.render.figures import labels as labels_figures
from chunkstudy.retrieval import chunks as retrieval
from chunkstudy.spans import Chunks, Collection, Document, Judgment, Query, chunk_documents
from chunkstudy.statistics import core as statistics
from chunkstudy.studies import labels as study
from chunkstudy.studies import results, runner
from tests.test_studies import MODEL

PLACES = Places(Path(__file__).parents[1])
Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def records() -> LabelRecords:
    found = LabelRecords.read(PLACES)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def made() -> Tables:
    return labels_answers.tables(PLACES)


def test_the_search_is_that_of_the_stored_runs(records: LabelRecords) -> None:
    library = Library(PLACES)
    shared = 0
    for chunker in records.chunkers:
        stored = library.get(Condition("chroma", chunker, MINILM, "pre_embedding", "corrected"))
        if stored is None:
            continue
        shared += 1
        assert stored.run.chunks_sha256 == records.facts.at[chunker, "chunks_sha256"]
        assert stored.run.counts.chunks == records.facts.at[chunker, "chunks"]
        here = records.by_chunker[chunker]
        for measure in ("SpanRecall@5", "SpanPrecision@5", "SpanRecall@10"):
            there = stored.wide[measure]
            assert set(there.index) == set(here.index)
            assert np.allclose(here[measure], there[here.index], rtol=0, atol=1e-6)
    assert shared >= 6


@pytest.mark.parametrize("chunker", ["recursive-400-0", "token-250-125"])
def test_stored_gold_counts_are_those_of_the_collection(
    chunker: str, records: LabelRecords, chroma_collection: Collection
) -> None:
    spans = catalogue.build(chunker, CORRECTED, None)
    chunks = chunk_documents(spans, chroma_collection.documents)
    assert chunks.digest() == records.facts.at[chunker, "chunks_sha256"]
    stored = records.by_chunker[chunker]
    assert list(stored.index) == [query.id for query in chroma_collection.queries]
    for rule in GOLD_RULES:
        gold = gold_chunks(chroma_collection, chunks, rule)
        pairs = set(zip(gold.query.tolist(), gold.chunk.tolist(), strict=True))
        counts = np.bincount([query for query, _ in pairs], minlength=len(stored))
        assert stored[f"gold ({rule})"].tolist() == counts.tolist()


def test_label_counts_of_a_ranking_are_those_of_sets() -> None:
    collection = Collection(
        "letters",
        (Document("d", "abcdefghijkl"),),
        (Query("one", "?"), Query("two", "?")),
        (Judgment("one", "d", 1, 5), Judgment("two", "d", 9, 10)),
    )
    chunks = Chunks(np.zeros(4, int), np.array([0, 3, 6, 9]), np.array([3, 6, 9, 12]))
    order = np.array([[1, 2, 0, 3], [0, 1, 2, 3]])
    padded = np.pad(order, ((0, 0), (0, 6)), constant_values=-1)
    ranking = retrieval.Ranking(padded, np.zeros(padded.shape, np.float32), np.zeros(2, int))
    found = study.label_counts(collection, chunks, ranking).set_index("query")
    assert found["retrieved"].tolist() == [4, 4]
    assert found["gold (any)"].tolist() == [2, 1]
    assert found["gold (majority)"].tolist() == [0, 1]  # two of four characters are no majority
    assert found["gold (whole)"].tolist() == [0, 1]
    assert found["gold (tutorial)"].tolist() == [2, 1]
    assert [found.at["one", f"TP@{cut} (any)"] for cut in study.CUTS] == [1, 2, 2, 2]
    assert [found.at["two", f"TP@{cut} (any)"] for cut in study.CUTS] == [0, 0, 1, 1]
    assert found["SpanRecall@1"].tolist() == [0.5, 0]
    assert found.at["one", "SpanPrecision@3"] == pytest.approx(4 / 9)


class Letters:
    """Counts of letters as vectors; reads a chunk's first window of five."""

    dimension = 26

    def describe(self) -> dict[str, Any]:
        return MODEL | {"id": "letters", "window": 5}

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        return text_keys(texts, role)

    def encode(self, texts: Sequence[str], role: Role = "document") -> NDArray[np.float32]:
        counts = np.array([[t.count(chr(97 + n)) for n in range(26)] for t in texts], np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)


def test_the_study_writes_what_the_tables_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(f"{letter * 3} {letter * 2}" for letter in "abcdefghijklmnop")
    start = text.index("ddd")
    collection = Collection(
        "chroma",
        (Document("d", text),),
        (Query("0", "dd"), Query("1", "zz")),
        (Judgment("0", "d", start, start + 6), Judgment("1", "d", 0, 3)),
    )
    store = VectorStore(Letters(), tmp_path / "vectors")
    monkeypatch.setattr(runner, "load_collection", lambda name: collection)
    monkeypatch.setattr(runner, "load_store", lambda encoder, folder: store)
    monkeypatch.setattr(study, "CHUNKERS", ("token-5-0", "token-20-0"))
    facts = runner.run(Places(tmp_path), "labels")[1]["chunkers"]
    records = LabelRecords.read(Places(tmp_path))
    assert records is not None
    assert records.chunkers == ["token-5-0", "token-20-0"]
    assert records.facts["chunks"].tolist() == facts["chunks"].tolist()
    assert facts["cut by the window"].tolist()[1] > 0
    for chunker in records.chunkers:
        chunks = chunk_documents(
            catalogue.build(chunker, CORRECTED, store.encode), collection.documents
        )
        gold = gold_chunks(collection, chunks)
        of_first = set(gold.chunk[gold.query == 0].tolist())
        share_of_d = store.encode(chunks.texts(collection.documents))[:, 3]
        assert records.counts(chunker, cut=1).true_positives[0] == (
            int(share_of_d.argmax()) in of_first
        )
        assert records.counts(chunker).gold[0] == len(of_first)


def test_every_number_of_the_worked_example_is_met() -> None:
    found = worked_example(PLACES)
    assert len(found) == 22
    assert set(found["agrees"]) == {"yes"}
    macro = found[found["query"] == "macro"]
    assert macro["computed"].tolist() == ["0.611", "0.611"]


def test_a_wrong_printed_number_is_named(tmp_path: Path) -> None:
    path = tmp_path / "results" / "published" / "worked_examples" / "chunk_labels.csv"
    path.parent.mkdir(parents=True)
    cells = PLACES.published / "worked_examples" / "chunk_labels.csv"
    text = cells.read_text(encoding="utf-8").replace("micro,recall,0.5", "micro,recall,0.6")
    path.write_text(text, encoding="utf-8")
    made = labels_answers.tables(Places(tmp_path))
    wrong = made["labels_worked_example"]
    assert wrong[wrong["agrees"] == "no"]["query"].tolist() == ["micro"]
    assert "21 of 22 printed numbers are met; not micro recall." in _finding(made, "worked example")


def test_without_the_study_only_the_example_is_left(tmp_path: Path) -> None:
    shutil.copytree(
        PLACES.published / "worked_examples", tmp_path / "results/published/worked_examples"
    )
    made = labels_answers.tables(Places(tmp_path))
    assert [name for name, table in made.items() if len(table)] == [
        "labels_worked_example",
        "labels_answers",
    ]
    assert made["labels_answers"]["about"].tolist() == ["worked example"]
    assert list(labels_figures.figures(Places(tmp_path))) == []


def test_scores_are_sums_over_the_rows_written_out(made: Tables) -> None:
    stored = results.read(PLACES, "labels", "queries")
    scores = made["labels_scores"]
    for chunker, rule, cut in (("token-50-0", "whole", 3), ("recursive-250-125", "any", 10)):
        rows = stored[stored["chunker"] == chunker]
        tp, gold = rows[f"TP@{cut} ({rule})"], rows[f"gold ({rule})"]
        recall = [t / g if g else 0 for t, g in zip(tp, gold, strict=True)]
        low, high = statistics.bootstrap_interval(recall)
        of_rule = scores[(scores["chunker"] == chunker) & (scores["rule"] == rule)]
        row = of_rule[of_rule["cut"] == cut].iloc[0]
        expected = {
            "precision": (tp / cut).mean(),
            "recall": np.mean(recall),
            "recall low": low,
            "recall high": high,
            "micro precision": tp.sum() / (cut * len(rows)),
            "micro recall": tp.sum() / gold.sum(),
            "skipping recall": np.mean(np.array(recall)[gold.to_numpy() > 0]),
            "best recall": np.mean([min(g, cut) / g if g else 0 for g in gold]),
            "best precision": np.mean([min(g, cut) / cut for g in gold]),
            "SpanRecall": rows[f"SpanRecall@{cut}"].mean(),
        }
        for name, value in expected.items():
            assert float(row[name]) == pytest.approx(100 * value, abs=0.0051), name
        assert row["without gold"] == (gold == 0).sum()


def test_micro_recall_has_the_interval_of_its_own_resamples(made: Tables) -> None:
    stored = results.read(PLACES, "labels", "queries")
    rows = stored[stored["chunker"] == "token-100-0"]
    tp, gold = rows["TP@5 (any)"].to_numpy(), rows["gold (any)"].to_numpy()
    drawn = np.random.default_rng(9).integers(0, len(rows), (4000, len(rows)))
    macro = (tp / gold)[drawn].mean(axis=1)
    micro = tp[drawn].sum(axis=1) / gold[drawn].sum(axis=1)
    row = made["labels_macro_micro"].set_index("chunker").loc["token-100-0"].astype(float)
    for values, name in ((macro, "macro "), (micro, "micro "), (micro - macro, "")):
        low, high = 100 * np.quantile(values, [0.025, 0.975])
        assert row[f"{name}low"] == pytest.approx(low, abs=0.3)
        assert row[f"{name}high"] == pytest.approx(high, abs=0.3)
    assert row["difference"] == pytest.approx(row["micro"] - row["macro"], abs=0.011)


def test_a_difference_in_the_table_is_that_of_the_queries(
    made: Tables, records: LabelRecords
) -> None:
    rows = made["labels_power"]
    row = rows[(rows["a"] == "token-250-125") & (rows["measure"] == "recall")].iloc[0]
    assert row["b"] == "token-250-0"
    a = records.counts("token-250-125").recall
    b = records.counts("token-250-0").recall
    found = statistics.paired_difference(a, b)
    assert float(row["a minus b"]) == pytest.approx(100 * found.mean, abs=0.0051)
    assert float(row["std"]) == pytest.approx(100 * np.std(a - b, ddof=1), abs=0.0051)
    assert int(row["needed"]) < int(row["needed for 5 points"]) < int(row["needed for 2 points"])
    curve = made["labels_power_curve"]
    curve = curve[(curve["a"] == "token-250-125") & (curve["measure"] == "recall")]
    seen = curve.set_index("queries")["seen"].astype(float)
    assert seen[30] < 0.8 < seen[50]  # the formula says 42


def test_on_the_same_text_overlap_loses_by_labels_and_gains_by_spans(made: Tables) -> None:
    text = _finding(made, "overlap")
    assert text.startswith("For token-250-125 overlap is a loss by labels and a gain by spans")
    turned = {**made, "labels_power": made["labels_power"].copy()}
    power = turned["labels_power"]
    power.loc[power["measure"] == "SpanRecall", "p (Holm)"] = "0.2"
    assert _finding({**turned, **_answered(turned)}, "overlap").startswith("Nowhere is overlap")


def test_sentences_turn_with_the_figures(made: Tables) -> None:
    assert "the harder ones here" in _finding(made, "macro and micro")
    table = made["labels_macro_micro"].copy()
    table[["low", "high"]] = [["0.5", "1.5"]] * len(table)
    turned = {**made, "labels_macro_micro": table}
    text = _finding({**turned, **_answered(turned)}, "macro and micro")
    assert "the easier ones, as the tutorial warns" in text
    assert "those without overlap" in _finding(made, "what is gold")


def _answered(made: Tables) -> Tables:
    return {"labels_answers": labels_answers.answers(made)}


def _finding(made: Tables, about: str) -> str:
    found = made["labels_answers"].set_index("about")["finding"]
    return str(found[about])
