"""The table that advice follows from is what the records, and searches by words, say."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.library import Library
from chunkstudy.runs.parquet import RecordError
from chunkstudy.studies.which_chunker.advice import GROUP, advice
from chunkstudy.studies.which_chunker.ranking import READ, by_words, ranking

ROOT = Places(Path(__file__).parents[1])
LIBRARY, MODEL = Library(ROOT), parse_encoder(MINILM_512).model


@pytest.fixture(scope="module")
def searched() -> pd.DataFrame:
    return by_words(ROOT)


@pytest.fixture(scope="module")
def table(searched: pd.DataFrame) -> pd.DataFrame:
    return ranking(LIBRARY, searched, [MODEL])


def test_a_score_is_the_mean_of_its_record_or_of_its_search(
    table: pd.DataFrame, searched: pd.DataFrame
) -> None:
    rows = table[(table["collection"] == "covid-qa-within") & (table["chunker"] == "sentence-5")]
    scores = rows.set_index(["ordering", "window"])["score"]
    condition = Condition(
        "covid-qa-within", "sentence-5", MINILM_512, PRE_EMBEDDING, CORRECTED.name
    )
    record = LIBRARY.get(condition)
    assert record is not None
    assert scores[PRE_EMBEDDING, 512] == pytest.approx(record.wide["DCG@10"].mean())
    found = searched[(searched["collection"] == "covid-qa-within")]
    found = found[(found["chunker"] == "sentence-5") & (found["system"] == "words")]
    assert len(found) == record.run.counts.queries_scored
    assert scores["words", 0] == pytest.approx(found["value"].mean())
    assert ("both", 512) in scores.index


def test_the_best_trails_nothing_and_a_reader_gets_five_chunks(table: pd.DataFrame) -> None:
    best = table.groupby(GROUP, sort=False).head(1)
    assert (best["difference"] == 0).all() and (best["behind"] == "").all()
    others = table.drop(best.index)
    assert (others["difference"] <= 0).all()
    assert ((others["behind"] == "yes") == (others["p_holm"] < 0.05)).all()
    windows = table[(table["task"] == "excerpts") & (table["chunker"] == "token-250-0")]
    assert windows[READ].to_numpy() == pytest.approx(1250, rel=0.02)
    summed = advice(table)
    assert summed["worse"].sum() == (others["behind"] == "yes").sum()
    assert summed["others"].sum() == len(others)


def test_a_model_without_records_ends_in_one_sentence(searched: pd.DataFrame) -> None:
    with pytest.raises(RecordError, match=f"records of nobody/model .*name one of .*{MODEL}"):
        ranking(LIBRARY, searched, ["nobody/model"])
