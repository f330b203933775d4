"""The table in docs/faults.md of the faults that were tried, made by the tests that try them.

A test says in :func:`tried` what it does and what happens, which is what it holds; those of
``tests/test_faults_*.py`` all do. ``python -m tests.fault_table`` writes the table;
``test_fault_table.py`` refuses a test without a row, and a page with another table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from chunkstudy.base.files import write_text
from chunkstudy.show.tables import Table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "faults.md"
REGION = re.compile(r"(<!-- generated: faults -->\n).*?(<!-- end generated -->)", re.DOTALL)
OTHERS = ("test_llm_killed", "test_llm_recordings", "test_records")
"""Tests of other things, among which some have a row."""
Test = TypeVar("Test", bound=Callable[..., Any])


@dataclass(frozen=True)
class Row:
    """What a test tried.

    Attributes:
        fault: in words.
        how: with which numbers.
        happens: what the test holds to happen.
    """

    fault: str
    how: str
    happens: str


def tried(fault: str, how: str, happens: str) -> Callable[[Test], Test]:
    """Give a test its row."""

    def with_row(test: Test) -> Test:
        setattr(test, "fault", Row(fault, how, happens))  # noqa: B010 - a function has no such field
        return test

    return with_row


def tests() -> Iterator[tuple[str, str, Row | None]]:
    """Every test of the files about faults, and others that have a row: file, name, row."""
    about = sorted(path.stem for path in (ROOT / "tests").glob("test_faults_*.py"))
    for file in (*about, *OTHERS):
        for name, one in vars(import_module(f"tests.{file}")).items():
            row = getattr(one, "fault", None)
            if name.startswith("test_") and (row is not None or file in about):
                yield file, name, row


def table() -> str:
    """The table as Markdown, a row per test."""
    found = [
        (row.fault, row.how, row.happens, f"[test](../tests/{file}.py)")
        for file, _, row in tests()
        if row is not None
    ]
    return Table(
        pd.DataFrame(found, columns=["fault", "how it was tried", "what happened", ""])
    ).markdown()


def filled(text: str) -> str:
    """A page with the table in its place."""
    return REGION.sub(lambda found: f"{found[1]}\n{table()}\n\n{found[2]}", text)


if __name__ == "__main__":
    write_text(PAGE, filled(PAGE.read_text(encoding="utf-8")))
