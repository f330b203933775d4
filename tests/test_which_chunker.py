"""The table that advice follows from is what the records say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.collections import covid_qa
from chunkstudy.published import cells
from chunkstudy.runs import chunker_costs, facts
from chunkstudy.runs.conditions import MINILM, Condition
from chunkstudy.runs.grids import LATE, OWN, PRE, WIDE
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import parse_encoder
from chunkstudy.studies.which_chunker import (
    ENCODED,
    OPERATIONS,
    READ,
    Known,
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
    rows = rows[(rows["chunker"] == "sentence-5") & (rows["window"] == 512)]
    row = rows[rows["encoder"] == parse_encoder(WIDE).model].iloc[0]
    means = []
    for name in row["collections"].split(", "):
        record = LIBRARY.get(Condition(name, "sentence-5", WIDE, PRE, OWN))
        assert record is not None
        means.append(record.wide["nDCG@10"].mean())
    assert row["score"] == pytest.approx(np.mean(means))


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
    excerpts = table[(table["task"] == "excerpts") & of_minilm]
    by_arm = excerpts.set_index(["chunker", "ordering", "window"])[ENCODED]
    assert by_arm["token-250-125", PRE, 256] == pytest.approx(2, abs=0.02)
    assert by_arm["token-250-0", PRE, 256] == pytest.approx(1, abs=0.02)
    late = by_arm["fixed-256", "contextualized-256", 256]
    assert late == pytest.approx(256 / (256 - 64), abs=0.03)
    assert (excerpts[READ] == excerpts["tokens read at 5"]).all()
    assert table.groupby("encoder")[OPERATIONS].nunique().max() == 1


def test_every_window_competes_and_plain_chunks_again_only_where_one_cuts_them() -> None:
    queries = [f"q{i}" for i in range(50)]
    scores = pd.DataFrame({"DCG@10": np.linspace(0, 1, 50)}, index=queries)
    narrow = WIDE.replace("-w512", "-w128")
    orderings = (PRE, LATE, "contextualized-512-averaged")
    records = {
        Condition("chroma-within", one, WIDE, ordering, OWN): scores
        for one in ("fixed-256", "paragraph")
        for ordering in orderings
    }
    records |= {
        Condition("chroma-within", one, narrow, ordering, OWN): scores + more
        for one, more in (("fixed-256", 0.1), ("paragraph", 0))
        for ordering in (PRE, "contextualized-128")
    }
    table = ranking(made_library(records), ALONE)
    arms = set(table[["chunker", "ordering", "window"]].itertuples(index=False, name=None))
    wide = {(one, ordering, 512) for one in ("fixed-256", "paragraph") for ordering in orderings}
    late = {(one, "contextualized-128", 128) for one in ("fixed-256", "paragraph")}
    assert arms == wide | late | {("fixed-256", PRE, 128)}
