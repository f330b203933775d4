"""Figures of the notebooks on Chroma's report."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.runs import display_names
from chunkstudy.runs.conditions import parse_chunker
from chunkstudy.runs.records import Run
from chunkstudy.show import drawing

OURS, SEARCH = drawing.COLORS[0], drawing.COLORS[1]
FAMILIES = ("recursive", "token", "cluster", "kamradt", "kamradt-modified")
"""Chroma's chunkers, each with a colour of its own."""


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
    drawing.rows_named(axes, [display_names.shown("chunker", one) for one in rows["chunker"]])
    axes.set_xlabel(f"{display_names.measure(measure)} (%)")
    handles = [
        Line2D([], [], marker="o", color=OURS, label="ours, 95% interval over questions"),
        Line2D([], [], marker="|", ms=14, mew=2, ls="", color="black", label="published"),
        Line2D([], [], lw=9, alpha=0.5, color=SEARCH, label="Chroma's search, 20 runs"),
    ]
    drawn = [True, rows["published"].notna().any(), rows["stack_low"].notna().any()]
    shown = [one for one, there in zip(handles, drawn, strict=True) if there]
    figure.legend(handles=shown, loc="outside lower center", ncols=3)
    return figure


@drawing.style()
def figure_shares(counts: pd.DataFrame) -> Figure:
    """Each corpus's share of all tokens, questions and excerpts, in percent.

    Args:
        counts: a row a corpus: ``part, tokens, queries, excerpts``.
    """
    named = {"tokens": "tokens of text", "queries": "questions", "excerpts": "excerpts"}
    shares = 100 * counts[list(named)] / counts[list(named)].sum()
    figure, axes = plt.subplots(figsize=(8.3, 0.55 * len(counts) + 1.4))
    for at, (column, label) in enumerate(named.items()):
        places = [row + 0.27 * (at - 1) for row in range(len(counts))]
        axes.barh(places, shares[column], 0.25, color=drawing.COLORS[at], label=label)
    drawing.rows_named(axes, [display_names.shown("part", one) for one in counts["part"]])
    axes.set_xlabel("share of the collection (%)")
    drawing.one_legend(figure, [axes], columns=len(named))
    return figure


@drawing.style()
def figure_chunk_sizes(runs: Iterable[Run]) -> Figure:
    """Where chunk sizes lie: 5 to 95% (thin), 25 to 75% (thick), median (bar), mean (dot); a row a
    chunker of :data:`FAMILIES`, in OpenAI's tokens."""
    by_chunker = {run.chunker: run.sizes["cl100k"] for run in runs}
    rows = sorted(by_chunker.items(), key=lambda row: row[1].mean)
    figure, axes = plt.subplots(figsize=(8.5, 0.3 * len(rows) + 1))
    for at, (chunker, size) in enumerate(rows):
        color = drawing.COLORS[FAMILIES.index(parse_chunker(chunker).name)]
        ends = size.percentiles
        axes.plot([ends[1], ends[19]], [at, at], color=color, lw=1)
        axes.plot([ends[5], ends[15]], [at, at], color=color, lw=5, solid_capstyle="butt")
        axes.plot(ends[10], at, "|", color="black", ms=9)
        axes.plot(size.mean, at, "o", color="black", ms=3.5)
    drawing.rows_named(axes, [display_names.chunker(chunker) for chunker, _ in rows])
    axes.set_xscale(drawing.LOG)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("chunk size in OpenAI's tokens: 5-95%, 25-75%, median (bar), mean (dot)")
    return figure
