"""What notebooks left: the tables that they derived, their answers, and the paper's numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from chunkstudy.core.errors import StudyError
from chunkstudy.core.project import Project


def table(places: Project, name: str) -> pd.DataFrame:
    """A derived table as numbers: ``results/tables/NAME.csv``, or ``comparison``.

    Raises:
        StudyError: if it was not derived yet.
    """
    folder = places.results if name == "comparison" else places.tables
    path = folder / f"{name}.csv"
    if not path.exists():
        raise StudyError(f"there is no table {name}; run `chunkstudy reproduce` first")
    try:
        return pd.read_csv(path, dtype={"published": object} if name == "comparison" else None)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def answers(places: Project) -> pd.DataFrame:
    """Every answer, a row each: ``page``, ``question``, ``answer``."""
    rows = [{"page": page, **one} for page, content in every(places) for one in content["answers"]]
    return pd.DataFrame(rows, columns=["page", "question", "answer"])


def numbers(places: Project) -> dict[str, str]:
    """The numbers that notebooks kept for the paper, as written, by ``what-it-is-of/number``; and
    ``what-it-is-of`` itself, by which the paper names what a sentence rests on."""
    found: dict[str, str] = {}
    for _, content in every(places):
        for name, text in content.get("numbers", {}).items():
            found |= {name.partition("/")[0]: "", name: text}
    return found


def every(places: Project) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What each notebook left, by the notebook's name."""
    for path in sorted((places.results / "answers").glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))
