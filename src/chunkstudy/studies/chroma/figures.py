"""Figures of the notebooks on Chroma's report."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.show import drawing, titles

OURS, SEARCH = drawing.COLORS[0], drawing.COLORS[1]


@drawing.style()
def figure_beside_published(found: pd.DataFrame, measure: str) -> Figure:
    """One measure of every chunker: ours with its interval, the published value, and what the
    published search gave when it was run again.

    Args:
        found: as ``Study.beside`` gives it, in percent.
        measure: for instance ``SpanRecall@5``.
    """
    rows = found[(found["measure"] == measure) & (found["statistic"] == "mean")]
    figure, axes = plt.subplots(figsize=(8.3, 0.42 * len(rows) + 1.6))
    for at, row in enumerate(rows.to_dict("records")):
        if pd.notna(row["stack_low"]):
            spread = [row["stack_low"], row["stack_high"]]
            axes.plot(spread, [at, at], color=SEARCH, lw=9, alpha=0.5, solid_capstyle="butt")
        axes.plot([row["low"], row["high"]], [at, at], color=OURS, lw=1.2)
        axes.plot(row["reproduced"], at, "o", color=OURS, ms=6)
        if pd.notna(row["published"]):
            axes.plot(float(row["published"]), at, "|", color="black", ms=18, mew=2)
    drawing.rows_named(axes, [titles.shown("chunker", one) for one in rows["chunker"]])
    axes.set_xlabel(f"{titles.measure(measure)} (%)")
    handles = [
        Line2D([], [], marker="o", color=OURS, label="ours, 95% interval over questions"),
        Line2D([], [], marker="|", ms=14, mew=2, ls="", color="black", label="published"),
        Line2D([], [], lw=9, alpha=0.5, color=SEARCH, label="Chroma's search, 20 runs"),
    ]
    drawn = [True, rows["published"].notna().any(), rows["stack_low"].notna().any()]
    shown = [one for one, there in zip(handles, drawn, strict=True) if there]
    figure.legend(handles=shown, loc="outside lower center", ncols=3)
    return figure
