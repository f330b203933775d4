"""Chroma's tables: unrounded, corrected by measure, and nothing where nothing was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkstudy import statistics
from chunkstudy.analysis import chroma
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import cells
from tests import derived_tables

ROOT = Places(Path(__file__).parents[1])
LIBRARY = Library(ROOT)


def test_seconds_that_a_store_saved_are_missing_and_not_zero() -> None:
    table = chroma.cost(LIBRARY).set_index("chunker")
    encoding = table["chunking's encoding s/M tokens"]
    needing = table[table["needs encoder"]].index
    assert (encoding[needing].dropna() > 0).all()
    assert encoding[needing].isna().any()  # clusters of 200 found those of 250 in the store
    assert (encoding.drop(needing) == 0).all()  # nothing there is encoded to draw boundaries
    assert (table["encoding s/M tokens"].dropna() > 0).all()


def test_scores_of_a_corpus_are_those_of_its_questions() -> None:
    table = derived_tables.every()["chroma_scores"]
    condition = Condition("chroma", "token-250-0", MINILM, "pre_embedding", "corrected")
    record = LIBRARY.get(condition)
    assert record is not None
    values = LIBRARY.values(record, "SpanRecall@5", "finance")
    rows = table[(table["chunker"] == "token-250-0") & (table["measure"] == "SpanRecall@5")]
    rows = rows[(rows["protocol"] == "corrected") & (rows["ordering"] == "pre_embedding")]
    row = rows[rows["part"] == "finance"].iloc[0]
    assert row["n"] == len(values) == chroma.PUBLISHED_COUNTS["finance"][1]
    assert (row["mean"], row["std"]) == pytest.approx((values.mean(), np.std(values)))
    assert (row["low"], row["high"]) == pytest.approx(statistics.bootstrap_interval(values))
    assert set(rows["part"]) == {"all", *chroma.PUBLISHED_COUNTS}


def test_the_length_function_that_prints_the_sizes_is_wordpiece_with_special_tokens() -> None:
    table = chroma.lengths(LIBRARY, cells.frame(cells.read(ROOT)))
    rows = table[table["length function"] == "wordpiece-special"]
    size = rows["size in WordPiece with special tokens"]
    assert (np.floor(size) == rows["published size"]).all()
    assert (table["published recall"] < 1).all()
    known = table.dropna(subset="reproduced recall")
    apart = known["reproduced recall"] - known["published recall"]
    assert known["difference"].tolist() == apart.tolist()
