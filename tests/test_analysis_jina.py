"""What follows from Jina's printed tables is counted in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunkstudy.analysis import jina
from chunkstudy.places import Places
from chunkstudy.published.compare import Library, read_published

ROOT = Places(Path(__file__).parents[1])
CELLS = read_published(ROOT)


def test_the_five_collections_stand_with_their_three_arms() -> None:
    table = jina.datasets(CELLS, Library(ROOT)).set_index("collection")
    assert list(table.index) == ["scifact", "trec-covid", "fiqa", "nfcorpus", "quora"]
    row = table.loc["nfcorpus"]
    assert [row["plain"], row["late"], row["no chunking"]] == ["23.46", "29.98", "30.40"]
    assert row["late - plain"] == "6.52" and row["best"] == "none"


def test_five_points_leave_the_correlation_with_length_open_and_its_rank_perfect() -> None:
    table = jina.length(CELLS)
    whole = table[(table["left out"] == "") & (table["gain in"] == "points")].iloc[0]
    assert whole["n"] == 5
    assert float(whole["low"]) < 0 < float(whole["Pearson r"]) < float(whole["high"])
    assert whole["Spearman rho"] == "1.000"


def test_the_exact_p_is_the_share_of_orders_that_correlate_as_strongly() -> None:
    x = np.arange(4.0)
    assert jina._exact_p(x, x) == pytest.approx(2 / 24)
    assert jina._exact_p(x, np.array([0.0, 1.0, 1.0, 0.0])) == 1


def test_counts_of_combinations_agree_with_a_loop_over_the_cells() -> None:
    cells = CELLS[(CELLS["work"] == "jina") & (CELLS["table"] == "combinations")]
    value = {
        (c["encoder"], c["chunker"], c["ordering"], c["collection"]): float(c["printed"])
        for c in cells.to_dict("records")
    }
    table = jina.comparisons(CELLS)
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


def test_every_printed_combination_stands_in_the_table() -> None:
    table = jina.combinations(CELLS, Library(ROOT))
    printed = table[table["encoder"].isin(jina.STRENGTH)]
    assert printed[["scifact", "nfcorpus", "fiqa", "trec-covid"]].size == 72
