"""A check of published tables against each other catches what was misread.

What they find stands in ``published_consistency.csv``, which `make check` derives again.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published.cells import frame, read
from chunkstudy.studies.taxonomy.consistency import WHERE, Check, Tables, compare, every_check

ROOT = Path(__file__).parents[1]
CELLS = frame(read(Places(ROOT)), WHERE)
CHECKS = {one.check: one for one in every_check(Tables(CELLS))}


def found(words: str) -> Check:
    """The one check whose sentence begins so."""
    (check,) = [one for name, one in CHECKS.items() if name.startswith(words)]
    return check


def test_the_printed_labels_of_table_4_are_wrong_and_their_position_right() -> None:
    # The model labels of table 4 are shifted in the source; by position its rows close.
    by_label = found("Table 4, rows whose printed model")
    assert by_label.verdict == "does not hold"
    assert by_label.off == by_label.cells == 21  # three method rows of seven cells


def test_a_mark_on_another_cell_is_caught() -> None:
    cells = CELLS.copy()
    bold = (cells["table"] == "3") & (cells["marks"].str.contains("bold"))
    first = cells.index[bold & (cells["chunker"] != "average")][0]
    cells.loc[first, "marks"] = ""
    checks = {one.check: one for one in every_check(Tables(cells))}
    check = checks[found("Table 3: bold").check]
    assert (check.verdict, check.off, check.which) == (
        "holds in part",
        1,
        "Table 3, Jina-v2, column fiqa",
    )


def broken(table: str, collection: str, chunker: str, value: float) -> dict[str, Check]:
    """The checks with one cell misread in every model."""
    cells = CELLS.copy()
    wrong = (
        (cells["work"] == "taxonomy")
        & (cells["table"] == table)
        & (cells["collection"] == collection)
        & (cells["chunker"] == chunker)
    )
    assert wrong.any()
    cells.loc[wrong, "value"] = value
    return {one.check: one for one in every_check(Tables(cells))}


@pytest.mark.parametrize("table", ["3", "5"])
def test_a_misread_score_is_caught_by_row_column_and_change(table: str) -> None:
    checks = broken(table, "scidocs", "semantic", 0.1990)
    off = {name for name, check in checks.items() if check.off > CHECKS[name].off}
    assert f"Table {table}: a row's Avg is the mean of its six in-corpus scores" in off
    assert f"Table {table}: a model's Avg row is the mean of its six methods" in off
    assert any(name.startswith("Table 4 is the change") for name in off)


def test_a_misread_percentage_is_caught() -> None:
    checks = broken("4", "scidocs", "semantic", 9.99)
    assert checks[found("Table 4 is the change").check].off == 4
    assert checks[found("Table 4: a row's Avg is the mean").check].off == 4


def cells_of(values: dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame({"value": values, "place": {key: f"row {key}" for key in values}})


def test_a_cell_without_counterpart_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 cells have no counterpart"):
        compare("x", "Table 1", pd.Series({"a": 1.0, "b": 2.0}), cells_of({"a": 1.0}), 0.1)


def test_what_is_allowed_is_the_bound_and_no_more() -> None:
    expected = pd.Series({"a": 1.0, "b": 2.0})
    assert compare("x", "", expected, cells_of({"a": 1.1, "b": 2.0}), 0.1).verdict == "holds"
    check = compare("x", "", expected, cells_of({"a": 1.11, "b": 2.0}), 0.1)
    assert (check.verdict, check.off, check.which) == ("holds in part", 1, "row a")
    assert (check.expected, check.found) == (1.0, 1.11)
    off = cells_of({"a": 2.0, "b": 3.0})
    assert compare("x", "", expected, off, 0.1).verdict == "does not hold"
    assert compare("x", "", expected, off, pd.Series({"a": 1.0, "b": 1.0})).verdict == "holds"
