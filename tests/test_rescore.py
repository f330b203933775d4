"""Another measure comes from kept rankings, and is what scoring would have given."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.commands.cli import app
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures import first_hit
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.runs import rankings, records, rescore
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.library import Library
from tests.small_study import GRADED, MANY, condition, write_record

ROOT = Path(__file__).parents[1]
SPANS = condition()
DOCUMENTS = condition(collection="builtin-graded")
SPAN_MEASURES = ("SpanRecall@5", "SpanIoU@10", "SpanF1@10", "SpanPrecision(unit=token)@5")
"""The last under the corrected protocol alone."""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A study of two records, one of ranked chunks and one of ranked documents."""
    known = {"builtin": MANY, "builtin-graded": GRADED}
    monkeypatch.setattr(rescore, "load_collection", known.__getitem__)
    made = Places(tmp_path)
    write_record(made, SPANS, MANY)
    write_record(made, DOCUMENTS, GRADED)
    return made


def computed(places: Places, one: Condition, measure: str) -> pd.Series:
    """A measure from a record's ranking."""
    record = records.read(places.runs, one)
    ranking = record.ranking()
    assert ranking is not None
    return rescore.values(record.run, measure, ranking)


def test_a_new_measure_of_documents_is_that_of_their_judgments(places: Places) -> None:
    values = computed(places, DOCUMENTS, "P(rel=2)@2")
    ranking = records.read(places.runs, DOCUMENTS).ranking()
    assert ranking is not None
    good = {(j.query, j.document) for j in GRADED.judgments if j.grade == 2}
    for i, query in enumerate(GRADED.queries):
        top = ranking[ranking["query"] == i]["document"].head(2)
        hits = sum((query.id, GRADED.documents[d].id) in good for d in top)
        assert values[query.id] == hits / 2


@pytest.mark.parametrize(
    ("collection", "measures", "count"),
    [("builtin-graded", ("nDCG@10", "R@10"), 14), ("builtin", SPAN_MEASURES, 15)],
)
def test_stored_rankings_give_the_stored_scores(
    collection: str, measures: tuple[str, ...], count: int
) -> None:
    """Those of kamradt-modified-300 are not kept: its boundaries hang on the machine's rounding."""
    checked = 0
    for one, record in Library(Places(ROOT)).items():
        ranking = record.ranking() if one.collection == collection else None
        if ranking is None:
            continue
        checked += 1
        for measure in filter(record.wide.__contains__, measures):
            values = rescore.values(record.run, measure, ranking).reindex(record.wide.index)
            np.testing.assert_allclose(values, record.wide[measure], atol=5.1e-7)
    assert checked >= count


def test_dcg_of_the_first_hit_comes_from_the_flags_kept() -> None:
    """Against the measure itself, over random rankings, chunks and answers."""
    rng = np.random.default_rng(7)
    queries, count = 4, 60
    order = np.stack([rng.permutation(count) for _ in range(queries)])
    score = -np.sort(rng.random((queries, count)).astype(np.float32), axis=1)
    found = retrieval.Ranking(order, score)
    place = np.arange(count)
    spans = Chunks(np.zeros(count, dtype=np.int64), 10 * place, 10 * place + 10)
    relevant = [np.sort(rng.choice(place, size=n, replace=False)) for n in (1, 2, 5, 0)]
    ranking = rankings.of_chunks(found, spans, relevant)
    assert (ranking.groupby("query").size() == rankings.DEPTH).all()
    for cut in (1, 3, 10, 20):
        expected = first_hit.dcg_first_hit(found, relevant, cut)
        got = rescore.of_chunks(MANY, SPANS, f"DCG@{cut}", ranking)
        np.testing.assert_allclose(got.to_numpy(), expected)


@pytest.mark.parametrize(
    ("one", "measure", "sentence"),
    [
        (SPANS, "nDCG@5", "keeps ranked chunks, which do not give nDCG@5; use SpanRecall@k"),
        (SPANS, "DCG@3", "do not give DCG@3"),
        (SPANS, "Ceiling(DCG@10)", "do not give Ceiling"),
        (SPANS, "SpanRecall@30", "reads 30 chunks and 20 are kept"),
        (DOCUMENTS, "AP", "name a cut-off, such as AP@20"),
        (DOCUMENTS, "nDCG@100", "holds 20 documents and nDCG@100 needs more"),
        (DOCUMENTS, "SpanRecall@3", "not the name of a measure"),
    ],
)
def test_a_measure_that_the_ranking_does_not_give_is_refused(
    places: Places, one: Condition, measure: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        computed(places, one, measure)


def test_another_collection_than_the_recorded_one_is_refused(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Collection("builtin", MANY.documents, MANY.queries, MANY.judgments[1:])
    monkeypatch.setattr(rescore, "load_collection", lambda name: other)
    with pytest.raises(rescore.RescoreError, match="not the one of"):
        computed(places, SPANS, "SpanRecall@3")


def test_what_is_exported_is_what_was_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Places(ROOT)
    record = Library(root).get(SPANS)
    assert record and record.run.ranking
    monkeypatch.chdir(root.root)
    done = CliRunner().invoke(app, ["export", "--trec", str(tmp_path), "--only", str(SPANS)])
    assert done.exit_code == 0 and "rankings of 1 conditions" in done.output
    folder = tmp_path / SPANS.collection
    (run,) = folder.glob("*.chunks.run")
    qrels = list(ir_measures.read_trec_qrels(f"{run}"[:-3] + "qrels"))
    success = ir_measures.parse_measure("Success@5")
    ranked = list(ir_measures.read_trec_run(str(run)))
    found = {one.query_id: one.value for one in ir_measures.iter_calc([success], qrels, ranked)}
    recall = record.wide["SpanRecall@5"]
    assert {query for query, value in found.items() if value} == set(recall[recall > 0].index)
    documents = next(folder.glob("*.documents.run")).read_text(encoding="utf-8").splitlines()
    assert len({tuple(line.split()[:3]) for line in documents}) == len(documents)


@given(st.text(max_size=20))
def test_a_name_holds_no_white_space_and_can_be_read_back(text: str) -> None:
    from urllib.parse import unquote

    written = trec.name(text)
    assert len(written.split()) <= 1 and unquote(written) == text
