"""What late chunking gains where documents are looked for, and how alike neighbours grow."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import drawing, titles


@drawing.style()
def figure_gains(rows: pd.DataFrame) -> Figure:
    """Late minus plain with 95% intervals: a panel a collection, a row a chunker, a colour a
    protocol."""
    collections, protocols = (list(rows[one].unique()) for one in ("collection", "protocol"))
    counts = [rows[rows["collection"] == one]["chunker"].nunique() for one in collections]
    height = 1.4 + 0.35 * sum(counts) + 0.6 * len(collections)
    figure, panels = plt.subplots(
        len(collections), 1, figsize=(8.3, height), squeeze=False, sharex=True,
        height_ratios=counts,
    )  # fmt: skip
    for axes, name in zip(panels[:, 0], collections, strict=True):
        part = rows[rows["collection"] == name]
        chunkers = list(part["chunker"].unique())
        for n, protocol in enumerate(protocols):
            here = part[part["protocol"] == protocol]
            at = [chunkers.index(one) + 0.2 * (n - 1) for one in here["chunker"]]
            label = titles.protocol(protocol)
            drawing.intervals(axes, here, at, drawing.COLORS[n], label)
        drawing.zero(axes)
        drawing.rows_named(axes, [titles.chunker(one) for one in chunkers])
        measure, count = part["measure"].iloc[0], part["n"].max()
        title = f"{titles.collection(name)}, {measure}, {count:,.0f} questions"
        axes.set_title(title, loc="left")
    panels[-1, 0].set_xlabel("late minus plain chunking, points, 95% interval")
    drawing.one_legend(figure, panels[:, 0], columns=3)
    title = "Where documents are looked for, late chunking gains seldom and by little"
    drawing.titled(figure, title)
    return figure


@drawing.style()
def figure_alike(rows: pd.DataFrame) -> Figure:
    """Mean cosine similarity of neighbouring chunks under both orderings, a row a collection and
    chunker."""
    rows = rows[rows["pairs"] == "neighbours"].reset_index(drop=True)
    at = np.arange(len(rows))
    figure, axes = plt.subplots(figsize=(8.3, 0.3 * len(rows) + 1.5))
    axes.hlines(at, rows["pre_embedding"], rows["contextualized"], color="0.8", lw=3)
    axes.plot(rows["pre_embedding"], at, "o", color=drawing.PLAIN, label="plain")
    axes.plot(rows["contextualized"], at, "o", color=drawing.LATE, label="late")
    named = zip(rows["collection"], rows["chunker"], strict=True)
    drawing.rows_named(
        axes,
        [f"{titles.collection(one)}: {titles.chunker(cut)}" for one, cut in named],
    )
    axes.set_xlabel("mean cosine similarity of neighbouring chunks of one document")
    drawing.one_legend(figure, [axes], columns=2)
    drawing.titled(figure, "Neighbouring chunks grow alike under late chunking")
    return figure
