"""Late chunking against plain chunks read whole: the plain side never has a narrow window."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest

from chunkstudy.analysis.late_against_whole import table
from chunkstudy.analysis.model_gains import EVERY
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.grids import OWN, PRE, WINDOWS
from chunkstudy.grid.library import Library
from tests.made_library import made_library

QUERIES = [f"q{i}" for i in range(40)]
CHUNKERS = ("fixed-64", "fixed-256", "paragraph")
PLAIN = {128: 0.2, 256: 0.3, 512: 0.5}
LATE = {128: 0.4, 256: 0.5, 512: 0.3}


def made(*left_out: tuple[str, int, str]) -> Library:
    found = {}
    for chunker, (window, encoder) in product(CHUNKERS, WINDOWS.items()):
        for ordering, score in ((PRE, PLAIN[window]), (f"contextualized-{window}", LATE[window])):
            if (chunker, window, ordering) not in left_out:
                spread = pd.Series([0.01 * (i % 3) for i in range(len(QUERIES))], QUERIES)
                scores = pd.DataFrame({"DCG@10": score + spread, "SpanRecall@5": score + spread})
                found[Condition("chroma-within", chunker, encoder, ordering, OWN)] = scores
    return made_library(found)


def test_every_window_is_held_against_chunks_read_in_the_widest() -> None:
    rows = table(made(), pd.DataFrame())
    for window, late in LATE.items():
        gains = rows.loc[rows["window"] == window, "difference"]
        assert gains.tolist() == pytest.approx([late - PLAIN[512]] * len(gains))
    assert set(rows["chunker"]) == {EVERY, *CHUNKERS}
    together, single = rows["chunker"] == EVERY, rows["chunker"] != EVERY
    assert set(rows.loc[together, "family_size"]) == {len(WINDOWS)}
    assert set(rows.loc[single, "family_size"]) == {len(WINDOWS) * len(CHUNKERS)}


def test_without_plain_chunks_read_whole_there_is_nothing_to_compare_with() -> None:
    pairs = [(chunker, 512, ordering) for chunker in CHUNKERS for ordering in (PRE,)]
    assert table(made(*pairs), pd.DataFrame()).empty


def test_a_window_without_plain_chunks_of_its_own_is_held_against_chunks_read_whole() -> None:
    narrow = [(chunker, 256, PRE) for chunker in CHUNKERS]
    rows = table(made(*narrow), pd.DataFrame())
    pd.testing.assert_frame_equal(rows, table(made(), pd.DataFrame()))


def test_a_window_in_which_late_chunking_was_not_run_with_every_chunker_is_left_out() -> None:
    missing = [*((chunker, 256, PRE) for chunker in CHUNKERS)]
    missing.append(("paragraph", 256, "contextualized-256"))
    assert set(table(made(*missing), pd.DataFrame())["window"]) == {128, 512}
