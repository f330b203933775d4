"""The table of faults in docs/faults.md is that of the tests that try them."""

from __future__ import annotations

import dataclasses

import pytest

from tests import fault_table
from tests.fault_table import Row


def test_every_test_of_a_fault_has_a_row_and_every_row_a_test_of_its_own() -> None:
    found = list(fault_table.tests())
    assert not [(file, name) for file, name, row in found if row is None]
    rows = [row for _, _, row in found]
    assert len(set(rows)) == len(rows) > 15
    for row in filter(None, rows):
        assert all("|" not in one and one.strip() for one in dataclasses.astuple(row))


def test_the_page_has_the_table_of_the_tests() -> None:
    text = fault_table.PAGE.read_text(encoding="utf-8")
    assert fault_table.table() in text, "run `python -m tests.fault_table`"
    assert fault_table.filled(text) == text


def test_a_test_without_a_row_and_a_row_without_a_test_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import tests.test_faults_torn as one

    monkeypatch.setattr(one, "test_made_up", lambda: None, raising=False)
    assert [name for _, name, row in fault_table.tests() if row is None] == ["test_made_up"]
    before = fault_table.table()
    setattr(one.test_made_up, "fault", Row("rain", "poured", "wet"))  # type: ignore[attr-defined]  # noqa: B010
    assert fault_table.table() != before
    assert "| rain | poured | wet | [test](../tests/test_faults_torn.py) |" in fault_table.table()
