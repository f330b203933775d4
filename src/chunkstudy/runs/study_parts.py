"""Studies that come in parts: each part is written as soon as it is there, and none is run twice.

Such a study defines ``PLAN``, its parts in order, each with a ``name``, ``part(context, one)``,
which gives one part's rows of every table, and ``estimate(parts)``, lines about what they take.
Every table has a column ``part``; the table ``parts`` names all that were run.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from chunkstudy.base.files import alone
from chunkstudy.base.places import Places
from chunkstudy.runs import study_results
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Context, made_by, module

PARTS = "parts"
"""The table that names every part that was run."""


def chosen(study: ModuleType, pattern: str = "*", **fields: object) -> list[Any]:
    """The parts whose name fits a pattern and whose fields have these values; None is any.

    Raises:
        StudyError: if there are none, or the study does not come in parts.
    """
    name = study.__name__.rsplit(".", 1)[-1].replace("_", "-")
    if not hasattr(study, "PLAN"):
        raise StudyError(f"study {name} does not come in parts; leave --fold, --arm and --part out")
    found = [
        one
        for one in study.PLAN
        if fnmatch.fnmatch(one.name, pattern)
        and all(value is None or getattr(one, key) == value for key, value in fields.items())
    ]
    if not found:
        named = ", ".join(one.name for one in study.PLAN)
        raise StudyError(f"no part of study {name} is asked for; its parts are {named}")
    return found


def todo(places: Places, name: str, parts: Sequence[Any]) -> list[Any]:
    """Those of the parts that were not run yet."""
    done = set(_known(places, name).get(PARTS, pd.DataFrame({"part": []}))["part"])
    return [one for one in parts if one.name not in done]


def run(
    places: Places, name: str, parts: Sequence[Any], say: Callable[[str], None] = print
) -> tuple[Path, dict[str, pd.DataFrame]]:
    """Run parts that were not run yet; the study's folder, and its tables with all parts so far."""
    study = module(name)
    folder = study_results.folder(places, name)
    for one in todo(places, name, parts):
        say(f"{name}: {one.name}")
        context = Context(places)
        found = study.part(context, one)
        with alone(folder):  # other processes may run other parts
            tables = _joined(study, _known(places, name), found)
            study_results.write(folder, tables, _merged(folder, made_by(context, name, study)))
    return folder, _known(places, name)


def _known(places: Places, name: str) -> dict[str, pd.DataFrame]:
    return study_results.tables(places, name)


def _joined(
    study: ModuleType, known: Mapping[str, pd.DataFrame], found: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """All rows in the order of the plan, so that the order of running does not show."""
    order = {one.name: i for i, one in enumerate(study.PLAN)}
    tables = {}
    for name in dict.fromkeys([*known, *found]):
        rows = [one[name] for one in (known, found) if name in one and len(one[name])]
        if rows:
            whole = pd.concat(rows, ignore_index=True)
            tables[name] = whole.sort_values(
                "part", key=lambda column: column.map(order), kind="stable", ignore_index=True
            )
    return tables


def _merged(folder: Path, now: dict[str, Any]) -> dict[str, Any]:
    """What made these parts, and those before."""
    if not (folder / study_results.PROVENANCE).exists():
        return now
    before = study_results.read_provenance(folder).model_dump(mode="json", exclude_none=True)
    models = [one for one in before["models"] if one not in now["models"]]
    return {
        **now,
        "collections": before["collections"] | now["collections"],
        "chunks": before["chunks"] | now["chunks"],
        "sources": before["sources"] | now["sources"],
        "models": models + now["models"],
    }
