"""Advice follows from the table, and the table from the records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis import chroma
from chunkstudy.analysis.paired import EQUIVALENT, SIGNIFICANT
from chunkstudy.analysis.which_chunker import AS_GOOD, ITSELF, advice, which_chunker
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import OWN, PRE, WIDE
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import cells
from tests.made_library import made_library

ROOT = Places(Path(__file__).parents[1])
LIBRARY = Library(ROOT)
PUBLISHED = cells.frame(cells.read(ROOT))
GROUP = ["task", "encoder"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return which_chunker(LIBRARY, PUBLISHED, chroma.cost(LIBRARY))


def test_every_task_is_ranked_from_its_best_down(table: pd.DataFrame) -> None:
    assert list(dict.fromkeys(table["task"])) == ["excerpts", "in-corpus", "in-document"]
    for _, group in table.groupby(GROUP):
        assert (np.diff(group["score"]) <= 0).all()
        assert group["difference"].iloc[0] == 0
        assert (group["difference"] <= 0).all()
        assert group["behind"].iloc[0] == ""
        others = group.iloc[1:]
        assert ((others["behind"] == "yes") == (others["p_holm"] < SIGNIFICANT)).all()


def test_a_score_is_the_mean_of_its_collections_means(table: pd.DataFrame) -> None:
    rows = table[(table["task"] == "in-corpus") & (table["ordering"] == PRE)]
    row = rows[(rows["chunker"] == "sentence-5") & (rows["encoder"] == WIDE)].iloc[0]
    means = []
    for name in row["collections"].split(", "):
        record = LIBRARY.get(Condition(name, "sentence-5", WIDE, PRE, OWN))
        assert record is not None
        means.append(record.wide["nDCG@10"].mean())
    assert row["score"] == pytest.approx(np.mean(means))


def test_advice_names_the_best_and_counts_who_is_behind(table: pd.DataFrame) -> None:
    found = advice(table)
    assert len(found) == len(table[GROUP].drop_duplicates())
    for row in found.to_dict("records"):
        group = table[(table["task"] == row["task"]) & (table["encoder"] == row["encoder"])]
        assert row["chunker"] == group["chunker"].iloc[0]
        assert row["behind"] == (group["behind"] == "yes").sum()
        as_good, open_ = (
            [one for one in row[name].split("; ") if one]
            for name in (AS_GOOD, "not shown to be worse")
        )
        assert row["others"] == row["behind"] + len(as_good) + len(open_)
        equal = group[group["shown"] == EQUIVALENT]
        assert as_good == (equal["chunker"] + " " + equal["ordering"]).tolist()


def test_advice_says_where_parents_are_credited(table: pd.DataFrame) -> None:
    found = advice(table)
    propositions = found["chunker"].str.startswith("proposition")
    assert propositions.any()
    assert ((found["credited"] != ITSELF) == propositions).all()


def test_a_second_model_is_ranked_by_itself() -> None:
    random = np.random.default_rng(0)
    queries = [f"q{i}" for i in range(50)]
    base = random.random(50)
    made = {}
    for encoder, better in ((WIDE, "fixed-256"), ("jinaai__jina-embeddings-v2-small-en", "none")):
        for chunker in ("fixed-256", "none"):
            values = base + 0.2 * (chunker == better) + 0.01 * random.standard_normal(50)
            one = Condition("scifact", chunker, encoder, PRE, OWN)
            made[one] = pd.DataFrame({"nDCG@10": values}, index=queries)
    table = which_chunker(made_library(made), PUBLISHED, pd.DataFrame(columns=["chunker"]))
    best = table.groupby("encoder")["chunker"].first()
    assert best[WIDE] == "fixed-256" and best.drop(WIDE).tolist() == ["none"]
    assert table["behind"].tolist() == ["", "yes", "", "yes"]
