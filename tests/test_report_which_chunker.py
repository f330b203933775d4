"""Advice follows from the table, and the table from the records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis.which_chunker import advice, which_chunker
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import OWN, PRE, WIDE
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published.compare import read_published

ROOT = Places(Path(__file__).parents[1])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    cost = pd.read_csv(ROOT.tables / "chroma_cost.csv")
    return which_chunker(Library(ROOT), read_published(ROOT), cost)


def test_every_task_is_ranked_from_its_best_down(table: pd.DataFrame) -> None:
    assert list(dict.fromkeys(table["task"])) == ["excerpts", "in-corpus", "in-document"]
    for _, group in table.groupby("task"):
        scores = group["score"].astype(float).to_numpy()
        assert (np.diff(scores) <= 0).all()
        assert group["difference"].astype(float).iloc[0] == 0
        assert (group["difference"].astype(float) <= 0).all()
        assert group["behind"].iloc[0] == ""


def test_a_score_is_the_mean_of_its_collections_means(table: pd.DataFrame) -> None:
    rows = table[(table["task"] == "in-corpus") & (table["ordering"] == PRE)]
    row = rows[rows["chunker"] == "sentence-5"].iloc[0]
    library = Library(ROOT)
    means = []
    for name in row["collections"].split(", "):
        record = library.get(Condition(name, "sentence-5", WIDE, PRE, OWN))
        assert record is not None
        means.append(100 * record.wide["nDCG@10"].mean())
    assert float(row["score"]) == pytest.approx(np.mean(means), abs=0.051)


def test_advice_names_the_best_and_counts_who_is_behind(table: pd.DataFrame) -> None:
    for row in advice(table).to_dict("records"):
        group = table[table["task"] == row["task"]]
        assert str(row["advice"]).startswith(str(group["chunker"].iloc[0]))
        behind = int((group["behind"] == "yes").sum())
        assert str(row["how sure"]).startswith(str(behind) if behind else "none")
