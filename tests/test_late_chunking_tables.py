"""Late chunking as tables: every model and window that has records, families by question."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis import late_chunking
from chunkstudy.analysis import windows as reading
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import JINA, OWN, PRE, WIDE, WINDOWS
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from tests.made_library import made_library

REAL = Library(Places(Path(__file__).parents[1]))
QUERIES = [f"q{i}" for i in range(40)]
OTHER = "jinaai__jina-embeddings-v2-small-en"


def _scores(change: float, seed: int, *measures: str) -> pd.DataFrame:
    """Half of a point, give or take, and the change."""
    random = np.random.default_rng(seed)
    values = 0.5 + change + 0.02 * random.standard_normal((len(QUERIES), len(measures)))
    return pd.DataFrame(values, index=QUERIES, columns=list(measures))


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
