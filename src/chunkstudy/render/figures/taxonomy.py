"""Figures of *Beyond Chunk-Then-Embed*, drawn from the derived tables."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names, formats
from chunkstudy.render.figures.drawing import table

IN_CORPUS = ("nfcorpus", "scifact", "arguana", "scidocs", "fiqa", "trec-covid")
NO_METHOD = ("average", "none")
BEYOND = 30
"""Percent at which the colours of the changes end."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of each table that is there."""
    drawn = {
        "taxonomy_changes": ("taxonomy_table4", changes),
    }
    for name, (of, draw) in drawn.items():
        found = table(places, of)
        if len(found):
            yield name, draw(found)


def changes(rows: pd.DataFrame) -> Figure:
    """Published relative change by late chunking; right, collections with empty documents."""
    rows = rows[(rows["source"] == "published") & ~rows["method"].isin(NO_METHOD)]
    columns = ["gutenqa", *IN_CORPUS]
    wide = rows.pivot(index=["encoder", "method"], columns="collection", values="value")[columns]
    wide = 100 * wide
    names = [f"{display_names.encoder(e)}: {display_names.chunker(m)}" for e, m in wide.index]
    figure, axes = plt.subplots(figsize=(8.3, 0.27 * len(wide) + 1.4), layout="constrained")
    titles = [display_names.collection(name) for name in columns]
    sns.heatmap(
        wide.set_axis(names).set_axis(titles, axis=1), ax=axes, cmap="RdBu", center=0,
        vmin=-BEYOND, vmax=BEYOND, annot=True, fmt="+.1f", annot_kws={"fontsize": 8},
        cbar_kws={"label": f"relative change (%), colours end at {BEYOND}", "extend": "both"},
        linewidths=0.5,
    )  # fmt: skip
    for text in axes.texts:
        text.set_text(text.get_text().replace("-", formats.MINUS))
    for at in (1, 5):
        axes.axvline(at, color="black", lw=1.5)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(axis="y", labelsize=8)
    axes.tick_params(axis="x", rotation=20)
    axes.set_title("Late chunking as published: within books | in corpora | with empty documents",
                   loc="left")  # fmt: skip
    return figure
