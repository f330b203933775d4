"""Figures of late chunking, drawn from the derived tables."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import (
    COLORS,
    LATE,
    PLAIN,
    intervals,
    one_legend,
    rows_named,
    table,
    zero,
)

SHOWN = ("scifact", "nfcorpus", "arguana", "gutenqa-emma")


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
        found = table(places, name)
        if len(found):
            yield name, draw(found)


def gains(rows: pd.DataFrame) -> Figure:
    """Late minus plain with 95% intervals, a panel per collection."""
    rows = rows[rows["collection"].isin(SHOWN)]
    rows = rows[rows["encoder"] == rows["encoder"].value_counts().idxmax()]
    names = [name for name in SHOWN if name in set(rows["collection"])]
    protocols = list(dict.fromkeys(rows["protocol"]))
    figure, panels = plt.subplots(
        len(names), 1, figsize=(8.3, 1.1 + 0.34 * rows.groupby("collection")["chunker"].nunique()
        .sum() + 0.6 * len(names)), squeeze=False, layout="constrained",
        height_ratios=[rows[rows["collection"] == n]["chunker"].nunique() for n in names],
    )  # fmt: skip
    for axes, name in zip(panels[:, 0], names, strict=True):
        part = rows[rows["collection"] == name]
        chunkers = list(dict.fromkeys(part["chunker"]))
        for offset, protocol in enumerate(protocols):
            here = part[part["protocol"] == protocol]
            at = [chunkers.index(c) + 0.2 * (offset - 1) for c in here["chunker"]]
            intervals(axes, here, at, COLORS[offset], display_names.protocol(protocol))
        zero(axes)
        rows_named(axes, [display_names.chunker(one) for one in chunkers])
        axes.set_title(f"{display_names.collection(name)}, {part['measure'].iloc[0]}", loc="left")
    panels[-1, 0].set_xlabel("late minus plain chunking, points, 95% interval")
    one_legend(figure, panels[:, 0], columns=2)
    return figure


def windows(rows: pd.DataFrame) -> Figure:
    """Plain and late scores against the window, a panel per collection."""
    rows = rows[rows["collection"].isin(SHOWN)]
    names = [name for name in SHOWN if name in set(rows["collection"])]
    figure, panels = plt.subplots(
        1, len(names), figsize=(4.4 * len(names), 4.2), squeeze=False, layout="constrained"
    )
    chunkers = list(dict.fromkeys(rows["chunker"]))
    palette = dict(zip(chunkers, COLORS, strict=False))
    for axes, name in zip(panels[0], names, strict=True):
        part = rows[rows["collection"] == name]
        for chunker, here in part.groupby("chunker", sort=False):
            color, label = palette[str(chunker)], display_names.chunker(str(chunker))
            here = here.sort_values("window")
            axes.plot(here["window"], 100 * here["plain"], "--", color=color, lw=1)
            axes.plot(here["window"], 100 * here["contextualized"], "-o", color=color, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(part["window"])), [f"{w}" for w in sorted(set(part["window"]))])
        axes.minorticks_off()
        axes.set(xlabel="window (tokens)", ylabel=f"{part['measure'].iloc[0]} (%)")
        axes.set_title(display_names.collection(name), loc="left")
    one_legend(figure, panels[0], columns=3)
    figure.suptitle("Wider windows help plain chunks (dashed) more than late ones (line)")
    return figure


def excerpts(rows: pd.DataFrame) -> Figure:
    """Late minus plain with 95% intervals by window, within one document and over all."""
    models = rows["encoder"].str.replace(r"-w\d+$", "", regex=True)
    rows = rows[models == models.iloc[0]]
    measures = [m for m in dict.fromkeys(rows["measure"]) if str(m).startswith("DCG")]
    rows = rows[rows["measure"].isin(measures[:1])]
    chunkers, sizes = list(dict.fromkeys(rows["chunker"])), sorted(set(rows["window"]))
    figure, axes = plt.subplots(figsize=(8.3, 4.4), layout="constrained")
    for offset, window in enumerate(sizes):
        here = rows[rows["window"] == window]
        at = [chunkers.index(c) + 0.22 * (offset - 1) for c in here["chunker"]]
        intervals(axes, here, at, COLORS[offset], f"reading {window} tokens at once")
    zero(axes)
    rows_named(axes, [display_names.chunker(one) for one in chunkers], 9)
    axes.set_xlabel("late minus plain chunking: DCG@10 within the question's own corpus, points")
    axes.set_title(
        "Late chunking within a long document helps narrow windows and harms wide ones\n"
        f"Chroma's five corpora, {rows['n'].iloc[0]:.0f} questions, all-MiniLM-L6-v2, 95% "
        "intervals",
        loc="left",
    )
    one_legend(figure, [axes], columns=len(sizes))
    return figure


def emma(rows: pd.DataFrame) -> Figure:
    """DCG@10 under both orderings against the ceiling, a panel per protocol."""
    protocols = list(dict.fromkeys(rows["protocol"]))
    counts = [rows[rows["protocol"] == one]["chunker"].nunique() for one in protocols]
    figure, panels = plt.subplots(
        len(protocols), 1, figsize=(8.3, 0.3 * sum(counts) + 0.7 * len(protocols)), squeeze=False,
        sharex=True, height_ratios=counts, layout="constrained",
    )  # fmt: skip
    for axes, protocol in zip(panels[:, 0], protocols, strict=True):
        part = rows[rows["protocol"] == protocol]
        chunkers = list(dict.fromkeys(part["chunker"]))
        best = 100 * part.groupby("chunker")["Ceiling(DCG@10)"].first()[chunkers]
        axes.barh(range(len(chunkers)), best, color="0.92", height=0.8, label="best reachable")
        for shift, late, color in ((-0.15, False, PLAIN), (0.15, True, LATE)):
            here = part[(part["ordering"] != "pre_embedding") == late]
            at = [chunkers.index(c) + shift for c in here["chunker"]]
            intervals(axes, here, at, color, "late" if late else "plain", "DCG@10")
        rows_named(axes, [display_names.chunker(one) for one in chunkers])
        axes.set(xlim=(0, 100))
        axes.set_title(f"Passages judged {display_names.protocol(protocol)}", loc="left")
    panels[-1, 0].set_xlabel("DCG@10 (%), 95% interval")
    one_legend(figure, panels[:, 0], columns=3)
    figure.suptitle("Emma: thirty questions tell little apart")
    return figure


def similarity(rows: pd.DataFrame) -> Figure:
    """Similarity of neighbouring chunks under both orderings, a row per collection and chunker."""
    rows = rows[rows["pairs"] == "neighbours"].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(8.3, 0.3 * len(rows) + 1.2), layout="constrained")
    at = np.arange(len(rows))
    axes.hlines(at, rows["pre_embedding"], rows["contextualized"], color="0.8", lw=3)
    axes.plot(rows["pre_embedding"], at, "o", color=PLAIN, label="plain")
    axes.plot(rows["contextualized"], at, "o", color=LATE, label="late")
    pairs = zip(rows["collection"], rows["chunker"], strict=True)
    rows_named(axes, [f"{display_names.collection(c)}: {display_names.chunker(s)}"
                      for c, s in pairs])  # fmt: skip
    axes.set_xlabel("mean cosine similarity of neighbouring chunks of one document")
    axes.set_title("Neighbouring chunks grow alike under late chunking", loc="left")
    one_legend(figure, [axes], columns=2)
    return figure
