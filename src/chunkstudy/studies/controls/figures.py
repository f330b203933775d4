"""Figures of the controls: boundaries at random, and reading at an equal budget."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import (
    COLORS,
    intervals,
    one_legend,
    rows_named,
    zero,
)

CHUNKS = "chunks"


def figure_boundaries(rows: pd.DataFrame) -> Figure:
    """The method minus the mean of its draws, with 95% intervals, a panel per measure; behind them
    how far the method lies from its best and worst draw."""
    arms = ["collection", "part", "chunker", "encoder", "ordering"]
    names = list(rows[arms].drop_duplicates().itertuples(index=False, name=None))
    measures, kinds = (list(dict.fromkeys(rows[one])) for one in ("measure", "boundaries"))
    figure, panels = plt.subplots(
        1, len(measures), figsize=(8.3, 0.62 * len(names) + 1.9), squeeze=False, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for axes, measure in zip(panels[0], measures, strict=True):
        for offset, kind in enumerate(kinds):
            here = rows[(rows["measure"] == measure) & (rows["boundaries"] == kind)]
            keys = here[arms].itertuples(index=False, name=None)
            at = np.array([names.index(key) for key in keys]) + 0.26 * (offset - 0.5)
            best, worst = (
                100 * (here["chosen"] - here[end]) for end in ("highest draw", "lowest draw")
            )
            axes.hlines(at, best, worst, color="0.85", lw=6, zorder=0, label="against single draws")
            intervals(axes, here, at, COLORS[offset], f"against random ones {kind}")
        zero(axes)
        axes.set_title(display_names.measure(str(measure)), loc="left")
        axes.set_xlabel("chosen minus random, points")
    rows_named(panels[0][0], [_arm(*name) for name in names])
    figure.suptitle(
        "Boundaries that a method chose against the same sizes in another order\n"
        "dots: mean over the draws, 95% interval"
    )
    one_legend(figure, panels[0], columns=3)
    return figure


def figure_overlap(rows: pd.DataFrame) -> Figure:
    """With minus without overlap, with 95% intervals: five chunks, then by budget; a panel per way
    of counting what two chunks share; of the first collection."""
    rows = rows[rows["collection"] == rows["collection"].iloc[0]]
    pairs = rows[["chunker", "ordering"]].drop_duplicates().sort_values("ordering", kind="stable")
    names = list(pairs.itertuples(index=False, name=None))
    counts = [one for one in dict.fromkeys(rows["counted"]) if one != CHUNKS]
    figure, panels = plt.subplots(
        1, len(counts), figsize=(8.3, 0.5 * len(names) + 1.9), squeeze=False, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for axes, counted in zip(panels[0], counts, strict=True):
        part = rows[rows["counted"].isin((CHUNKS, counted))]
        steps = list(dict.fromkeys(zip(part["counted"], part["budget"], strict=True)))
        for offset, (how, budget) in enumerate(steps):
            here = part[(part["counted"] == how) & (part["budget"] == budget)]
            keys = here[["chunker", "ordering"]].itertuples(index=False, name=None)
            at = np.array([names.index(key) for key in keys])
            at = at + 0.19 * (offset - (len(steps) - 1) / 2)
            color, label = (
                ("0.55", f"the first {budget} chunks")
                if how == CHUNKS
                else (COLORS[offset - 1], f"{budget:,} tokens")
            )
            intervals(axes, here, at, color, label)
        zero(axes)
        axes.set_title(f"shared text counted {counted}", loc="left")
        axes.set_xlabel("recall with minus without overlap, points")
    rows_named(panels[0][0], [display_names.arm(*name).capitalize() for name in names])
    figure.suptitle(f"What overlap gains: {_asked(rows)}, 95% intervals")
    one_legend(figure, panels[0], columns=4)
    return figure


def figure_sizes(rows: pd.DataFrame) -> Figure:
    """Recall by mean chunk size, for chunkers without overlap, a panel per ordering: five chunks,
    then by budget, what two chunks share counted again; of the first collection."""
    rows = rows[rows["collection"] == rows["collection"].iloc[0]]
    rows = rows[rows["counted"].isin((CHUNKS, "again"))]
    rows = rows[rows["chunker"].str.match(r"(recursive|token)-\d+-0$")]
    orderings = list(dict.fromkeys(rows["ordering"]))
    figure, panels = plt.subplots(
        1,
        len(orderings),
        figsize=(8.3, 4.0),
        squeeze=False,
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for axes, ordering in zip(panels[0], orderings, strict=True):
        part = rows[rows["ordering"] == ordering]
        steps = list(dict.fromkeys(zip(part["counted"], part["budget"], strict=True)))
        for offset, (how, budget) in enumerate(steps):
            for family, line in (("recursive", "-"), ("token", ":")):
                here = part[(part["counted"] == how) & (part["budget"] == budget)]
                here = here[here["chunker"].str.startswith(family)].sort_values("tokens")
                color, label = (
                    ("0.55", f"first {budget} chunks")
                    if how == CHUNKS
                    else (COLORS[offset - 1], f"{budget:,} tokens")
                )
                intervals(
                    axes, here, here["tokens"], color, None, "recall",
                    ("recall low", "recall high"), upright=True,
                )  # fmt: skip
                name = f"{label}, {display_names.FAMILIES[family].lower()}"
                axes.plot(here["tokens"], 100 * here["recall"], line, color=color, label=name)
        axes.set_title(display_names.ordering(ordering), loc="left")
        axes.set_xlabel("mean tokens a chunk")
    panels[0][0].set_ylabel("recall of excerpts (%), 95% interval")
    figure.suptitle(_asked(rows))
    one_legend(figure, panels[0], columns=4)
    return figure


def _arm(collection: str, part: str, chunker: str, encoder: str, ordering: str) -> str:
    where = display_names.collection(collection) + ("" if part == "all" else f",\n{part}")
    model = display_names.encoder(encoder).split(",")[0]
    return f"{display_names.arm(chunker, ordering)}\n{where}, {model}"


def _asked(rows: pd.DataFrame) -> str:
    encoders = " and ".join(map(display_names.encoder, dict.fromkeys(rows["encoder"])))
    name, count = str(rows["collection"].iloc[0]), rows["n"].max()
    return f"{display_names.collection(name)}, {count:.0f} questions, {encoders}"
