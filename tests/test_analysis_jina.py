"""What follows from Jina's printed tables is counted in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chunkstudy.analysis import jina
from chunkstudy.grid.conditions import Condition
from chunkstudy.places import Places
from chunkstudy.published import cells as published_cells
from tests.recorded import PRE, WIDE, library, made

CELLS = published_cells.frame(published_cells.read(Places(Path(__file__).parents[1])))
JINA = "as_published-jina"


def test_the_five_collections_stand_with_their_three_arms() -> None:
    table: Any = jina.datasets(CELLS, library({})).set_index("collection")
    assert list(table.index) == ["scifact", "trec-covid", "fiqa", "nfcorpus", "quora"]
    row = table.loc["nfcorpus"]
    assert row[["plain", "late", "no chunking"]].tolist() == pytest.approx([0.2346, 0.2998, 0.3040])
    assert row["late - plain"] == pytest.approx(0.0652) and row["best"] == "no chunking"
    assert table.loc["quora", "best"] == "plain, late, no chunking"


def test_every_encoder_with_records_stands_beside_the_published_rows() -> None:
    other = "nomic-ai__nomic-embed-text-v1"
    found = made(protocol=JINA) | made(protocol=JINA, encoder=other, seed=5)
    whole = Condition("scifact", "none", WIDE, PRE, "corrected")
    found[whole] = found[Condition("scifact", "fixed-256", WIDE, PRE, JINA)] + 1
    table: Any = jina.datasets(CELLS, library(found))
    own: Any = table[table["source"] == "records"].set_index(["encoder", "collection"])
    assert set(own.index) == {(e, c) for e in (other, WIDE) for c in ("scifact", "nfcorpus")}
    assert own.loc[(WIDE, "scifact"), "best"] == "no chunking"
    assert (own["low"] <= own["late - plain"]).all() and set(own["family_size"]) == {2}
    assert own["document length"].notna().all()
    rows = jina.combinations(CELLS, library(found))
    assert len(rows[rows["source"] == "records"]) == 2 * 3 * 2  # encoders, chunkers, orderings


def test_berlin_stands_as_published_and_for_each_encoder_measured() -> None:
    measured = pd.DataFrame(
        {"encoder": "x", "chunk": ["Berlin is th"], "plain": [0.5], "late as published": [0.7],
         "late": [0.6]}
    )  # fmt: skip
    table: Any = jina.berlin(CELLS, measured)
    assert table["source"].tolist() == ["published"] * 3 + ["records"]
    assert table["late - plain"].tolist() == pytest.approx([0.001, 0.117, 0.097, 0.1])
    assert len(jina.berlin(CELLS, pd.DataFrame())) == 3


def test_five_points_leave_the_correlation_with_length_open_and_its_rank_perfect() -> None:
    table: Any = jina.length(CELLS)
    whole = table[(table["left out"] == "") & (table["gain in"] == "points")].iloc[0]
    assert whole["n"] == 5
    assert whole["low"] < 0 < whole["Pearson r"] < whole["high"]
    assert whole["Spearman rho"] == pytest.approx(1)


def test_counts_of_combinations_agree_with_a_loop_over_the_cells() -> None:
    cells = CELLS[(CELLS["work"] == "jina") & (CELLS["table"] == "combinations")]
    value = {
        (c["encoder"], c["chunker"], c["ordering"], c["collection"]): c["value"]
        for c in cells.to_dict("records")
    }
    table: Any = jina.comparisons(CELLS)
    found = table[table["question"] == "weaker late against stronger plain"]["above"].sum()
    order = {name: i for i, name in enumerate(jina.STRENGTH)}
    expected = sum(
        value[weak, chunker, "contextualized", name] > value[strong, other, "pre_embedding", where]
        for weak, chunker, ordering, name in value
        for strong, other, plain, where in value
        if ordering == "contextualized" and plain == "pre_embedding"
        if (chunker, name) == (other, where) and order[weak] < order[strong]
    )
    assert found == expected > 0
    assert (table["above"] + table["equal"] + table["below"] == table["cells"]).all()


def test_every_published_combination_stands_in_the_table() -> None:
    table: Any = jina.combinations(CELLS, library({}))
    own = CELLS[(CELLS["work"] == "jina") & (CELLS["table"] == "combinations")]
    values = table[["scifact", "nfcorpus", "fiqa", "trec-covid"]].to_numpy().ravel()
    np.testing.assert_allclose(np.sort(100 * values), np.sort(own["value"]))
