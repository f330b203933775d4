"""Figures of trained late chunking: what it costs before and after, and by how many triples."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import (
    COLORS,
    LATE,
    PLAIN,
    intervals,
    one_legend,
    rows_named,
    style,
    zero,
)
from chunkstudy.studies.trained_late_chunking.columns import ARMS


@style()
def figure_costs(rows: pd.DataFrame) -> Figure:
    """A row per model, two panels per collection: the mean scores of both orderings,
    and late minus plain with 95% intervals."""
    collections = list(dict.fromkeys(rows["collection"]))
    names = list(dict.fromkeys(zip(rows["window"], rows["trained on"], strict=True)))
    figure, panels = plt.subplots(
        1, 2 * len(collections), figsize=(9, 0.34 * len(names) + 1.9), squeeze=False,
        sharey=True,
    )  # fmt: skip
    for n, collection in enumerate(collections):
        here = rows[rows["collection"] == collection]
        keys = zip(here["window"], here["trained on"], strict=True)
        at = np.array([names.index(key) for key in keys])
        means, apart = panels[0][2 * n], panels[0][2 * n + 1]
        plain, late = 100 * here["plain"], 100 * here["late"]
        means.hlines(at, plain, late, color="0.8", lw=3, zorder=0)
        means.plot(plain, at, "o", ms=5, color=PLAIN, label="plain chunking")
        means.plot(late, at, "D", ms=4, color=LATE, label="late chunking")
        means.set_xlabel("DCG@10, percent")
        means.set_title(_title(collection, here), loc="left", fontsize=9)
        intervals(apart, here, at, "0.25", "late minus plain, 95% interval")
        zero(apart)
        apart.set_xlabel("late minus plain, points")
    rows_named(panels[0][0], [_named(*name) for name in names])
    one_legend(figure, panels[0], columns=3)
    return figure


@style()
def figure_triples(rows: pd.DataFrame) -> Figure:
    """Late minus plain with 95% intervals, and both scores, by triples seen; none is the model as
    it was. A panel per collection."""
    collections = list(dict.fromkeys(rows["collection"]))
    figure, panels = plt.subplots(
        2, len(collections), figsize=(8.3, 5.6), squeeze=False, sharex=True, sharey="row",
    )  # fmt: skip
    for column, collection in enumerate(collections):
        here = rows[rows["collection"] == collection].sort_values("triples")
        at = np.arange(len(here))
        scores, apart = panels[0][column], panels[1][column]
        for name, color in (("plain", PLAIN), ("late", LATE)):
            scores.plot(at, 100 * here[name], "o-", color=color, label=f"{name} chunking")
        scores.set_title(_title(collection, here), loc="left", fontsize=9)
        intervals(apart, here, at, COLORS[2], "late minus plain, 95% interval", upright=True)
        apart.axhline(0, color="grey", lw=0.8, zorder=0)
        apart.set_xticks(at, [f"{count:,}" for count in here["triples"]])
        apart.set_xlabel("triples seen in training")
    panels[0][0].set_ylabel("DCG@10, percent")
    panels[1][0].set_ylabel("late minus plain, points")
    one_legend(figure, panels.flat, columns=3)
    return figure


def _title(collection: str, rows: pd.DataFrame) -> str:
    least, most = rows["n"].min(), rows["n"].max()
    count = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{display_names.collection(collection)}\n{count} questions"


def _named(window: int, arm: str) -> str:
    trained = "As released" if arm == "untrained" else f"Trained on {ARMS[arm]}"
    return f"{trained}, {window} tokens"
