"""Advice follows from the table, and the table from the records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.statistics.differences import EQUIVALENT, OVER_DOCUMENTS
from chunkstudy.published import cells
from chunkstudy.runs import chunker_costs, facts
from chunkstudy.runs.conditions import FOUR_BITS, MINILM, Condition
from chunkstudy.runs.grids import LATE, OWN, PRE, WIDE
from chunkstudy.runs.library import Library
from chunkstudy.studies.which_chunker import (
    AS_GOOD,
    ENCODED,
    GROUP,
    OPERATIONS,
    READ,
    Known,
    advice,
    ranking,
)
from tests.made_library import made_library

ROOT = Places(Path(__file__).parents[1])
LIBRARY = Library(ROOT)
PUBLISHED = cells.frame(cells.read(ROOT))
ALONE = Known(PUBLISHED, pd.DataFrame(columns=["chunker"]))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    sizes, papers = facts.every(ROOT), facts.read(ROOT, covid_qa.WITHIN)
    known = Known(PUBLISHED, chunker_costs.table(LIBRARY), sizes, papers)
    return ranking(LIBRARY, known)


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
        group = table[(table[GROUP] == pd.Series(row)[GROUP]).all(axis=1)]
        assert row["chunker"] == group["chunker"].iloc[0]
        assert row["behind"] == (group["behind"] == "yes").sum()
        as_good, open_ = (
            [one for one in row[name].split("; ") if one]
            for name in (AS_GOOD, "not shown to be worse")
        )
        assert row["others"] == row["behind"] + len(as_good) + len(open_)
        equal = group[group["shown"] == EQUIVALENT]
        assert as_good == (equal["chunker"] + " " + equal["ordering"]).tolist()


def test_on_papers_intervals_and_tests_are_over_papers(table: pd.DataFrame) -> None:
    rows = table[table["collections"] == covid_qa.WITHIN]
    tested = rows[rows["difference"] < 0]
    assert set(tested["interval"]) == {OVER_DOCUMENTS}
    others = table[(table["collections"] != covid_qa.WITHIN) & (table["difference"] < 0)]
    assert OVER_DOCUMENTS not in set(others["interval"])


def test_chunkers_whose_first_ten_are_the_whole_document_are_not_compared(
    table: pd.DataFrame,
) -> None:
    ordering = "contextualized-256"
    semantic = LIBRARY.get(Condition(covid_qa.WITHIN, "semantic", MINILM, ordering, OWN))
    assert semantic is not None
    rows = table[table["collections"] == covid_qa.WITHIN]
    assert semantic.run.counts.chunks <= 10 * semantic.run.counts.documents
    assert semantic.wide["DCG@10"].mean() > rows["score"].max()
    assert "semantic" not in set(rows["chunker"])
    assert (rows["chunks"] > 10 * covid_qa.PAPERS).all()


def test_cost_counts_overlap_and_windows_once_more(table: pd.DataFrame) -> None:
    of_minilm = table["encoder"].str.contains("MiniLM")
    excerpts = table[(table["task"] == "excerpts") & of_minilm].set_index(["chunker", "ordering"])
    assert excerpts.at[("token-250-125", PRE), ENCODED] == pytest.approx(2, abs=0.02)
    assert excerpts.at[("token-250-0", PRE), ENCODED] == pytest.approx(1, abs=0.02)
    late = excerpts.at[("fixed-256", "contextualized-256"), ENCODED]
    assert late == pytest.approx(256 / (256 - 64), abs=0.03)
    assert (excerpts[READ] == excerpts["tokens read at 5"]).all()
    assert table.groupby("encoder")[OPERATIONS].nunique().max() == 1


def test_two_arms_are_no_choice_and_four_bits_give_no_advice() -> None:
    queries = [f"q{i}" for i in range(50)]
    scores = pd.DataFrame({"DCG@10": np.linspace(0, 1, 50)}, index=queries)
    few = {
        Condition("chroma-within", chunker, WIDE, PRE, OWN): scores
        for chunker in ("fixed-256", "paragraph")
    }
    assert ranking(made_library(few), ALONE).empty
    four_bits = {
        Condition("chroma-within", chunker, FOUR_BITS, ordering, OWN): scores
        for chunker in ("fixed-256", "paragraph")
        for ordering in (PRE, LATE)
    }
    assert ranking(made_library(four_bits), ALONE).empty


def test_within_documents_late_chunking_competes_at_every_window_and_plain_chunks_once() -> None:
    queries = [f"q{i}" for i in range(50)]
    scores = pd.DataFrame({"DCG@10": np.linspace(0, 1, 50)}, index=queries)
    narrow = WIDE.replace("-w512", "-w128")
    wide = {
        Condition(name, one, WIDE, ordering, OWN): scores
        for name in ("chroma-within", "scifact")
        for one in ("fixed-256", "paragraph")
        for ordering in (PRE, LATE)
    }
    swept = {
        Condition(name, "fixed-256", narrow, ordering, OWN): scores + 0.1
        for name in ("chroma-within", "scifact")
        for ordering in (PRE, "contextualized-128")
    }
    made = {one: s.assign(**{"nDCG@10": s["DCG@10"]}) for one, s in (wide | swept).items()}
    table = ranking(made_library(made), ALONE)
    arms = {name: set(zip(part["chunker"], part["ordering"], strict=True))
            for name, part in table.groupby("collections")}  # fmt: skip
    whole = {(one, ordering) for one in ("fixed-256", "paragraph") for ordering in (PRE, LATE)}
    assert arms == {
        "chroma-within": whole | {("fixed-256", "contextualized-128")}, "scifact": whole
    }  # fmt: skip
    assert table.groupby("collections")["ordering"].first()["chroma-within"] == "contextualized-128"
