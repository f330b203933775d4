"""The figure of Jina's first post."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.study import drawing, titles


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
