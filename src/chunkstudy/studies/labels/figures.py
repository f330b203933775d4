"""Figures of labelled chunks."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.runs import display_names
from chunkstudy.show import formats
from chunkstudy.show.drawing import (
    COLORS,
    LOG,
    intervals,
    rows_named,
    style,
    zero,
)

LABELS, SPANS, MICRO, BEST = COLORS[0], COLORS[1], COLORS[3], "0.6"
FAMILIES = {"recursive": "o", "token": "s"}
CURVES = {
    ("token-250-125", "token-250-0"): "overlap or none",
    ("recursive-100-0", "recursive-50-0"): "100 or 50 tokens",
    ("recursive-200-0", "recursive-100-0"): "200 or 100 tokens",
    ("recursive-400-0", "recursive-250-0"): "400 or 250 tokens",
    ("recursive-250-0", "token-250-0"): "recursive or token windows",
}
"""Pairs whose curves are drawn, with what each asks."""
GIVEN = 0.02
"""The difference whose needed queries the table states, from which the grey lines follow."""


@style()
def figure_chunk_size(rows: pd.DataFrame) -> Figure:
    """Precision and recall against the mean chunk: by labels, by spans, and the best labels."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True)
    for axes, measure, span in zip(
        panels, ("precision", "recall"), ("SpanPrecision", "SpanRecall"), strict=True
    ):
        for family, marker in FAMILIES.items():
            of_family = rows[rows["chunker"].str.startswith(family)]
            plain = of_family[of_family["chunker"].str.endswith("-0")].sort_values("mean tokens")
            overlapping = of_family[~of_family["chunker"].str.endswith("-0")]
            for part, line, fill in ((plain, "-", None), (overlapping, "", "white")):
                x = part["mean tokens"]
                shape = {"marker": marker, "ls": line, "mfc": fill, "ms": 5.5, "lw": 1.2}
                best = {**shape, "lw": 0.8, "ms": 3.5}
                axes.plot(x, 100 * part[f"best {measure}"], color=BEST, **best)
                axes.plot(x, 100 * part[span], color=SPANS, **shape)
                value = 100 * part[measure]
                low, high = (100 * part[f"{measure} {end}"] for end in ("low", "high"))
                spread = [value - low, high - value]
                axes.errorbar(x, value, spread, color=LABELS, elinewidth=0.8, **shape)
        axes.set_xscale(LOG)
        axes.set_xticks([30, 50, 100, 200, 400])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set(xlabel="mean chunk (tokens)", ylim=(0, None))
        axes.set_title(f"{measure} at {rows['k'].iloc[0]} chunks (%)", loc="left")
    handles = [Line2D([], [], color=c, lw=2) for c in (LABELS, SPANS, BEST)]
    handles += [Line2D([], [], color="black", marker=m, ls="") for m in FAMILIES.values()]
    handles += [Line2D([], [], color="black", marker="o", mfc="white", ls="")]
    names = ["labelled chunks, 95% interval", "token overlap", "labels, best reachable"]
    names += [display_names.FAMILIES[family] for family in FAMILIES]
    names += ["with overlap (hollow)"]
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return figure


@style()
def figure_at_k(rows: pd.DataFrame) -> Figure:
    """Precision against recall from 1 to 10 chunks: by labels and, the same search, by spans."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.6))
    names = list(dict.fromkeys(rows["chunker"]))
    shown = [name for name in names if name.startswith("token")] or names
    colors = dict(zip(shown, sns.color_palette("viridis", len(shown)), strict=True))
    for axes, (x, y), title in zip(
        panels,
        (("recall", "precision"), ("SpanRecall", "SpanPrecision")),
        ("labelled chunks", "token overlap, the same search"),
        strict=True,
    ):
        for name in shown:
            part = rows[rows["chunker"] == name].sort_values("k")
            line, label = "-" if name.endswith("-0") else "--", display_names.chunker(name)
            axes.plot(100 * part[x], 100 * part[y], line, marker="o", ms=4, color=colors[name],
                      label=label)  # fmt: skip
        first = rows[rows["chunker"] == shown[-1]].sort_values("k")
        for point in first.to_dict("records"):
            axes.annotate(
                f"at {point['k']}", (100 * point[x], 100 * point[y]), (3, -10),
                textcoords="offset points", fontsize=8, color="0.3",
            )  # fmt: skip
        axes.set(xlabel="recall (%)", ylabel="precision (%)", ylim=(0, None))
        axes.set_title(title, loc="left")
    panels[0].legend(fontsize=8)
    return figure


@style()
def figure_macro_micro(rows: pd.DataFrame) -> Figure:
    """Recall averaged both ways, and how far they lie apart, with 95% intervals."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.2), sharey=True, width_ratios=(1.5, 1)
    )
    at = np.arange(len(rows))
    for name, color, shift in (("macro", LABELS, -0.14), ("micro", MICRO, 0.14)):
        intervals(left, rows, at + shift, color, None, name, (f"{name} low", f"{name} high"))
    intervals(right, rows, at, "black")
    zero(right)
    rows_named(left, [f"{display_names.chunker(r['chunker'])} ({r['gold']:.2f} gold)"
                      for r in rows.to_dict("records")])  # fmt: skip
    left.set_xlabel("recall of labelled chunks (%)")
    right.set_xlabel("micro minus macro, points")
    figure.legend(
        [Line2D([], [], color=c, marker="o") for c in (LABELS, MICRO)],
        ["macro: mean of the queries' recall", "micro: all that was found of all that is gold"],
        loc="outside lower center",
        ncols=2,
    )
    return figure


@style()
def figure_queries_needed(needed: pd.DataFrame, curve: pd.DataFrame) -> Figure:
    """How often a difference is seen in n queries, and n for every difference and spread."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 5.8))
    queries = int(needed["queries"].iloc[0])
    curve = curve[curve["measure"] == "recall"]
    recall = needed[needed["measure"] == "recall"].set_index(["a", "b"])["a minus b"]
    for color, (pair, question) in zip(COLORS, CURVES.items(), strict=False):
        part = curve[(curve["a"] == pair[0]) & (curve["b"] == pair[1])]
        if len(part):
            label = f"{question}: {formats.points(recall[pair])} points"
            left.plot(part["queries"], 100 * part["seen"], "o", ms=4, color=color, label=label)
            left.plot(part["queries"], 100 * part["by formula"], "-", lw=1, color=color)
    left.axhline(80, color="grey", lw=0.8, ls=":")
    left.set(xlabel="queries drawn", ylabel="samples that show the difference (%)", ylim=(0, 103))
    left.set_title("recall of labels: drawn (dots) and by formula (lines)", loc="left")
    left.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14))
    for measure, color, name in (
        ("recall", LABELS, "labelled chunks"),
        ("SpanRecall", SPANS, "token overlap"),
    ):
        part = needed[np.isfinite(needed["needed"]) & (needed["measure"] == measure)]
        right.plot(100 * part["a minus b"].abs(), part["needed"], "o", ms=5, color=color,
                   label=name)  # fmt: skip
    apart = 100 * needed["a minus b"].abs()
    grid = np.geomspace(0.8 * apart[apart > 0].min(), 1.3 * apart.max(), 50)
    for std, line in ((needed["std"].min(), "--"), (needed["std"].max(), "-")):
        for_two = needed.loc[needed["std"] == std, "needed for 2 points"].iloc[0]
        label = f"by formula, spread of {100 * std:.0f} points"
        right.plot(grid, for_two * (100 * GIVEN / grid) ** 2, line, color="grey", lw=0.8,
                   label=label)  # fmt: skip
    right.axhline(queries, color="black", lw=0.8, ls=":")
    right.annotate(f"the {queries} queries", (grid[0], queries), (0, 3), textcoords="offset points")
    left.set_xscale(LOG)
    left.set_xticks([10, 30, 100, 300, 1000])
    right.set(xscale=LOG, yscale=LOG)
    for axis in (left.xaxis, right.xaxis, right.yaxis):
        axis.set_major_formatter("{x:,.10g}")
    for axes in (left, right):
        axes.minorticks_off()
    right.set(xlabel="difference between two chunkers (points)", ylabel="queries needed")
    right.set_title("seen four times in five", loc="left")
    right.legend(fontsize=8, loc="upper right")
    return figure
