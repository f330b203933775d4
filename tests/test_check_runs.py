"""A record and the same condition run again, where the encoder is here, or held by its chunks and
scores alone; scores of a measure are computed again from kept rankings."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.core.errors import RecordError, UserError
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection, Span
from chunkstudy.evaluation import trec
from chunkstudy.evaluation.measures import first_hit
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.pipeline import rankings, records, rescore
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import MINILM, Condition
from chunkstudy.pipeline.record_store import Library
from chunkstudy.pipeline.run import evaluate
from chunkstudy.pipeline.vector_store import VectorStore
from tests import check_runs, small_study
from tests.check_runs import DIFFERENT, NOT_CHECKED, against_record, without_vectors
from tests.small_study import GRADED, MANY

SPANS = Condition("builtin", "recursive-200-0", MINILM, "pre_embedding", "corrected")
DOCUMENTS = Condition("builtin-graded", "sentence-5", MINILM, "pre_embedding", "corrected")
CLUSTERED = Condition("builtin", "cluster-200", MINILM, "pre_embedding", "corrected")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A study of made collections, recorded by an encoder of which nothing else is known."""
    collections = {"builtin": small_study.MANY, "builtin-graded": small_study.GRADED}
    for module in ("rescore", "run"):
        monkeypatch.setattr(
            f"chunkstudy.pipeline.{module}.load_collection", collections.__getitem__
        )
    monkeypatch.setattr(check_runs, "load_collection", collections.__getitem__)
    places = Project(tmp_path)
    for one in (SPANS, DOCUMENTS, CLUSTERED):
        small_study.write_record(places, one, collections[one.collection])
    return places


@pytest.fixture
def recorded(places: Project) -> records.Outcome:
    """What was recorded of the excerpts."""
    return small_study.outcome(places, SPANS, small_study.MANY)


def with_digest(outcome: records.Outcome, digest: str, scores: pd.DataFrame) -> records.Outcome:
    run = outcome.run.model_copy(update={"per_query_sha256": digest})
    return replace(outcome, scores=scores, run=run)


def test_what_is_the_same_says_no_more_than_that(
    places: Project, recorded: records.Outcome
) -> None:
    found = against_record(SPANS, recorded, places.runs)
    assert found == ("equal digest", f"equal digest: {SPANS}")


@pytest.mark.parametrize(("more", "agreement"), [(0.0125, "within tolerance"), (0.03, DIFFERENT)])
def test_another_processors_scores_are_named_with_both_digests_and_their_distance(
    places: Project, recorded: records.Outcome, more: float, agreement: str
) -> None:
    moved = recorded.scores["SpanRecall@5"] + more * (recorded.scores.index == "q1")
    scores = recorded.scores.assign(**{"SpanRecall@5": moved})
    digests = recorded.run.per_query_sha256, records.scores_sha256(scores)
    other = with_digest(recorded, digests[1], scores)
    assert against_record(SPANS, other, places.runs) == (
        agreement,
        f"{agreement}: {SPANS}, scores {digests[0][:12]} recorded and {digests[1][:12]} "
        f"here, means at most {more / 4:.6f} apart",
    )


def test_a_boundary_moved_by_one_character_is_named_though_no_score_moves(
    places: Project, recorded: records.Outcome
) -> None:
    chunker = build_chunker(SPANS.chunker, CORRECTED)

    def shifted(text: str) -> list[Span]:
        first, *others = chunker(text)
        return [(first[0], first[1] - 1), *((one[0], one[1]) for one in others)]

    store = VectorStore(small_study.Letters(), places.build / "letters")
    moved = evaluate(SPANS, small_study.MANY, store, shifted)
    moved = with_digest(moved, recorded.run.per_query_sha256, recorded.scores)
    agreement, sentence = against_record(SPANS, moved, places.runs)
    assert agreement == DIFFERENT
    assert sentence.startswith(f"different: {SPANS}; other chunks_sha256")


def test_where_there_is_no_record_it_says_so(places: Project, recorded: records.Outcome) -> None:
    with pytest.raises(RecordError, match="there is no record"):
        against_record(SPANS, recorded, places.runs / "nowhere")


def test_distances_are_of_shares_that_both_have_by_query() -> None:
    ours = pd.DataFrame({"A": [0.5, 1.0], "B": [1.0, 1.0], "TokensRead@5": [9.0, 9.0]}, ["a", "b"])
    theirs = pd.DataFrame({"A": [0.5, 0.0], "TokensRead@5": [1.0, 1.0]}, ["b", "a"])
    assert records.max_difference(ours, theirs) == 0.5


@pytest.mark.parametrize("condition", [SPANS, DOCUMENTS, CLUSTERED])
def test_chunks_and_scores_agree_and_vectors_are_said_not_to_be_checked(
    places: Project, condition: Condition
) -> None:
    agreement, sentence = without_vectors(condition, places.runs)
    assert agreement == NOT_CHECKED
    assert sentence.startswith(f"vectors not checked: {condition}, ")
    chunks = "nor chunks, which an encoder draws" if condition == CLUSTERED else ", the same "
    assert chunks in sentence
    assert "measures as its ranking gives them" in sentence and ", 0 of" not in sentence


@pytest.mark.parametrize("condition", [SPANS, DOCUMENTS], ids=["excerpts", "documents"])
def test_a_score_that_its_ranking_does_not_give_is_named(
    places: Project, condition: Condition
) -> None:
    scores = records.read(places.runs, condition).scores
    changed = np.where(scores.index == "q1", 0.000002, 0.0)
    scores = scores.assign(**{condition.measure: scores[condition.measure] + changed})
    small_study.change(places, condition, scores)
    agreement, sentence = without_vectors(condition, places.runs)
    assert agreement == DIFFERENT
    assert sentence == f"different: {condition}, its ranking gives another {condition.measure}"


@pytest.mark.parametrize(
    ("name", "said"), [("chunks_sha256", "other chunks: "), ("collection_sha256", "another coll")]
)
def test_other_chunks_or_another_collection_are_named(
    places: Project, name: str, said: str
) -> None:
    changed: dict[str, Any] = {name: "0" * 64}
    small_study.change(places, SPANS, **changed)
    agreement, sentence = without_vectors(SPANS, places.runs)
    assert agreement == DIFFERENT and f"{SPANS}, {said}" in sentence


def test_a_torn_record_is_different_and_a_ranking_may_be_elsewhere(places: Project) -> None:
    records.rankings_path(places.runs, SPANS).unlink()
    assert "no ranking at hand" in without_vectors(SPANS, places.runs)[1]
    records.scores_path(places.runs, SPANS).write_bytes(b"torn")
    assert without_vectors(SPANS, places.runs)[0] == DIFFERENT


def test_the_command_asks_whether_the_encoder_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_runs, "at_hand", lambda model: False)
    monkeypatch.setattr(check_runs, "register", lambda: None)
    chosen = check_runs.recorded("builtin-graded/sentence-5/*/pre_embedding/*")
    assert chosen and {c.collection for c in chosen} == {"builtin-graded"}
    ((agreement, sentence),) = check_runs.held([str(chosen[0])], tmp_path)
    assert agreement == NOT_CHECKED and "vectors not checked" in sentence
    every = check_runs.recorded("")
    assert len(every) == len({(c.collection, c.encoder) for c in every})
    data = "CHUNKSTUDY_DATA" in os.environ
    assert {c.collection for c in every} > {"builtin", "builtin-graded"} or not data


PROJECT = Path(__file__).parents[1]
SPAN_MEASURES = ("SpanRecall@5", "SpanIoU@10", "SpanF1@10", "SpanPrecision(unit=token)@5")
"""The last under the corrected protocol alone."""


def computed(places: Project, one: Condition, measure: str) -> pd.Series:
    """A measure from a record's ranking."""
    record = records.read(places.runs, one)
    ranking = record.ranking()
    assert ranking is not None
    return rescore.values(record.run, measure, ranking)


def test_a_new_measure_of_documents_is_that_of_their_judgments(places: Project) -> None:
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
    for one, record in Library(Project(PROJECT)).items():
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
    places: Project, one: Condition, measure: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        computed(places, one, measure)


def test_another_collection_than_the_recorded_one_is_refused(
    places: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Collection("builtin", MANY.documents, MANY.queries, MANY.judgments[1:])
    monkeypatch.setattr(rescore, "load_collection", lambda name: other)
    with pytest.raises(UserError, match="not the one of"):
        computed(places, SPANS, "SpanRecall@3")


def test_what_is_exported_is_what_was_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Project(PROJECT)
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
