"""What each baseline and each context gains, a panel a collection, a mark a model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.display import drawing, titles
from chunkstudy.studies.baselines.systems import SYSTEMS, TITLE, UNTITLED

APART = 0.24
"""Of a row, between models."""
MARKED = "osD^v"


@drawing.style()
def figure_gains(rows: pd.DataFrame, title: str) -> Figure:
    """Arms minus vectors with 95% intervals, by the first measure of each collection.

    Args:
        rows: of :func:`gains.gains`.
        title: what it shows, in a sentence.
    """
    called = [titles.system(system) for system in SYSTEMS[1:]]
    figure, panels = _panels(rows, "arm", SYSTEMS[1:], called, 3, "vectors")
    for collection, axes in panels.items():
        if collection in UNTITLED:
            at = SYSTEMS[1:].index(TITLE)
            axes.text(0, at, " no titles", color="grey", fontsize=8, va="center")
    drawing.titled(figure, title)
    return figure


@drawing.style()
def figure_contexts(rows: pd.DataFrame) -> Figure:
    """With context minus plain with 95% intervals, over the most chunkers: first what a document
    offers, then what a language model wrote.

    Args:
        rows: of :func:`gains.context_gains`.
    """
    most = rows.groupby(["collection", "model", "context"])["chunkers"].transform("max")
    rows = rows[rows["chunkers"] == most]
    names = list(dict.fromkeys(rows["context"]))
    called = [name[0].upper() + name[1:] for name in map(titles.context, names)]
    figure = _panels(rows, "context", names, called, 2, "plain")[0]
    above, below = int((rows["low"] > 0).sum()), int((rows["high"] < 0).sum())
    drawing.titled(figure, f"Of {len(rows)} differences to plain chunks {above} have an interval "
                   f"above zero and {below} one below")  # fmt: skip
    return figure


def _panels(
    rows: pd.DataFrame,
    kind: str,
    names: Sequence[str],
    called: Sequence[str],
    across: int,
    against: str,
) -> tuple[Figure, dict[str, plt.Axes]]:
    """Differences by the first measure of each collection, so many panels in a row.

    Args:
        rows: of ``differences``, each of a ``collection`` and a ``model``.
        kind: the column whose values, ``names``, are rows of a panel, as they are ``called``.
        across: panels side by side.
        against: what the differences are to.
    """
    collections, models = list(rows["collection"].unique()), list(rows["model"].unique())
    down = math.ceil(len(collections) / across)
    figure, grid = plt.subplots(
        down, across, figsize=(8.3, down * (0.25 * len(names) + 0.9) + 0.5), squeeze=False,
        sharey=True, layout="constrained",
    )  # fmt: skip
    for unused in grid.flat[len(collections) :]:
        unused.set_visible(False)
    panels = dict(zip(collections, grid.flat, strict=False))
    for collection, axes in panels.items():
        part = rows[rows["collection"] == collection]
        part = part[part["measure"] == part["measure"].iloc[0]]
        for n, model in enumerate(models):
            own = part[part["model"] == model]
            at = np.array([names.index(name) for name in own[kind]], dtype=float)
            at += APART * (n - (len(models) - 1) / 2)
            label = titles.encoder(model)
            drawing.intervals(axes, own, at, drawing.COLORS[n], label, marker=MARKED[n])
        drawing.zero(axes)
        axes.set_title(titles.collection(collection), loc="left")
        measure = titles.measure(str(part["measure"].iloc[0]))
        axes.set_xlabel(f"minus {against}, points:\n{measure}")
    for first in grid[:, 0]:
        drawing.rows_named(first, called)
    drawing.one_legend(figure, panels.values(), columns=len(models))
    return figure, panels
