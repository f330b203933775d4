"""How far a chunk's vector moves when text at a distance is replaced, a column per model."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import COLORS, intervals, one_legend, style

ROWS = {
    "all beyond": "all beyond replaced,\nchunk at the other end",
    "all beyond, from the middle": "all beyond replaced,\nchunk in the middle",
    "64 tokens": "64 tokens replaced,\nat an end of the text",
}
WAYS = {"later": ("text that comes later", "o"), "earlier": ("text that comes before", "s")}
UNIT = "of the next chunk"


@style()
def figure_reach(rows: pd.DataFrame) -> Figure:
    """A panel per model and kind of replacement; both directions over the distance."""
    models = list(dict.fromkeys(rows["model"]))
    figure, panels = plt.subplots(
        len(ROWS), len(models), figsize=(2.15 * len(models), 7.2), squeeze=False
    )
    for down, (what, name) in enumerate(ROWS.items()):
        for across, model in enumerate(models):
            axes = panels[down][across]
            here = rows[(rows["replaced"] == what) & (rows["model"] == model)]
            distances = sorted(here["distance"].unique())
            for n, (way, (label, marker)) in enumerate(WAYS.items()):
                part = here[here["direction"] == way].sort_values("distance")
                at = [distances.index(one) + 0.12 * (2 * n - 1) for one in part["distance"]]
                axes.plot(at, 100 * part[UNIT], color=COLORS[n], lw=1.2)
                ends = (f"{UNIT} low", f"{UNIT} high")
                intervals(axes, part, at, COLORS[n], label, UNIT, ends, upright=True, marker=marker)
            axes.axhline(0, color="grey", lw=0.8, zorder=0)
            axes.set_xticks(range(len(distances)), [str(one) for one in distances])
            if not across:
                axes.set_ylabel(name)
            if not down:
                count = int(here["texts"].max())
                title = display_names.encoder(model).replace(" in four", "\nin four")
                axes.set_title(f"{title}\n{count} texts", loc="left")
            if down == len(ROWS) - 1:
                axes.set_xlabel("tokens between\nchunk and change")
    unit = "% of the distance between neighbouring chunks that are read alone"
    figure.supylabel(f"movement of a chunk's vector, {unit}", fontsize=9)
    one_legend(figure, panels.flat, columns=2)
    return figure
