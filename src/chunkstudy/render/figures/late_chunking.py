"""Figures of late chunking, drawn from the derived tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.analysis import windows as reading
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
    """Name and figure of everything whose tables are there and not empty."""
    drawn: dict[str, Callable[[pd.DataFrame], Figure]] = {
        "late_chunking_gains": gains,
        "late_chunking_windows": windows,
        "late_chunking_similarity": similarity,
    }
    for name, draw in drawn.items():
        if len(found := table(places, name)):
            yield name, draw(found)


def gains(rows: pd.DataFrame) -> Figure:
    """Late minus plain with 95% intervals, a panel per collection."""
    rows = rows[rows["collection"].isin(SHOWN)]
    rows = rows[rows["encoder"] == rows["encoder"].value_counts().idxmax()]
    encoder = display_names.encoder(str(rows["encoder"].iloc[0]))
    names = [name for name in SHOWN if name in set(rows["collection"])]
    protocols = list(dict.fromkeys(rows["protocol"]))
    figure, panels = plt.subplots(
        len(names), 1, figsize=(8.3, 1.1 + 0.35 * rows.groupby("collection")["chunker"].nunique()
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
        title = f"{display_names.collection(name)}, {part['measure'].iloc[0]}: {encoder}"
        axes.set_title(title, loc="left")
    panels[-1, 0].set_xlabel("late minus plain chunking, points, 95% interval")
    one_legend(figure, panels[:, 0], columns=2)
    return figure


def windows(rows: pd.DataFrame) -> Figure:
    """Late minus plain by window with 95% intervals, a panel per collection."""
    rows = _of_one_model(rows[rows["collection"].isin(SHOWN)])
    names = [name for name in SHOWN if name in set(rows["collection"])]
    figure, panels = plt.subplots(
        1, len(names), figsize=(4.3 * len(names), 4.2), squeeze=False, layout="constrained"
    )
    chunkers = list(dict.fromkeys(rows["chunker"]))
    sizes = sorted(set(rows["window"]))
    for axes, name in zip(panels[0], names, strict=True):
        part = rows[rows["collection"] == name]
        for offset, chunker in enumerate(chunkers):
            here = part[part["chunker"] == chunker]
            at = [
                sizes.index(w) + 0.12 * (offset - (len(chunkers) - 1) / 2) for w in here["window"]
            ]
            intervals(axes, here, at, COLORS[offset], display_names.chunker(chunker),
                      hollow=here["cut"] == "yes", upright=True)  # fmt: skip
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
        axes.set_xticks(range(len(sizes)), [f"{size}" for size in sizes])
        axes.set(
            xlabel="window (tokens)", ylabel=f"late minus plain: {part['measure'].iloc[0]}, points"
        )
        axes.set_title(
            f"{display_names.collection(name)}, {part['n'].max():.0f} queries", loc="left"
        )
    one_legend(figure, panels[0], columns=3)
    model = display_names.encoder(reading.model(str(rows["encoder"].iloc[0])))
    figure.suptitle(f"Late minus plain chunking by window, {model}, 95% intervals\n"
                    "hollow: the window cuts chunks that are embedded by themselves")  # fmt: skip
    return figure


def _of_one_model(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the model with the most of them, whatever its windows."""
    models = rows["encoder"].str.replace(r"-w\d+$", "", regex=True)
    return rows[models == models.value_counts().idxmax()]


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
    one_legend(figure, [axes], columns=2)
    return figure
