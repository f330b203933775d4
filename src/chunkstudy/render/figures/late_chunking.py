"""Figures of ranked retrieval with MiniLM, drawn from the tables that stand in results/tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chunkstudy.places import Places

NAMES = {
    "scifact": "SciFact",
    "nfcorpus": "NFCorpus",
    "arguana": "ArguAna",
    "gutenqa-emma": "Emma",
}
PROTOCOLS = {
    "corrected": "corrected",
    "as_published-jina": "as Jina's code",
    "as_published-ielab": "as ielab's code",
    "as_published-lumberchunker": "as LumberChunker's code",
}
COLORS = dict(zip(PROTOCOLS, sns.color_palette("colorblind"), strict=False))


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of everything whose table is there and not empty."""
    drawn = {
        "late_chunking_gains": gains,
        "late_chunking_windows": windows,
        "late_chunking_emma": emma,
        "late_chunking_similarity": similarity,
        "late_chunking_excerpts": excerpts,
    }
    for name, draw in drawn.items():
        path = places.tables / f"{name}.csv"
        if path.exists() and path.read_text(encoding="utf-8").strip():
            yield name, draw(pd.read_csv(path))


def gains(table: pd.DataFrame) -> Figure:
    """Contextualized minus plain with 95% intervals, a panel per collection."""
    names = [name for name in NAMES if name in set(table["collection"])]
    figure, panels = plt.subplots(
        1, len(names), figsize=(3.3 * len(names) + 1.5, 4.6), squeeze=False, layout="constrained"
    )
    for axes, name in zip(panels[0], names, strict=True):
        part = table[table["collection"] == name]
        chunkers = list(dict.fromkeys(part["chunker"]))
        for offset, (protocol, label) in enumerate(PROTOCOLS.items()):
            rows = part[part["protocol"] == protocol]
            if len(rows):
                at = [chunkers.index(c) + 0.22 * (offset - 1) for c in rows["chunker"]]
                _points(axes, rows, at, label, COLORS[protocol])
        axes.axvline(0, color="grey", lw=0.8, zorder=0)
        axes.set_yticks(range(len(chunkers)), chunkers, fontsize=7)
        axes.set_ylim(len(chunkers) - 0.5, -0.5)
        axes.set_title(NAMES[name], loc="left")
        axes.set_xlabel(f"{part['measure'].iloc[0]}, points")
    _legend(figure, panels[0], columns=4)
    figure.suptitle("contextualized minus plain chunking, window 512, all-MiniLM-L6-v2", x=0.5)
    return figure


def windows(table: pd.DataFrame) -> Figure:
    """Plain and contextualized scores against the window, a panel per collection."""
    names = [name for name in NAMES if name in set(table["collection"])]
    figure, panels = plt.subplots(
        1, len(names), figsize=(4.6 * len(names), 4), squeeze=False, layout="constrained"
    )
    chunkers = list(dict.fromkeys(table["chunker"]))
    palette = dict(zip(chunkers, sns.color_palette("colorblind"), strict=False))
    for axes, name in zip(panels[0], names, strict=True):
        part = table[table["collection"] == name]
        for chunker, rows in part.groupby("chunker", sort=False):
            color = palette[chunker]
            axes.plot(rows["window"], rows["plain"], "--", color=color, lw=1)
            axes.plot(rows["window"], rows["contextualized"], "-o", color=color, label=chunker)
        axes.set_xscale("log", base=2)
        axes.set_xticks([128, 256, 512], ["128", "256", "512"])
        axes.minorticks_off()
        axes.set(xlabel="window (tokens)", ylabel=f"{part['measure'].iloc[0]} (%)")
        axes.set_title(NAMES[name], loc="left")
    _legend(figure, panels[0], columns=5)
    figure.suptitle("one model, three windows: contextualized (line) and plain (dashed)")
    return figure


def excerpts(table: pd.DataFrame) -> Figure:
    """Contextualized minus plain with 95% intervals by window, a panel per measure."""
    measures = list(dict.fromkeys(table["measure"]))
    chunkers = list(dict.fromkeys(table["chunker"]))
    sizes = sorted(set(table["window"]))
    figure, panels = plt.subplots(
        1, len(measures), figsize=(4 * len(measures), 4), sharey=True, layout="constrained"
    )
    colors = sns.color_palette("colorblind")
    for axes, measure in zip(np.atleast_1d(panels), measures, strict=True):
        part = table[table["measure"] == measure]
        for offset, (window, color) in enumerate(zip(sizes, colors, strict=False)):
            rows = part[part["window"] == window]
            at = [chunkers.index(c) + 0.22 * (offset - 1) for c in rows["chunker"]]
            _points(axes, rows, at, f"{window} tokens", color)
        axes.axvline(0, color="grey", lw=0.8, zorder=0)
        axes.set_yticks(range(len(chunkers)), chunkers, fontsize=8)
        axes.set_ylim(len(chunkers) - 0.5, -0.5)
        axes.set_title(measure, loc="left")
        axes.set_xlabel("contextualized minus plain, points")
    _legend(figure, np.atleast_1d(panels), columns=len(sizes))
    figure.suptitle(f"Chroma's corpora, {table['n'].iloc[0]} questions, all-MiniLM-L6-v2")
    return figure


def emma(table: pd.DataFrame) -> Figure:
    """DCG@10 under both orderings against the ceiling, a panel per protocol."""
    shown = [protocol for protocol in PROTOCOLS if protocol in set(table["protocol"])]
    figure, panels = plt.subplots(
        1, len(shown), figsize=(4 * len(shown) + 1, 4.4), squeeze=False, layout="constrained"
    )
    colors = sns.color_palette("colorblind")
    for axes, protocol in zip(panels[0], shown, strict=True):
        part = table[table["protocol"] == protocol]
        chunkers = list(dict.fromkeys(part["chunker"]))
        best = part.groupby("chunker")["Ceiling(DCG@10)"].first()
        axes.barh(
            range(len(chunkers)),
            [best[c] for c in chunkers],
            color="0.92",
            height=0.8,
            label="ceiling",
        )
        for offset, (ordering, rows) in enumerate(part.groupby("ordering", sort=True)):
            at = [chunkers.index(c) - 0.15 + 0.3 * offset for c in rows["chunker"]]
            label = "plain" if ordering == "pre_embedding" else "contextualized"
            _points(axes, rows, at, label, colors[0 if label == "plain" else 1], "DCG@10")
        axes.set_yticks(range(len(chunkers)), chunkers, fontsize=7)
        axes.set_ylim(len(chunkers) - 0.5, -0.5)
        axes.set(xlim=(0, 100), xlabel="DCG@10 (%)")
        axes.set_title(PROTOCOLS[protocol], loc="left")
    _legend(figure, panels[0], columns=3)
    figure.suptitle("Emma, 30 questions, all-MiniLM-L6-v2, window 512")
    return figure


def similarity(table: pd.DataFrame) -> Figure:
    """Similarity of neighbouring chunks under both orderings, a row per collection and chunker."""
    table = table[table["pairs"] == "neighbours"].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(7.5, 0.32 * len(table) + 1.2), layout="constrained")
    at = np.arange(len(table))
    axes.hlines(at, table["pre_embedding"], table["contextualized"], color="0.8", lw=3)
    colors = sns.color_palette("colorblind")
    axes.plot(table["pre_embedding"], at, "o", color=colors[0], label="plain")
    axes.plot(table["contextualized"], at, "o", color=colors[1], label="contextualized")
    names = [f"{NAMES[c]}, {s}" for c, s in zip(table["collection"], table["chunker"], strict=True)]
    axes.set_yticks(at, names, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("mean cosine similarity of neighbouring chunks of one document")
    axes.legend(loc="lower right")
    return figure


def _points(
    axes: Axes,
    rows: pd.DataFrame,
    at: list[float],
    label: str,
    color: tuple[float, float, float],
    column: str = "difference",
) -> None:
    middle = rows[column].to_numpy()
    errors = [middle - rows["low"].to_numpy(), rows["high"].to_numpy() - middle]
    axes.errorbar(middle, at, xerr=errors, fmt="o", ms=4, lw=1.2, color=color, label=label)


def _legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """One legend below all panels, each label once."""
    found: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    labels, handles = list(found), list(found.values())
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
