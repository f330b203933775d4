"""What late chunking gains by window, a line a model or a layout."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.studies.late_chunking.systems import AVERAGED, E5, EVERY, TODAY
from chunkstudy.study import drawing, titles

MARKED = ("o", "s", "^", "D")
APART = 10
"""Tokens that lines stand apart at one window, to be told from each other."""
LAYOUTS = {
    TODAY: "one window per token, most context",
    "no overlap": "one window per token, no overlap",
    AVERAGED: "two windows averaged",
    "packed": "packed with whole chunks",
}
UNPUBLISHED = (E5,)
"""Models of which nobody says how long their training texts were; the others' had 128 tokens."""
DASHED = "dashed: against plain chunks read whole"


@drawing.style()
def figure_by_window(
    rows: pd.DataFrame, line: str, row: str, title: str, whole: pd.DataFrame | None = None
) -> Figure:
    """Late minus plain by window with 95% intervals; a column per collection.

    Args:
        rows: of :func:`gains.by_window` or :func:`gains.by_layout`.
        line: the column that has a line a value, ``model`` or ``layout``.
        row: the column that has a row of panels a value, ``measure`` or ``model``.
        title: what it shows, in a sentence.
        whole: the same against plain chunks that are read whole, dashed.
    """
    rows = rows[rows["over"] == EVERY] if "over" in rows else rows
    collections, lines, levels = (list(rows[key].unique()) for key in ("collection", line, row))
    figure, grid = plt.subplots(
        len(levels), len(collections), squeeze=False, sharex=True, sharey="row",
        figsize=(4.3 * len(collections), 2.5 * len(levels) + 1),
    )  # fmt: skip
    for (collection, level, name), part in rows.groupby(["collection", row, line], sort=False):
        axes = grid[levels.index(level), collections.index(collection)]
        n = lines.index(name)
        color, shift = drawing.COLORS[n], APART * (n - (len(lines) - 1) / 2)
        part = part.sort_values("window")
        at = part["window"] + shift
        axes.plot(at, 100 * part["difference"], color=color, lw=1.2)
        label = _label(line, str(name))
        drawing.intervals(axes, part, at, color, label, upright=True, marker=MARKED[n])
        if whole is not None:
            keys = {"collection": collection, row: level, line: name}
            same = whole[(whole[list(keys)] == list(keys.values())).all(axis=1)]
            same = same.sort_values("window")
            at, middle = same["window"] + shift, 100 * same["difference"]
            axes.plot(at, middle, color=color, ls="--", lw=1.2)
            axes.vlines(at, 100 * same["low"], 100 * same["high"], color=color, lw=0.7)
        axes.set_xticks(sorted(set(rows["window"]).union([] if whole is None else whole["window"])))
    for axes in grid.flat:
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
    for axes, level in zip(grid[:, 0], levels, strict=True):
        kind = "encoder" if row == "model" else row
        axes.set_ylabel(f"{titles.shown(kind, level)}:\nlate minus plain, points")
    for axes, collection in zip(grid[0], collections, strict=True):
        first = rows[rows["collection"] == collection].iloc[0]
        count = f"{first['n']:,.0f} questions, {first['chunkers']} chunkers"
        axes.set_title(f"{titles.collection(str(collection))}\n{count}", loc="left")
    for axes in grid[-1]:
        axes.set_xlabel("window: tokens read at once")
    if whole is not None:
        grid[0, 0].plot([], [], color="grey", lw=1.2, ls="--", label=DASHED)
    drawing.one_legend(figure, grid.flat, columns=2)
    drawing.titled(figure, title)
    return figure


def _label(line: str, name: str) -> str:
    if line == "layout":
        return LAYOUTS[name]
    tuned = "training length unpublished" if name in UNPUBLISHED else "tuned on 128 tokens"
    return f"{titles.encoder(name)}, {tuned}"
