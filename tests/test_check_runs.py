"""A record and the same condition run again: what agrees, and what is told where it does not; where
the encoder is not here, chunks and scores are held against it, vectors are not."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Span
from chunkstudy.runs import records
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.run import evaluate
from chunkstudy.runs.store import VectorStore
from tests import check_runs, small_study
from tests.check_runs import DIFFERENT, NOT_CHECKED, against_record, without_vectors

SPANS = Condition("builtin", "recursive-200-0", MINILM, "pre_embedding", "corrected")
DOCUMENTS = Condition("builtin-graded", "sentence-5", MINILM, "pre_embedding", "corrected")
CLUSTERED = Condition("builtin", "cluster-200", MINILM, "pre_embedding", "corrected")


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A study of made collections, recorded by an encoder of which nothing else is known."""
    collections = {"builtin": small_study.MANY, "builtin-graded": small_study.GRADED}
    for module in ("rescore", "run"):
        monkeypatch.setattr(f"chunkstudy.runs.{module}.load_collection", collections.__getitem__)
    monkeypatch.setattr(check_runs, "load_collection", collections.__getitem__)
    places = Places(tmp_path)
    for condition in (SPANS, DOCUMENTS, CLUSTERED):
        small_study.write_record(places, condition, collections[condition.collection])
    return places


@pytest.fixture
def recorded(places: Places) -> records.Outcome:
    """What was recorded of the excerpts."""
    return small_study.outcome(places, SPANS, small_study.MANY)


def with_digest(outcome: records.Outcome, digest: str, scores: pd.DataFrame) -> records.Outcome:
    run = outcome.run.model_copy(update={"per_query_sha256": digest})
    return replace(outcome, scores=scores, run=run)


def test_what_is_the_same_says_no_more_than_that(places: Places, recorded: records.Outcome) -> None:
    found = against_record(SPANS, recorded, places.runs)
    assert found == ("equal digest", f"equal digest: {SPANS}")


@pytest.mark.parametrize(("more", "agreement"), [(0.0125, "within tolerance"), (0.03, DIFFERENT)])
def test_another_processors_scores_are_named_with_both_digests_and_their_distance(
    places: Places, recorded: records.Outcome, more: float, agreement: str
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
    places: Places, recorded: records.Outcome
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


def test_where_there_is_no_record_it_says_so(places: Places, recorded: records.Outcome) -> None:
    with pytest.raises(records.RecordError, match="there is no record"):
        against_record(SPANS, recorded, places.runs / "nowhere")


def test_distances_are_of_shares_that_both_have_by_query() -> None:
    ours = pd.DataFrame({"A": [0.5, 1.0], "B": [1.0, 1.0], "TokensRead@5": [9.0, 9.0]}, ["a", "b"])
    theirs = pd.DataFrame({"A": [0.5, 0.0], "TokensRead@5": [1.0, 1.0]}, ["b", "a"])
    assert records.max_difference(ours, theirs) == 0.5


@pytest.mark.parametrize("condition", [SPANS, DOCUMENTS, CLUSTERED])
def test_chunks_and_scores_agree_and_vectors_are_said_not_to_be_checked(
    places: Places, condition: Condition
) -> None:
    agreement, sentence = without_vectors(condition, places.runs)
    assert agreement == NOT_CHECKED
    assert sentence.startswith(f"vectors not checked: {condition}, ")
    chunks = "nor chunks, which an encoder draws" if condition == CLUSTERED else ", the same "
    assert chunks in sentence
    assert "measures as its ranking gives them" in sentence and ", 0 of" not in sentence


@pytest.mark.parametrize("condition", [SPANS, DOCUMENTS], ids=["excerpts", "documents"])
def test_a_score_that_its_ranking_does_not_give_is_named(
    places: Places, condition: Condition
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
def test_other_chunks_or_another_collection_are_named(places: Places, name: str, said: str) -> None:
    changed: dict[str, Any] = {name: "0" * 64}
    small_study.change(places, SPANS, **changed)
    agreement, sentence = without_vectors(SPANS, places.runs)
    assert agreement == DIFFERENT and f"{SPANS}, {said}" in sentence


def test_a_torn_record_is_different_and_a_ranking_may_be_elsewhere(places: Places) -> None:
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
