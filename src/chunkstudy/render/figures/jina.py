"""Figures of Jina's two posts, drawn from the derived tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import LATE, PLAIN, one_legend, rows_named, table

COLLECTIONS = ("scifact", "nfcorpus", "fiqa", "trec-covid", "quora")


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of each table that is there."""
    drawn = {"jina_datasets": gain_by_length, "jina_combinations": combinations}
    for name, draw in drawn.items():
        found = table(places, name)
        if len(found):
            yield name, draw(found)


def gain_by_length(rows: pd.DataFrame) -> Figure:
    """Late minus plain against document length, our model beside the published points."""
    figure, axes = plt.subplots(figsize=(8.3, 4.4), layout="constrained")
    printed, ours = (rows[rows["source"] == one] for one in ("published", "records"))
    axes.axhline(0, color="grey", lw=0.8, zorder=0)
    x, y = printed["document length"], 100 * printed["late - plain"]
    axes.plot(x, y, "o", color=PLAIN, label=f"published, {display_names.MODELS[_model(printed)]}")
    for at, gain, name in zip(x, y, printed["collection"], strict=True):
        by_the_axis = at < x.max() / 10
        axes.annotate(display_names.collection(name), (at, gain),
                      xytext=(6 if by_the_axis else -6, 6), textcoords="offset points",
                      ha="left" if by_the_axis else "right")  # fmt: skip
    ours = ours[(ours["protocol"] == "as_published-jina") & ours["late - plain"].notna()]
    if len(ours):
        ours = ours[ours["encoder"] == _model(ours)]
        gain = ours["late - plain"]
        errors = [100 * (gain - ours["low"]), 100 * (ours["high"] - gain)]
        label = f"{display_names.encoder(_model(ours))}, 95% interval"
        beside = ours["document length"] + 12
        axes.errorbar(beside, 100 * gain, yerr=errors, fmt="s", ms=4, color=LATE, label=label)
    axes.set(xlabel="mean document length (characters)",
             ylabel="late minus plain, nDCG@10 (points)")  # fmt: skip
    axes.legend(loc="upper left")
    return figure


def combinations(rows: pd.DataFrame) -> Figure:
    """Plain and late nDCG@10 of every encoder and chunker, a panel per collection."""
    rows = rows[rows["protocol"] == "as_published-jina"]
    names = [name for name in COLLECTIONS if name in rows and rows[name].notna().any()]
    keys = list(dict.fromkeys(zip(rows["encoder"], rows["chunker"], strict=True)))
    keys.sort(key=lambda key: list(dict.fromkeys(rows["encoder"])).index(key[0]))
    down = math.ceil(len(names) / 2)
    figure, panels = plt.subplots(
        down, 2, figsize=(8.6, down * (0.26 * len(keys) + 1)), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for unused in panels.flat[len(names) :]:
        unused.set_visible(False)
    for axes, name in zip(panels.flat, names, strict=False):
        for at, (encoder, chunker) in enumerate(keys):
            here = rows[(rows["encoder"] == encoder) & (rows["chunker"] == chunker)]
            late = here["ordering"] != "pre_embedding"
            ends = 100 * here[name]
            axes.hlines(at, ends.min(), ends.max(), color="0.8", lw=3, zorder=0)
            for color, part, label in ((PLAIN, ends[~late], "plain"), (LATE, ends[late], "late")):
                shown = label if at == 0 else None
                axes.plot(part, [at] * len(part), "o", ms=5, color=color, label=shown)
        axes.set_title(display_names.collection(name), loc="left")
        axes.set_xlabel("nDCG@10 (%)")
    labels = [f"{display_names.encoder(e)}: {display_names.chunker(c)}" for e, c in keys]
    for first in panels[:, 0]:
        rows_named(first, labels)
    one_legend(figure, panels.flat, columns=2)
    return figure


def _model(rows: pd.DataFrame) -> str:
    return str(rows["encoder"].iloc[0])
