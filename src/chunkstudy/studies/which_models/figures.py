"""How far a chunk's vector moves when text at a distance is replaced, a column per model."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.studies.which_models.bidirectionality import BEYOND, EARLIER, HALF, LATER
from chunkstudy.studies.which_models.reach import UNIT
from chunkstudy.study import titles
from chunkstudy.study.drawing import COLORS, intervals, one_legend, style

ROWS = {BEYOND: "chunk at the other end", HALF: "chunk in the middle"}
WAYS = {LATER: ("text that comes later", "o"), EARLIER: ("text that comes before", "s")}


@style()
def figure_reach(rows: pd.DataFrame) -> Figure:
    """A panel per model and place of the chunk; both directions over the distance."""
    models = list(dict.fromkeys(rows["model"]))
    figure, panels = plt.subplots(
        len(ROWS), len(models), figsize=(2.15 * len(models), 5.2), squeeze=False
    )
    for line, (what, name) in zip(panels, ROWS.items(), strict=True):
        line[0].set_ylabel(name)
        for axes, model in zip(line, models, strict=True):
            of_model = rows[(rows["replaced"] == what) & (rows["model"] == model)]
            distances = sorted(of_model["distance"].unique())
            for n, (way, (label, marker)) in enumerate(WAYS.items()):
                part = of_model[of_model["direction"] == way].sort_values("distance")
                at = [distances.index(one) + 0.12 * (2 * n - 1) for one in part["distance"]]
                axes.plot(at, 100 * part[UNIT], color=COLORS[n], lw=1.2)
                ends = (f"{UNIT} low", f"{UNIT} high")
                intervals(axes, part, at, COLORS[n], label, UNIT, ends, upright=True, marker=marker)
            axes.axhline(0, color="grey", lw=0.8, zorder=0)
            axes.set_xticks(range(len(distances)), [str(distance) for distance in distances])
    for top, bottom, model in zip(panels[0], panels[-1], models, strict=True):
        texts = int(rows.loc[rows["model"] == model, "texts"].max())
        title = titles.encoder(model).replace(" in four", "\nin four")
        top.set_title(f"{title}\n{texts} texts", loc="left")
        bottom.set_xlabel("tokens between\nchunk and change")
    movement = (
        "movement of a chunk's vector, % of the distance\nbetween neighbours that are read alone"
    )
    figure.supylabel(movement, fontsize=9)
    one_legend(figure, panels.flat, columns=2)
    return figure
