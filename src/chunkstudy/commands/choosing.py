"""Conditions named by patterns: those of the grid, of the records, priced, run."""

from __future__ import annotations

import fnmatch
from typing import Annotated

import typer

from chunkstudy.base import places
from chunkstudy.runs import conditions, grids, records
from chunkstudy.runs.conditions import Condition

Only = Annotated[
    list[str],
    typer.Option(
        help="Conditions to take: any one in full, or with wildcards those of the grid: "
        "'chroma/recursive-*/*/*/corrected'; give it several times for more"
    ),
]
ALL = ["*"]
CHROMA = ["chroma/*"]
WILDCARDS = frozenset("*?[")


def select(only: list[str]) -> list[Condition]:
    """The conditions that some patterns name, those of the grid first and in its order.

    Raises:
        ConditionError: if a pattern matches nothing.
        ValueError, RuntimeError: if one that names a condition in full names none that exists.
    """
    grid = grids.grid()
    found: set[Condition] = set()
    for one in only:
        named = not WILDCARDS.intersection(one) and one.strip("/").count("/") == 4
        matching = (
            {conditions.parse(one)} if named else {c for c in grid if fnmatch.fnmatch(str(c), one)}
        )
        if not matching:
            raise conditions.ConditionError(
                f"no condition matches {one!r}; `chunkstudy list` shows the grid, and any other "
                "condition runs as collection/chunker/encoder/ordering/protocol"
            )
        found |= matching
    return [c for c in grid if c in found] + sorted(found.difference(grid))


def recorded(only: list[str]) -> list[Condition]:
    found = [c for c in records.find(places.find().runs) if _matches(c, only)]
    if not found:
        raise conditions.ConditionError(
            f"no record matches {' or '.join(only)}; `chunkstudy list` shows what is recorded"
        )
    return found


def price(selected: list[Condition], device: str, again: bool = False) -> None:
    from chunkstudy.runs import asking_cost
    from chunkstudy.runs.estimate import estimate as lines

    for line in lines(selected, places.find(), device, again):
        typer.echo(line)
    for line in asking_cost.lines(selected, places.find()):
        typer.echo(line)


def _matches(condition: Condition, only: list[str]) -> bool:
    return any(fnmatch.fnmatch(str(condition), one) for one in only)
