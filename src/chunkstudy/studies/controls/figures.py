"""Figures of the controls: boundaries at random, and reading at an equal budget."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.study import titles
from chunkstudy.study.drawing import (
    COLORS,
    Color,
    intervals,
    one_legend,
    rows_named,
    style,
    titled,
    zero,
)

CHUNKS = "chunks"
READ_BY: list[Color] = ["0.55", *COLORS]
"""Colours of the first chunks and of the budgets."""


@style()
def figure_boundaries(rows: pd.DataFrame) -> Figure:
    """The method minus the mean of its draws, with 95% intervals, a panel per measure; behind them
    how far the method lies from its best and worst draw."""
    arms = ["collection", "part", "chunker", "encoder", "ordering"]
    names = list(rows[arms].drop_duplicates().itertuples(index=False, name=None))
    measures, kinds = (list(dict.fromkeys(rows[column])) for column in ("measure", "boundaries"))
    figure, panels = plt.subplots(
        1, len(measures), figsize=(8.3, 0.62 * len(names) + 1.9), squeeze=False, sharey=True,
    )  # fmt: skip
    for axes, measure in zip(panels[0], measures, strict=True):
        for offset, kind in enumerate(kinds):
            matching = rows[(rows["measure"] == measure) & (rows["boundaries"] == kind)]
            keys = matching[arms].itertuples(index=False, name=None)
            at = np.array([names.index(key) for key in keys]) + 0.26 * (offset - 0.5)
            best, worst = (
                100 * (matching["chosen"] - matching[end])
                for end in ("highest draw", "lowest draw")
            )
            axes.hlines(at, best, worst, color="0.85", lw=6, zorder=0, label="against single draws")
            intervals(axes, matching, at, COLORS[offset], f"against random ones {kind}")
        zero(axes)
        axes.set_title(titles.measure(str(measure)), loc="left")
        axes.set_xlabel("chosen minus random, points")
    rows_named(panels[0][0], [_arm(*name) for name in names])
    one_legend(figure, panels[0], columns=3)
    titled(
        figure,
        "Chosen boundaries minus the same sizes in another order: mean of draws, 95% interval",
    )
    return figure


@style()
def figure_sizes(rows: pd.DataFrame) -> Figure:
    """Recall by mean chunk size, for chunkers without overlap, a panel per ordering: five chunks,
    then by budget, what two chunks share counted again; of the first collection."""
    rows = rows[rows["collection"] == rows["collection"].iloc[0]]
    rows = rows[rows["counted"].isin((CHUNKS, "again"))]
    rows = rows[rows["chunker"].str.match(r"(recursive|token)-\d+-0$")]
    budgets = list(dict.fromkeys(zip(rows["counted"] == CHUNKS, rows["budget"], strict=True)))
    groups = list(rows.groupby("ordering", sort=False))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(8.3, 4.0), squeeze=False, sharex=True, sharey=True,
    )  # fmt: skip
    for axes, (ordering, own) in zip(panels[0], groups, strict=True):
        for color, (by_chunks, budget) in zip(READ_BY, budgets, strict=False):
            read = f"first {budget} chunks" if by_chunks else f"{budget:,} tokens"
            matching = own[((own["counted"] == CHUNKS) == by_chunks) & (own["budget"] == budget)]
            for family, line in (("recursive", "-"), ("token", ":")):
                some = matching[matching["chunker"].str.startswith(family)].sort_values("tokens")
                ends = ("recall low", "recall high")
                intervals(axes, some, some["tokens"], color, None, "recall", ends, upright=True)
                label = read if family == "recursive" else None
                axes.plot(some["tokens"], 100 * some["recall"], line, color=color, label=label)
        axes.set_title(titles.ordering(str(ordering)), loc="left")
        axes.set_xlabel("mean tokens per chunk")
    panels[0][0].set_ylabel("recall of excerpts (%), 95% interval")
    one_legend(figure, panels[0], columns=4)
    where = titles.collection(str(rows["collection"].iloc[0]))
    encoders = " and ".join(map(titles.encoder, rows["encoder"].unique()))
    titled(
        figure,
        f"{where}, {rows['n'].max():.0f} questions, {encoders}; solid: recursive, dotted: token "
        "windows",
    )
    return figure


def _arm(collection: str, part: str, chunker: str, encoder: str, ordering: str) -> str:
    where = titles.collection(collection) + ("" if part == "all" else f",\n{part}")
    model = titles.encoder(encoder).split(",")[0]
    return f"{titles.arm(chunker, ordering)}\n{where}, {model}"
