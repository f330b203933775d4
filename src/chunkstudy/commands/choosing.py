"""Conditions named by patterns: those of the study, of the records, priced, run."""

from __future__ import annotations

import fnmatch
from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.publish import planned
from chunkstudy.runs import conditions, records
from chunkstudy.runs.conditions import Condition

Only = Annotated[
    list[str],
    typer.Option(
        help="Conditions to take: any one in full, or with wildcards those of the study: "
        "'chroma/recursive-*/*/*/corrected'; give it several times for more"
    ),
]
ALL = ["*"]
CHROMA = ["chroma/*"]
WILDCARDS = frozenset("*?[")


def select(only: list[str]) -> list[Condition]:
    """The conditions that some patterns name, those of the study first and in its
    order, others as they are given.

    Raises:
        ConditionError: if a pattern matches nothing.
        FileNotFoundError: if a pattern has wildcards and there are no notebooks beside.
        ValueError, RuntimeError: if one that names a condition in full names none that exists.
    """
    chosen = dict.fromkeys(conditions.parse(one) for one in only if _in_full(one))
    patterns = [one for one in only if not _in_full(one)]
    study = planned.conditions(places.find()) if patterns else []
    for pattern in patterns:
        matching = [one for one in study if fnmatch.fnmatch(str(one), pattern)]
        if not matching:
            raise conditions.ConditionError(
                f"no condition matches {pattern!r}; `chunkstudy list` shows the study's, and any "
                "other condition runs as collection/chunker/encoder/ordering/protocol"
            )
        chosen |= dict.fromkeys(matching)
    return list(dict.fromkeys([*(one for one in study if one in chosen), *chosen]))


def _in_full(pattern: str) -> bool:
    """Whether a pattern names one condition, all its parts and no wildcard."""
    return not WILDCARDS.intersection(pattern) and pattern.strip("/").count("/") == 4


def recorded(only: list[str]) -> list[Condition]:
    """The recorded conditions that some patterns name.

    Raises:
        ConditionError: if none does.
    """
    matching = [
        condition
        for condition in records.find(places.find().runs)
        if any(fnmatch.fnmatch(str(condition), pattern) for pattern in only)
    ]
    if not matching:
        raise conditions.ConditionError(
            f"no record matches {' or '.join(only)}; `chunkstudy list` shows what is recorded"
        )
    return matching
