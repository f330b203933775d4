"""Tables are compared by value: a fault on purpose is told in one line, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests import compare_tables

SCORES = pd.DataFrame(
    {
        "chunker": ["none", "none", "fixed-64", "fixed-64"],
        "note": [None, "see", None, None],
        "late": [True, False, True, False],
        "queries": [50, 50, 50, 50],
        "mean": [0.5, 0.25, 0.125, 1 / 3],
        "low": [0.4, None, 0.1, 0.2],
    }
)
OTHER = pd.DataFrame({"name": list("abcdef"), "p": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
ALONE = pd.DataFrame({"value": [1.0, 2.0]})
Change = Callable[[pd.DataFrame], pd.DataFrame]


def write(folder: Path, **tables: pd.DataFrame) -> str:
    here = folder / "results" / "tables"
    here.mkdir(parents=True)
    for name, table in tables.items():
        table.to_csv(here / f"{name}.csv", index=False)
    return str(folder)


def told(tmp_path: Path, change: Change) -> list[str]:
    """Of a table that was changed, and others that were not."""
    old = write(tmp_path / "old", scores=SCORES, other=OTHER, alone=ALONE)
    new = write(tmp_path / "new", scores=change(SCORES), other=OTHER, alone=ALONE)
    return list(compare_tables.compare(*map(compare_tables.tables, (old, new))))


def test_order_of_rows_and_columns_and_digits_beyond_the_twelfth_are_silent(tmp_path: Path) -> None:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        moved = table.assign(mean=table["mean"] * (1 + 1e-13))
        return moved.iloc[::-1][["low", "mean", "late", "note", "chunker", "queries"]]

    assert told(tmp_path, change) == []
    assert compare_tables.main(str(tmp_path / "old"), str(tmp_path / "new")) == 0


ROW = "the row of chunker fixed-64, note , late False, queries 50"


@pytest.mark.parametrize(
    "change, line",
    [
        (
            lambda t: t.assign(mean=[0.5, 0.25 + 1e-9, 0.125, 0.34]),
            "numbers moved in column 'mean': 2, most by 2.0e-02 of it, from 0.333333333333 to 0.34 "
            f"in {ROW}",
        ),
        (
            lambda t: t.assign(low=[0.4, None, 0.1, None]),
            f"numbers moved in column 'low': 1, most by nan of it, from 0.2 to nan in {ROW}",
        ),
        (
            lambda t: t.assign(queries=[50, 50, 50, 49]),
            "numbers moved in column 'queries': 1, most by 2.0e-02 of it, from 50 to 49 in the row "
            "of chunker fixed-64, note , late False, queries 49",
        ),
        (lambda t: t.iloc[:3], f"rows vanished: 1, first {ROW}"),
        (
            lambda t: pd.concat([t, t.iloc[[3]]]),
            f"rows appeared: 1, first {ROW}",
        ),
        (lambda t: t.drop(columns="low"), "column 'low' dropped"),
        (lambda t: t.assign(high=1.0), "column 'high' added"),
    ],
)
def test_a_fault_is_told_in_one_line(tmp_path: Path, change: Change, line: str) -> None:
    assert told(tmp_path, change) == [f"results/tables/scores: {line}"]
    assert compare_tables.main(str(tmp_path / "old"), str(tmp_path / "new")) == 1


def test_a_word_that_changed_is_a_row_that_vanished_and_one_that_appeared(tmp_path: Path) -> None:
    found = told(tmp_path, lambda t: t.replace("fixed-64", "fixed-32"))
    assert [line.split(",")[0].partition(": ")[2] for line in found] == [
        "rows vanished: 2", "rows appeared: 2",
    ]  # fmt: skip


def test_tables_of_one_side_alone_are_told(tmp_path: Path) -> None:
    old = write(tmp_path / "old", scores=SCORES, other=OTHER)
    new = write(tmp_path / "new", scores=SCORES, alone=ALONE)
    found = list(compare_tables.compare(*map(compare_tables.tables, (old, new))))
    assert found == ["results/tables/other: dropped", "results/tables/alone: added"]


def test_two_trees_without_a_common_table_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = write(tmp_path / "old", scores=SCORES)
    assert compare_tables.main(old, write(tmp_path / "new", alone=ALONE)) == 1
    assert capsys.readouterr().out == (
        "the two trees have no table in common, so there is nothing to compare\n"
    )
