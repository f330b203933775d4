"""Late minus plain chunks read whole, a line a layout."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import drawing, titles
from chunkstudy.studies.layouts.reading import TODAY

MARKED = ("o", "s", "^", "D", "v", "P")
APART = 11
"""Tokens that layouts stand apart at one window, to be told from each other."""
NAMES = {
    TODAY: "one window per token, most context",
    "no overlap": "one window per token, no overlap",
    "averaged": "two windows averaged",
    "packed": "packed with whole chunks",
}


@drawing.style()
def figure_by_layout(rows: pd.DataFrame, title: str) -> Figure:
    """Late minus plain chunks read whole by window with 95% intervals; a column a collection, a row
    a model, a line a layout.

    Args:
        rows: of :func:`gains.over_plain`.
        title: what it shows, in a sentence.
    """
    models, collections, layouts = (
        list(rows[one].unique()) for one in ("model", "collection", "layout")
    )
    figure, grid = plt.subplots(
        len(models), len(collections), squeeze=False, sharex=True, sharey="row",
        figsize=(4.4 * len(collections), 2.6 * len(models) + 0.9),
    )  # fmt: skip
    for (model, collection), part in rows.groupby(["model", "collection"], sort=False):
        axes = grid[models.index(model), collections.index(collection)]
        for layout, some in part.groupby("layout", sort=False):
            n = layouts.index(layout)
            here = some.sort_values("window")
            at = here["window"] + APART * (n - (len(layouts) - 1) / 2)
            wide = 2.0 if layout == TODAY else 1.0
            axes.plot(at, 100 * here["difference"], color=drawing.COLORS[n], lw=wide)
            drawing.intervals(
                axes, here, at, drawing.COLORS[n], NAMES.get(str(layout), str(layout)),
                upright=True, marker=MARKED[n],
            )  # fmt: skip
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
        axes.set_xticks(sorted(rows["window"].unique()))
        axes.set_title(
            f"{titles.collection(str(collection))}, {titles.encoder(str(model))}",
            loc="left",
        )
    for axes in grid[:, 0]:
        axes.set_ylabel("late minus plain, points")
    for axes in grid[-1]:
        axes.set_xlabel("window: tokens read at once")
    drawing.one_legend(figure, grid.flat, columns=2)
    drawing.titled(figure, title)
    return figure
