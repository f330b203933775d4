"""The table that advice follows from is what the records say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import covid_qa
from chunkstudy.published import cells
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition, parse_encoder
from chunkstudy.runs.library import Library
from chunkstudy.studies.which_chunker import (
    ENCODED,
    OPERATIONS,
    READ,
    Known,
    chunker_costs,
    ranking,
)

ROOT = Places(Path(__file__).parents[1])
LIBRARY = Library(ROOT)
PUBLISHED = cells.frame(cells.read(ROOT))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    sizes, papers = facts.every(ROOT), facts.read(ROOT, covid_qa.WITHIN)
    known = Known(PUBLISHED, chunker_costs.table(LIBRARY), sizes, papers)
    return ranking(LIBRARY, known)


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


def test_cost_counts_overlap_and_windows_once_more(table: pd.DataFrame) -> None:
    of_minilm = table["encoder"].str.contains("MiniLM")
    excerpts = table[(table["task"] == "excerpts") & of_minilm]
    by_arm = excerpts.set_index(["chunker", "ordering", "window"])[ENCODED]
    assert by_arm["token-250-125", PRE_EMBEDDING, 256] == pytest.approx(2, abs=0.02)
    assert by_arm["token-250-0", PRE_EMBEDDING, 256] == pytest.approx(1, abs=0.02)
    late = by_arm["fixed-256", "contextualized-256", 256]
    assert late == pytest.approx(256 / (256 - 64), abs=0.03)
    assert (excerpts[READ] == excerpts["tokens read at 5"]).all()
    assert table.groupby("encoder")[OPERATIONS].nunique().max() == 1
