"""The figure of which chunker to use: scores of every task, grouped by who is behind the best."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from chunkstudy.places import Places


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the table is there."""
    path = places.tables / "which_chunker.csv"
    if path.exists():
        yield "which_chunker", scores(pd.read_csv(path, keep_default_na=False))


def scores(table: pd.DataFrame) -> Figure:
    """Score with 95% interval, a panel per task; grey where it is behind the best."""
    tasks = list(dict.fromkeys(table["task"]))
    most = int(table["task"].value_counts().max())
    figure, panels = plt.subplots(
        1, len(tasks), figsize=(4.2 * len(tasks), 0.24 * most + 1.2), layout="constrained"
    )
    shades = {"no": sns.color_palette("colorblind")[0], "yes": "0.65"}
    for axes, task in zip(panels, tasks, strict=True):
        part = table[table["task"] == task].reset_index(drop=True)
        low, middle, high = (part[name].astype(float) for name in ("low", "score", "high"))
        for at, behind in enumerate(part["behind"]):
            errors = [[middle[at] - low[at]], [high[at] - middle[at]]]
            shade = shades.get(behind, shades["no"])
            axes.errorbar(middle[at], at, xerr=errors, fmt="o", ms=4, lw=1.2, color=shade)
        late = ["late" if name == "contextualized" else "" for name in part["ordering"]]
        names = [f"{c}, {o}" if o else c for c, o in zip(part["chunker"], late, strict=True)]
        axes.set_yticks(range(len(part)), names, fontsize=7)
        axes.set_ylim(most - 0.5, -0.5)
        axes.set_title(f"{task}, {part['n'][0]} queries", loc="left")
        axes.set_xlabel(f"{part['measure'][0]} (%)")
    words = ("best, or not shown to be worse", "behind the best")
    handles = [plt.Line2D([], [], marker="o", ms=4, color=shades[one]) for one in ("no", "yes")]
    shortest = panels[int(table.groupby("task", sort=False).size().argmin())]
    shortest.legend(handles, words, loc="lower center", fontsize=8)
    return figure
