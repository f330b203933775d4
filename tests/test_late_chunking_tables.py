"""Late chunking as tables: every model and window that has records, families by question."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy import statistics
from chunkstudy.analysis import late_chunking
from chunkstudy.analysis.late_chunking_excerpts import excerpts, positions
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.grids import IELAB, JINA, OWN, PRE, WIDE, WINDOWS
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from tests.made_library import made_library

REAL = Library(Places(Path(__file__).parents[1]))
QUERIES = [f"q{i}" for i in range(40)]
HALVES = {"chatlogs": QUERIES[:20], "finance": QUERIES[20:]}
OTHER = "jinaai__jina-embeddings-v2-small-en"
CHANGES = {
    "contextualized-128": 0.2,
    "contextualized-256": 0.0,
    "contextualized-256-at-256": -0.1,
    "contextualized-512": -0.3,
    "contextualized-512-at-halved": -0.3,
}
"""What each ordering adds to plain chunking of the same window."""


def _scores(change: float, seed: int, *measures: str) -> pd.DataFrame:
    """Half of a point, give or take, and the change."""
    random = np.random.default_rng(seed)
    values = 0.5 + change + 0.02 * random.standard_normal((len(QUERIES), len(measures)))
    return pd.DataFrame(values, index=QUERIES, columns=list(measures))


@pytest.fixture(scope="module")
def within() -> Any:
    """Contextualized chunks of Chroma's corpora gain at 128 tokens and lose at 512."""
    found: dict[Condition, pd.DataFrame] = {}
    cases = product(("paragraph", "fixed-64"), WINDOWS.items(), ("chroma", "chroma-within"))
    for seed, (chunker, (window, encoder), collection) in enumerate(cases):
        late = [name for name in CHANGES if name.split("-")[1] == str(window)]
        for ordering in (PRE, *late):
            one = Condition(collection, chunker, encoder, ordering, OWN)
            change = CHANGES.get(ordering, 0.0)
            found[one] = _scores(change, 100 * seed + len(found), "DCG@10", "SpanRecall@5")
    return made_library(found, HALVES)


def test_moved_positions_enter_no_comparison_of_chunkers(within: Any) -> None:
    table = excerpts(within)
    assert set(table["measure"]) == {"DCG@10", "SpanRecall@5", "SpanRecall@5, all corpora"}
    assert len(table) == 3 * 3 * 2 and set(table["n"]) == {len(QUERIES)}
    assert set(table["window"]) == {128, 256, 512}
    assert set(table["family_size"]) == {2}  # the chunkers of one window, by one measure


def test_a_query_counts_once_in_the_mean_over_chunkers(within: Any) -> None:
    table = positions(within)
    assert set(table["corpus"]) == {"all", *HALVES}
    assert set(table[table["corpus"] != "all"]["n"]) == {len(QUERIES) / 2}
    rows = table[table["corpus"] == "all"].set_index(["window", "positions"])
    assert set(rows["n"]) == {len(QUERIES)} and set(rows["chunkers"]) == {2}
    changes = [
        within.get(Condition("chroma-within", chunker, WIDE, ordering, OWN)).wide["DCG@10"]
        for ordering in ("contextualized-512", PRE)
        for chunker in ("paragraph", "fixed-64")
    ]
    expected = (changes[0] + changes[1] - changes[2] - changes[3]).mean() / 2
    assert rows.at[(512, "in order"), "difference"] == pytest.approx(expected)


def test_moved_positions_are_held_against_those_in_order(within: Any) -> None:
    rows = positions(within)
    rows = rows[rows["corpus"] == "all"].set_index(["window", "positions"])
    assert set(rows.index) == {
        (128, "in order"), (256, "in order"), (256, "at-256"), (512, "in order"),
        (512, "at-halved"),
    }  # fmt: skip
    moved, in_order = (rows.xs((256, name)) for name in ("at-256", "in order"))
    expected = moved["contextualized"] - in_order["contextualized"]
    assert moved["against in order"] == pytest.approx(expected)
    assert moved["against in order high"] < 0
    assert rows.xs((512, "at-halved"))["against in order"] == pytest.approx(0, abs=0.02)
    assert rows["against in order"].isna().sum() == 3
    assert rows.groupby("family").size().tolist() == [3, 2]


def test_without_records_of_excerpts_the_tables_are_empty() -> None:
    assert excerpts(made_library({})).empty and positions(made_library({})).empty


def test_every_model_is_shown_and_the_widest_window_stands_for_it() -> None:
    found: dict[Condition, pd.DataFrame] = {}
    for encoder, ordering in (
        *((encoder, f"contextualized-{window}") for window, encoder in WINDOWS.items()),
        (OTHER, "contextualized-8192"),
    ):
        for one in (PRE, ordering):
            condition = Condition("scifact", "fixed-256", encoder, one, OWN)
            found[condition] = _scores(0.1 * (one != PRE), len(found), "nDCG@10")
    made = made_library(found)
    table = late_chunking.gains(made)
    assert table["encoder"].tolist() == [OTHER, WIDE]
    assert table["family"].is_unique
    assert late_chunking.windows(made)["window"].tolist() == [128, 256, 512]


def test_late_chunking_within_emma_is_corrected_by_itself() -> None:
    table = late_chunking.gains(REAL)
    emma = table[(table["collection"] == "gutenqa-emma") & (table["protocol"] == OWN)]
    assert set(emma["family"]) == {f"late chunking within Emma, corrected, {WIDE}"}
    assert set(emma["family_size"]) == {len(emma)}
    assert emma["p_holm"].tolist() == statistics.holm(emma["p"]).tolist()


def test_whole_documents_and_short_tails_are_questions_of_their_own() -> None:
    table = late_chunking.gains(REAL)
    for family, group in table.groupby("family"):
        whole, tails = group["chunker"] == "none", group["chunker"].str.contains("merged|dropped")
        assert whole.all() or not whole.any(), family
        assert tails.all() or not tails.any(), family
        assert group[["protocol", "encoder"]].drop_duplicates().shape == (1, 2)


def test_plain_documents_stand_for_both_protocols() -> None:
    table = late_chunking.gains(REAL)
    jinas = table[(table["chunker"] == "none") & (table["protocol"] == JINA)]
    own = table[(table["chunker"] == "none") & (table["protocol"] == OWN)]
    shared = jinas.merge(own, on="collection")
    assert len(shared) == len(jinas) > 0
    assert (shared["plain_x"] == shared["plain_y"]).all()


def test_scores_are_means_with_their_bootstrap_intervals() -> None:
    scores = _scores(0, 1, "nDCG@10", "R@10")
    condition = Condition("scifact", "fixed-256", MINILM, PRE, OWN)
    table = late_chunking.scores(made_library({condition: scores})).set_index("measure")
    assert table.at["R@10", "mean"] == scores["R@10"].mean()
    ends = [float(table["low"]["R@10"]), float(table["high"]["R@10"])]
    assert ends == pytest.approx(list(statistics.bootstrap_interval(scores["R@10"])))


def test_a_protocol_is_held_against_the_corrected_one_within_its_task() -> None:
    table = late_chunking.protocols(REAL)
    assert {IELAB, JINA} <= set(table["protocol"]) and OWN not in set(table["protocol"])
    assert table.groupby("family")["measure"].nunique().max() == 1
