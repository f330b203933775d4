"""What the search explains is counted from the cells themselves, and a digit's worth by trying."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.analysis import chroma_print, chroma_search
from chunkstudy.analysis.chroma_search import EXACT, OFFICIAL, Searched
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import cells as published
from chunkstudy.studies import results
from tests import derived_tables

PLACES = Places(Path(__file__).parents[1])
CELLS = published.read(PLACES)
COMPARISON = derived_tables.every()["comparison"]
STUDY = results.tables(PLACES, "chroma-search")
FOUND = Searched.of(COMPARISON, CELLS, STUDY["spread"])


def only(rows: pd.DataFrame, **where: object) -> dict[str, Any]:
    """The one row of a table with these values."""
    for column, value in where.items():
        rows = rows[rows[column] == value]
    (row,) = rows.to_dict("records")
    return {str(name): value for name, value in row.items()}


def test_a_setting_explains_what_the_verdicts_say_and_exact_search_nothing() -> None:
    table = chroma_search.settings(FOUND)
    official = only(table, **OFFICIAL)
    exact = only(table, offsets="located", insertion=EXACT)
    for name in chroma_search.TABLES:
        rows = FOUND.rows[FOUND.rows["table"] == name]
        counts = rows["verdict"].value_counts()
        assert official[f"{name} explained"] == counts["within_stack"]
        assert official[f"{name} missed"] == counts["within_stack"] + counts.get("deviates", 0)
        assert exact[f"{name} explained"] == 0
        assert exact[f"{name} inside"] == counts.get("exact", 0)
    assert (table["rows"] == 8).all() and len(table) == 2 * (1 + 5 * 3)


def test_exact_search_under_located_offsets_is_what_the_records_hold() -> None:
    (own,) = [
        spread
        for setting, spread in FOUND.settings()
        if setting == {"offsets": "located", "insertion": EXACT, "search list": 0}
    ]
    assert own["mean"].to_numpy() == pytest.approx(FOUND.rows["reproduced"].to_numpy(), abs=1e-5)


def test_every_corpus_counts_its_own_cells() -> None:
    table = chroma_search.corpora(FOUND, STUDY["missed"], STUDY["moved"])
    assert table["cells"].sum() == len(FOUND.rows)
    assert table["not by exact search"].sum() == FOUND.missed.sum()
    assert (table["printed lower"] <= table["means"]).all()
    assert (table["missed, list 50"] < table["missed, list 10"]).all()
    assert only(table, part="finance")["located elsewhere"] > 0.2
    assert only(table, part="chatlogs")["located elsewhere"] == 0


def test_a_spread_holds_its_mean_and_has_no_width_without_search() -> None:
    spread = STUDY["spread"]
    assert (spread["low"] <= spread["mean"] + 1e-8).all()
    assert (spread["mean"] <= spread["high"] + 1e-8).all()
    assert set(spread["offsets"]) == {"located", "true"}
    assert len(spread) == len(spread.drop_duplicates([*chroma_search.SETTING, *chroma_search.KEYS]))


def test_the_recalls_are_those_of_the_comparison() -> None:
    table = chroma_search.recalls(FOUND)
    assert len(table) == 8
    assert (table["runs least"] <= table["published"] + table["mean - published"]).all()
    assert (table["published"] + table["mean - published"] <= table["runs most"]).all()
    apart = table["exact - published"] - (table["exact"] - table["published"])
    assert apart.abs().max() < 1e-12


def test_the_authors_second_run_has_the_reports_chunks_and_other_recalls() -> None:
    table = chroma_print.rerun(PLACES, published.frame(CELLS)).set_index("chunker")
    assert len(table) == 10
    printed, again = table["PrecisionOmega report"], table["PrecisionOmega notebook"]
    assert (again - printed).abs().max() <= 0.0005 + 1e-9
    apart = table["SpanRecall@5 difference"]
    assert apart.min() < 0 < apart.max() < 0.03
    assert chroma_print.rerun(Places(PLACES.root / "nowhere"), pd.DataFrame()).empty


def test_the_size_printed_for_clusters_of_250_is_that_of_400_and_the_precision_is_not() -> None:
    table = chroma_print.cluster_sizes(Library(PLACES), published.frame(CELLS))
    size = "size in WordPiece with special tokens"
    large, middle = (only(table, chunker=f"cluster-{most}") for most in (400, 250))
    assert (large["published size"], middle["published size"]) == ("", "168")
    assert math.floor(large[size]) == 168 and middle[size] < 120
    for measure in ("SpanPrecision@5", "PrecisionOmega"):
        own, other = (row[f"{measure} reproduced"] for row in (middle, large))
        assert f"{own:.3f}" == f"{middle[f'{measure} published']:.3f}" != f"{other:.3f}"


def test_a_row_that_is_printed_twice_is_printed_otherwise() -> None:
    table = chroma_print.printed_twice(published.frame(CELLS))
    assert len(table) == 44
    omega = only(table, chunker="cluster-400", measure="PrecisionOmega")
    assert (omega["main"], omega["appendix"]) == pytest.approx((0.207, 0.178))
    leads = table[(table["measure"] != "SpanRecall@5") & (table["rank in appendix"] == 1)]
    assert set(leads["chunker"]) == {"recursive-200-0"}


def test_token_windows_have_their_precision_omega_at_another_size_than_they_state() -> None:
    table = chroma_print.token_windows(PLACES, Library(PLACES), CELLS)
    wider = table[table["row"] != table["windows"]]
    assert (wider["of these exact"] == wider["cells of precision omega"]).all() and len(wider) == 3
    assert table.loc[table["row"] == table["windows"], "of these exact"].sum() <= 1


def test_every_number_of_the_minilm_appendix_is_counted_once_by_measure_row_and_corpus() -> None:
    table = chroma_print.minilm_verdicts(COMPARISON)
    sums = table.groupby("by")[["cells", "exact", "within_stack", "deviates"]].sum()
    assert (sums == sums.loc["table"]).all(axis=None) and sums.loc["table", "cells"] == 960
