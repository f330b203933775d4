"""The table that advice follows from is what the records say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.library import Library
from chunkstudy.studies.which_chunker import (
    READ,
    ranking,
)

ROOT = Places(Path(__file__).parents[1])
LIBRARY = Library(ROOT)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return ranking(LIBRARY, facts.read(ROOT, covid_qa.WITHIN))


def test_a_score_is_the_mean_of_its_collections_means(table: pd.DataFrame) -> None:
    rows = table[(table["task"] == "in-corpus") & (table["ordering"] == PRE_EMBEDDING)]
    rows = rows[(rows["chunker"] == "sentence-5") & (rows["window"] == 512)]
    row = rows[rows["encoder"] == parse_encoder(MINILM_512).model].iloc[0]
    means = []
    for name in row["collections"].split(", "):
        record = LIBRARY.get(
            Condition(name, "sentence-5", MINILM_512, PRE_EMBEDDING, CORRECTED.name)
        )
        assert record is not None
        means.append(record.wide["nDCG@10"].mean())
    assert row["score"] == pytest.approx(np.mean(means))


def test_the_best_trails_nothing_and_a_reader_gets_five_chunks(table: pd.DataFrame) -> None:
    best = table.groupby(["task", "collections", "encoder"], sort=False).head(1)
    assert (best["difference"] == 0).all() and (best["behind"] == "").all()
    others = table.drop(best.index)
    assert (others["difference"] <= 0).all()
    assert ((others["behind"] == "yes") == (others["p_holm"] < 0.05)).all()
    windows = table[(table["task"] == "excerpts") & (table["chunker"] == "token-250-0")]
    assert windows[READ].to_numpy() == pytest.approx(1250, rel=0.02)
