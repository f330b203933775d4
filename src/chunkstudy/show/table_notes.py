"""What stands under a table, on a page and in LaTeX: what its rows share and how it was tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.statistics.differences import POINT
from chunkstudy.runs import display_names
from chunkstudy.show import tables

FEW = 3
"""Families that a page names one by one; more stand in the file."""


def note(
    frame: pd.DataFrame, columns: Sequence[str] | None = None, most_families: int | None = None
) -> str:
    """What stands under a table: what all rows share, how its intervals and tests were made, and
    within which families of how many tests they were corrected.

    Args:
        frame: of numbers and slugs.
        columns: those that are shown; all if none are named.
        most_families: more of them are counted and not named; all are named if it is missing.
    """
    same = "; ".join(text for text in tables.same_in_all_rows(frame, columns).values() if text)
    tested = _how_tested(frame, most_families)
    return " ".join(filter(None, [same and f"All rows: {same}.", tested]))


def _how_tested(frame: pd.DataFrame, most_families: int | None) -> str:
    parts = []
    if "interval" in frame and (said := _distinct(frame["interval"])):
        parts.append(f"Intervals: {'; '.join(said)}.")
    for prefix in ("", "against in order "):
        if f"{prefix}family" not in frame:
            continue
        sizes = frame[[f"{prefix}family", f"{prefix}family_size"]].dropna().drop_duplicates()
        known = {str(name): int(size) for name, size in sizes.to_numpy() if name}
        if known and len(known) > (most_families or len(known)):
            parts.append(f"p corrected by Holm within each of {_counted(known)}.")
        elif known:
            parts.append(f"p corrected by Holm within: {_families(known)}.")
    if "margin" in frame and (margins := sorted(frame["margin"].dropna().unique())):
        apart = " or ".join(_points(one) for one in margins)
        parts.append(
            f"Equivalent: two one-sided t-tests, less than {apart} apart; not shown is neither "
            "different nor equivalent."
        )
    return display_names.sentence(" ".join(parts))


def _families(sizes: Mapping[str, int]) -> str:
    """Each family with its number of tests; what all names end with is said once, before them."""
    named = [name.split(", ") for name in sizes]
    shared: list[str] = []
    while len(named) > 1 and len({name[-1] for name in named}) == 1 and min(map(len, named)) > 1:
        shared.insert(0, named[0][-1])
        named = [name[:-1] for name in named]
    pairs = zip(named, sizes.values(), strict=True)
    text = "; ".join(f"{', '.join(name)} ({_tests(size)})" for name, size in pairs)
    return f"{', '.join(shared)}: {text}" if shared else text


def _counted(sizes: Mapping[str, int]) -> str:
    """How many families there are, and how many tests they hold."""
    least, most = min(sizes.values()), max(sizes.values())
    tests = _tests(most) if least == most else f"{least} to {most} tests"
    return f"{len(sizes)} families of {tests}, which the file names"


def _tests(size: int) -> str:
    return "1 test" if size == 1 else f"{size} tests"


def _distinct(values: pd.Series) -> list[str]:
    return [str(one) for one in values.dropna().unique() if str(one)]


def _points(margin: float) -> str:
    return "a point" if margin == POINT else f"{100 * margin:g} points"
