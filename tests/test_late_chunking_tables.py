"""Late chunking as tables: every model and window that has records, families by question."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy import statistics
from chunkstudy.analysis import late_chunking
from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.late_chunking_cut import CUT, EVERY, FIT, TRUNCATED, WHOLE, by_window
from chunkstudy.analysis.late_chunking_excerpts import excerpts
from chunkstudy.analysis.paired import LOWER, OVER_DOCUMENTS
from chunkstudy.analysis.positions import within_corpora, within_papers
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.grids import IELAB, JINA, OWN, PRE, WIDE, WINDOWS
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from tests.made_library import made_library

REAL = Library(Places(Path(__file__).parents[1]))
QUERIES = [f"q{i}" for i in range(40)]
HALVES = {"chatlogs": QUERIES[:20], "finance": QUERIES[20:]}
NOT_MEASURED = pd.DataFrame()
MODEL = reading.model(MINILM)
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
    table = excerpts(within, NOT_MEASURED)
    assert set(table["measure"]) == {"DCG@10", "SpanRecall@5", "SpanRecall@5, all corpora"}
    assert len(table) == 3 * 3 * 2 and set(table["n"]) == {len(QUERIES)}
    assert set(table["window"]) == {128, 256, 512}
    assert set(table["family_size"]) == {2}  # the chunkers of one window, by one measure


def test_a_query_counts_once_in_the_mean_over_chunkers(within: Any) -> None:
    table = within_corpora(within)
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
    rows = within_corpora(within)
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


PAPERS = pd.DataFrame({"query_id": QUERIES, "part": [f"paper-{i // 2}" for i in range(40)]})


def test_within_papers_the_rows_in_order_have_the_chunkers_that_were_moved() -> None:
    found = {}
    for chunker, (window, encoder) in product(("paragraph", "fixed-64"), WINDOWS.items()):
        moved = [] if chunker == "fixed-64" else [name for name in CHANGES if "-at-" in name]
        for i, ordering in enumerate((PRE, f"contextualized-{window}", *moved)):
            if reading.window(ordering) in (0, window):
                one = Condition(covid_qa.WITHIN, chunker, encoder, ordering, OWN)
                found[one] = _scores(CHANGES.get(ordering, 0), window + i, "DCG@10")
    table = within_papers(made_library(found), PAPERS).set_index(["window", "positions"])
    assert set(table.index) == {
        (256, "in order"), (256, "at-256"), (512, "in order"), (512, "at-halved")
    }  # fmt: skip
    assert set(table["chunkers"]) == {1} and set(table["interval"]) == {OVER_DOCUMENTS}
    expected = found[Condition(covid_qa.WITHIN, "paragraph", WINDOWS[256], PRE, OWN)]
    assert table.at[(256, "in order"), "plain"] == pytest.approx(expected["DCG@10"].mean())
    assert table.at[(256, "at-256"), "against in order"] == pytest.approx(-0.1, abs=0.02)
    assert table.at[(256, "at-256"), "against in order shown"] == LOWER
    assert table["against in order"].isna().sum() == 2


def test_without_records_of_excerpts_the_tables_are_empty() -> None:
    nothing = made_library({})
    assert excerpts(nothing, NOT_MEASURED).empty and within_corpora(nothing).empty
    assert within_papers(nothing, PAPERS).empty
    assert by_window(nothing, NOT_MEASURED).empty


def test_what_the_window_cuts_stands_beside_each_chunker(within: Any) -> None:
    measured = pd.DataFrame(
        {"model": MODEL, "chunks": "paragraph000", "window": [128, 256, 512],
         "cut": [0.3, 0.2, 0.1], "unread": [0.4, 0.3, 0.2]}
    )  # fmt: skip
    table = excerpts(within, measured).query("measure == 'DCG@10'")
    paragraph, small = (table[table["chunker"] == one] for one in ("paragraph", "fixed-64"))
    assert paragraph["unread"].tolist() == [0.4, 0.3, 0.2]
    assert small["cut"].isna().all() and small["unread"].isna().all()


def test_chunkers_whose_chunks_the_window_cuts_are_kept_apart(within: Any) -> None:
    table = by_window(within, NOT_MEASURED)
    rows = table[table["measure"] == "DCG@10"].set_index(["window", "over"])
    apart = {window: set(part.index.get_level_values(1)) for window, part in rows.groupby("window")}
    assert apart == {128: {EVERY, FIT, CUT}, 256: {EVERY, FIT, CUT}, 512: {EVERY, FIT}}
    for window, encoder in WINDOWS.items():
        arms = (f"contextualized-{window}", PRE)
        for over, chunker in ((FIT, "fixed-64"), (CUT, "paragraph")):
            if window == 512:
                continue  # nothing is cut there, and both chunkers stand in one mean
            late, plain = (
                within.get(Condition("chroma-within", chunker, encoder, one, OWN)).wide["DCG@10"]
                for one in arms
            )
            assert rows.at[(window, over), "difference"] == pytest.approx((late - plain).mean())


def test_a_group_is_corrected_over_its_windows_and_with_no_other(within: Any) -> None:
    table = by_window(within, NOT_MEASURED)
    for _, group in table.groupby("family"):
        assert group[["measure", "over"]].drop_duplicates().shape == (1, 2)
        assert group["window"].is_unique
        assert group["p_holm"].tolist() == statistics.holm(group["p"]).tolist()
    assert len(table) == table["family_size"].groupby(table["family"]).first().sum()


def test_answers_in_chunks_that_are_cut_are_kept_apart_question_by_question(within: Any) -> None:
    large = QUERIES[:10]
    questions = pd.DataFrame(
        {"model": MODEL, "chunks": "paragraph000", "query_id": QUERIES,
         "needs": [300 if q in large else 50 for q in QUERIES]}
    )  # fmt: skip
    table = by_window(within, questions)
    rows = table[table["measure"] == "SpanRecall@5"].set_index(["window", "over"])
    assert rows.loc[(128, TRUNCATED), "n"] == 10 and rows.loc[(128, WHOLE), "n"] == 30
    assert (512, TRUNCATED) not in rows.index and rows.loc[(512, WHOLE), "n"] == 40
    late, plain = (
        within.get(Condition("chroma-within", "paragraph", WINDOWS[128], one, OWN)).wide
        for one in ("contextualized-128", PRE)
    )
    expected = (late - plain).loc[large, "SpanRecall@5"].mean()
    assert rows.loc[(128, TRUNCATED), "difference"] == pytest.approx(expected)


def test_the_question_is_of_the_chunks_that_a_record_was_made_with(within: Any) -> None:
    one = {"model": MODEL, "chunks": "paragraph000", "query_id": QUERIES, "needs": 300}
    for other in ({"chunks": "elsewhere000"}, {"model": "another/model"}):
        groups = by_window(within, pd.DataFrame(one | other))["over"]
        assert not groups.isin([WHOLE, TRUNCATED]).any()
    assert by_window(within, pd.DataFrame(one))["over"].isin([WHOLE, TRUNCATED]).any()


def test_what_a_model_cuts_by_its_own_tokens_goes_before_the_records_sizes(within: Any) -> None:
    measured = pd.DataFrame(
        {"model": MODEL, "chunks": "fixed-640000", "window": [128, 256, 512], "cut": [0.5, 0, 0]}
    )
    table = by_window(within, NOT_MEASURED, measured).query("measure == 'DCG@10'")
    assert set(table[table["window"] == 128]["over"]) == {EVERY, CUT}
    assert set(table[table["window"] == 256]["over"]) == {EVERY, FIT, CUT}


def test_a_window_cuts_a_chunk_that_leaves_no_room_for_the_special_tokens() -> None:
    sizes = {"wordpiece": SimpleNamespace(percentiles=[126.0] * 20 + [127.0])}
    record: Any = SimpleNamespace(run=SimpleNamespace(sizes=sizes))
    assert reading.cuts(record, 128) and not reading.cuts(record, 129)


def test_each_window_of_a_collection_is_a_question_of_its_own() -> None:
    table = late_chunking.windows(REAL)
    for _, group in table.groupby("family"):
        assert group[["collection", "window", "protocol"]].drop_duplicates().shape == (1, 3)
        assert (group["chunker"] == "none").nunique() == 1
    cut = table.set_index(["collection", "chunker", "window"])["cut"]
    assert cut["scifact", "fixed-256", 256] == "yes" and cut["scifact", "fixed-64", 128] == "no"


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
    assert f"late chunking within Emma, corrected, {WIDE}" in set(emma["family"])
    for encoder, of in emma.groupby("encoder"):
        assert set(of["family"]) == {f"late chunking within Emma, corrected, {encoder}"}
        assert set(of["family_size"]) == {len(of)}
        assert of["p_holm"].tolist() == statistics.holm(of["p"]).tolist()


def test_a_control_of_chunking_enters_no_family_of_late_chunking() -> None:
    names = ("paragraph", "lumberchunker-released", "lumberchunker-last")
    orderings = (PRE, "contextualized-512")
    made = {
        Condition("gutenqa-emma", name, WIDE, ordering, OWN): _scores(0, i, "DCG@10").assign(
            **{"Ceiling(DCG@10)": 1.0}
        )
        for i, (name, ordering) in enumerate(product(names, orderings))
    }
    found = late_chunking.gains(made_library(made))
    assert set(found["chunker"]) == set(names[:2]) and set(found["family_size"]) == {2}
    assert set(late_chunking.emma(made_library(made))["chunker"]) == set(names[:2])


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
    shared = jinas.merge(own, on=["collection", "encoder"])
    assert len(shared) == len(jinas) > 0
    assert (shared["plain_x"] == shared["plain_y"]).all()


def test_a_protocol_is_held_against_the_corrected_one_within_its_task() -> None:
    table = late_chunking.protocols(REAL)
    assert {IELAB, JINA} <= set(table["protocol"]) and OWN not in set(table["protocol"])
    assert table.groupby("family")["measure"].nunique().max() == 1
