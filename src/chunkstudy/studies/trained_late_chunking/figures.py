"""The figure of trained late chunking: what it costs before and after."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.study import titles
from chunkstudy.study.drawing import (
    LATE,
    PLAIN,
    intervals,
    one_legend,
    rows_named,
    style,
    titled,
    zero,
)
from chunkstudy.study.titles import TRAINED_ON


@style()
def figure_costs(rows: pd.DataFrame) -> Figure:
    """A row per model, two panels per collection: the mean scores of both orderings,
    and late minus plain with 95% intervals."""
    systems = list(dict.fromkeys(rows["trained on"]))
    collections = rows.groupby("collection")
    figure, panels = plt.subplots(
        1, 2 * len(collections), figsize=(9, 0.34 * len(systems) + 1.9), squeeze=False, sharey=True
    )
    pairs = panels.reshape(-1, 2)
    for (means, differences), (collection, models) in zip(pairs, collections, strict=True):
        at = np.array([systems.index(system) for system in models["trained on"]])
        plain, late = 100 * models["plain"], 100 * models["late"]
        means.hlines(at, plain, late, color="0.8", lw=3, zorder=0)
        means.plot(plain, at, "o", ms=5, color=PLAIN, label="plain chunking")
        means.plot(late, at, "D", ms=4, color=LATE, label="late chunking")
        means.set_xlabel("DCG@10, percent")
        name, count = titles.collection(str(collection)), models["n"].max()
        means.set_title(f"{name}\n{count:,} questions", loc="left", fontsize=9)
        intervals(differences, models, at, "0.25", "late minus plain, 95% interval")
        zero(differences)
        differences.set_xlabel("late minus plain, points")
    named = {"untrained": "As released"}
    rows_named(
        panels[0][0], [named.get(system, f"Trained on {TRAINED_ON[system]}") for system in systems]
    )
    one_legend(figure, panels[0], columns=3)
    below, lower = int((rows["high"] < 0).sum()), int((rows["difference"] < 0).sum())
    titled(figure, f"Late chunking scores lower than plain chunking with the same model in {lower} "
           f"of {len(rows)} comparisons, in {below} with an interval below zero")  # fmt: skip
    return figure
