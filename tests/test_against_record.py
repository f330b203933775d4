"""A record and the same condition run again: what agrees, and what is told where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Span
from chunkstudy.runs import records
from chunkstudy.runs.against_record import Comparison, apart, compare_to_record
from chunkstudy.runs.chunking import build_chunker
from chunkstudy.runs.run import Outcome, evaluate
from chunkstudy.runs.store import VectorStore
from tests import small_study

CONDITION = small_study.condition()
MEASURE = "SpanRecall@5"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


@pytest.fixture
def recorded(places: Places) -> Outcome:
    return small_study.write_record(places, CONDITION, small_study.MANY)


def held(places: Places, outcome: Outcome) -> Comparison:
    return compare_to_record(CONDITION, outcome, places.runs)


def scored(outcome: Outcome, query: str, more: float) -> Outcome:
    """The same with another score of one query."""
    here = outcome.scores.index == query
    scores = outcome.scores.assign(**{MEASURE: outcome.scores[MEASURE] + more * here})
    digest = records.scores_sha256(scores)
    run = outcome.run.model_copy(update={"per_query_sha256": digest})
    return replace(outcome, scores=scores, run=run)


def test_what_is_the_same_says_no_more_than_that(places: Places, recorded: Outcome) -> None:
    assert str(held(places, recorded)) == f"equal digest: {CONDITION}"


def test_another_processors_scores_are_named_with_both_digests_and_their_distance(
    places: Places, recorded: Outcome
) -> None:
    other = scored(recorded, "q1", 0.0125)
    found = held(places, other)
    digests = (recorded.run.per_query_sha256, other.run.per_query_sha256)
    assert (found.recorded, found.here) == digests
    assert str(found) == (
        f"within tolerance: {CONDITION}, scores {digests[0][:12]} recorded and {digests[1][:12]} "
        "here, means at most 0.003125 apart"
    )


def test_means_beyond_the_tolerance_are_different(places: Places, recorded: Outcome) -> None:
    assert held(places, scored(recorded, "q1", 0.03)).agreement == "different"


def test_a_boundary_moved_by_one_character_is_named_though_no_score_moves(
    places: Places, recorded: Outcome
) -> None:
    chunker = build_chunker(CONDITION.chunker, CORRECTED)

    def shifted(text: str) -> list[Span]:
        first, *others = chunker(text)
        return [(first[0], first[1] - 1), *((one[0], one[1]) for one in others)]

    store = VectorStore(small_study.Letters(), places.build / "letters")
    moved = evaluate(CONDITION, small_study.MANY, store, shifted)
    moved = replace(moved, scores=recorded.scores, run=moved.run.model_copy(
        update={"per_query_sha256": recorded.run.per_query_sha256}
    ))  # fmt: skip
    found = held(places, moved)
    assert found.agreement == "different" and "chunks_sha256" in found.other
    assert str(found).startswith(f"different: {CONDITION}; other chunks_sha256")


def test_where_there_is_no_record_it_says_so(places: Places, recorded: Outcome) -> None:
    with pytest.raises(records.RecordError, match="there is no record"):
        compare_to_record(CONDITION, recorded, places.runs / "nowhere")


def test_distances_are_of_shares_that_both_have_by_query() -> None:
    ours = pd.DataFrame({"A": [0.5, 1.0], "B": [1.0, 1.0], "TokensRead@5": [9.0, 9.0]}, ["a", "b"])
    theirs = pd.DataFrame({"A": [0.5, 0.0], "TokensRead@5": [1.0, 1.0]}, ["b", "a"])
    assert apart(ours, theirs) == 0.5
