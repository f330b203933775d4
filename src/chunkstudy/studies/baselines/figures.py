"""What each baseline gains over vectors, a panel a collection."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show import drawing
from chunkstudy.studies.baselines.arms import ARMS, TITLE, UNTITLED, VECTORS
from chunkstudy.studies.baselines.columns import named

ACROSS = 3
APART = 0.24
"""Of a row, between models."""
MARKED = ("o", "s", "^", "D")


def figure_gains(rows: pd.DataFrame, title: str) -> Figure:
    """Arms minus vectors with 95% intervals, by the first measure of each collection.

    Args:
        rows: of :func:`gains.gains`.
        title: what it shows, in a sentence.
    """
    collections: Sequence[str] = list(rows["collection"].unique())
    models: Sequence[str] = list(rows["model"].unique())
    arms = [one for one in ARMS if one != VECTORS]
    down = math.ceil(len(collections) / ACROSS)
    with drawing.style():
        figure, grid = plt.subplots(
            down, ACROSS, squeeze=False, sharey=True, figsize=(8.3, 1.75 * down + 0.5),
            layout="constrained",
        )  # fmt: skip
        for unused in grid.flat[len(collections) :]:
            unused.set_visible(False)
        for axes, collection in zip(grid.flat, collections, strict=False):
            part = rows[rows["collection"] == collection]
            part = part[part["measure"] == part["measure"].iloc[0]]
            for n, model in enumerate(models):
                own = part[part["model"] == model]
                at = np.array([arms.index(one) for one in own["arm"]], dtype=float)
                at += APART * (n - (len(models) - 1) / 2)
                label = display_names.encoder(model)
                drawing.intervals(axes, own, at, drawing.COLORS[n], label, marker=MARKED[n])
            drawing.zero(axes)
            lacking = [one for one in arms if one not in set(part["arm"])]
            for arm in lacking:
                why = "no titles" if arm == TITLE and collection in UNTITLED else "not run"
                axes.text(0, arms.index(arm), f" {why}", color="grey", fontsize=8, va="center")
            measure = display_names.measure(str(part["measure"].iloc[0]))
            axes.set_title(display_names.collection(collection), loc="left")
            axes.set_xlabel(f"minus vectors, points:\n{measure}")
        for first in grid[:, 0]:
            drawing.rows_named(first, [named(one) for one in arms])
        drawing.one_legend(figure, grid.flat, columns=len(models))
        drawing.titled(figure, title)
    return figure
