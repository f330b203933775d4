"""What stands under a table, on a page and in LaTeX: what its rows share and how it was tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.evaluation.measures import POINT
from chunkstudy.runs import display_names

FEW = 3
"""Families that a page names one by one; more stand in the file."""
KINDS = {"measure": "measure", "collection": "collection", "protocol": "protocol",
         "encoder": "encoder", "model": "encoder"}  # fmt: skip
"""What a family may be named by, by column."""


def note(frame: pd.DataFrame, same: Sequence[str]) -> str:
    """What stands under a table: what all rows share, how its intervals and tests were made, and
    within which families of how many tests they were corrected."""
    shared = f"All rows: {'; '.join(same)}." if same else ""
    return " ".join(filter(None, [shared, _how_tested(frame)]))


def _how_tested(frame: pd.DataFrame) -> str:
    parts = []
    kinds = frame["interval"].dropna().unique() if "interval" in frame else ()
    if said := "; ".join(filter(None, map(str, kinds))):
        parts.append(f"Intervals: {said}.")
    for prefix in ("", "against in order "):
        if f"{prefix}family" not in frame:
            continue
        sizes = frame[[f"{prefix}family", f"{prefix}family_size"]].dropna().drop_duplicates()
        known = {_named(str(name), frame): int(size) for name, size in sizes.to_numpy() if name}
        if len(known) > FEW:
            parts.append(f"p corrected by Holm within each of {_counted(known)}.")
        elif known:
            parts.append(f"p corrected by Holm within: {_families(known)}.")
    if "margin" in frame and (margins := sorted(frame["margin"].dropna().unique())):
        points = ("a point" if one == POINT else f"{100 * one:g} points" for one in margins)
        apart = " or ".join(points)
        parts.append(
            f"Equivalent: two one-sided t-tests, less than {apart} apart; not shown is neither "
            "different nor equivalent."
        )
    return " ".join(parts)


def _named(family: str, frame: pd.DataFrame) -> str:
    """A family's name with what its rows' settings are called."""
    told = {**display_names.MODELS, **display_names.PROTOCOLS, **display_names.PAPER_TABLES}
    for column, kind in KINDS.items():
        slugs = list(frame[column].astype(str).unique()) if column in frame else []
        told |= {slug: display_names.shown(kind, slug) for slug in slugs if slug}
    for slug in sorted(told, key=len, reverse=True):
        family = family.replace(slug, told[slug])
    return family


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
