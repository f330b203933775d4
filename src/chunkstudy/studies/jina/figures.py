"""Figures of the notebooks on Jina's posts."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import drawing, titles

KEYS = ("source", "encoder", "chunker", "ordering")


@drawing.style()
def figure_gain_by_length(published: pd.DataFrame, ours: pd.DataFrame, encoder: str) -> Figure:
    """Late minus plain against document length, as the post draws it, our model's beside.

    Args:
        published: the post's arms (``arms``).
        ours: gains by collection with their intervals (``gains``); those whose length the post
            prints are drawn.
        encoder: the model that they are of.
    """
    ours = ours[ours["collection"].isin(published.index)]
    figure, axes = plt.subplots(figsize=(8.3, 4.4))
    axes.axhline(0, color="grey", lw=0.8, zorder=0)
    x, y = published["document length"], 100 * published["late - plain"]
    axes.plot(x, y, "o", color=drawing.PLAIN, label="published, Jina v2 small")
    for at, gain, name in zip(x, y, published.index, strict=True):
        by_the_axis = at < x.max() / 10
        axes.annotate(titles.collection(name), (at, gain),
                      xytext=(6 if by_the_axis else -6, 6), textcoords="offset points",
                      ha="left" if by_the_axis else "right")  # fmt: skip
    gain = 100 * ours["difference"]
    errors = [gain - 100 * ours["low"], 100 * ours["high"] - gain]
    beside = x[ours["collection"]] + 12
    label = f"{titles.encoder(encoder)}, 95% interval"
    axes.errorbar(beside, gain, yerr=errors, fmt="s", ms=4, color=drawing.LATE, label=label)
    axes.set(xlabel="mean document length (characters)",
             ylabel="late minus plain (points)")  # fmt: skip
    axes.legend(loc="upper left")
    return figure


@drawing.style()
def figure_combinations(rows: pd.DataFrame) -> Figure:
    """Plain and late scores of every encoder and chunker, a panel per collection.

    Args:
        rows: ``KEYS`` and a column a collection (``combinations``).
    """
    names = [name for name in rows if name not in KEYS]
    keys = list(dict.fromkeys(zip(rows["encoder"], rows["chunker"], strict=True)))
    keys.sort(key=lambda key: list(dict.fromkeys(rows["encoder"])).index(key[0]))
    down = math.ceil(len(names) / 2)
    figure, panels = plt.subplots(
        down, 2, figsize=(8.6, down * (0.26 * len(keys) + 1)), sharey=True, squeeze=False,
    )  # fmt: skip
    for unused in panels.flat[len(names) :]:
        unused.set_visible(False)
    for axes, name in zip(panels.flat, names, strict=False):
        for at, (encoder, chunker) in enumerate(keys):
            here = rows[(rows["encoder"] == encoder) & (rows["chunker"] == chunker)]
            late = here["ordering"] != "pre_embedding"
            ends = 100 * here[name]
            axes.hlines(at, ends.min(), ends.max(), color="0.8", lw=3, zorder=0)
            for color, part, name_of in (
                (drawing.PLAIN, ends[~late], "plain"),
                (drawing.LATE, ends[late], "late"),
            ):
                label = name_of if at == 0 else None
                axes.plot(part, [at] * len(part), "o", ms=5, color=color, label=label)
        axes.set_title(titles.collection(str(name)), loc="left")
        axes.set_xlabel("nDCG@10 (%)")
    labels = [f"{titles.encoder(e)}: {titles.chunker(c)}" for e, c in keys]
    for first in panels[:, 0]:
        drawing.rows_named(first, labels)
    drawing.one_legend(figure, panels.flat, columns=2)
    return figure
