"""Figures of *Beyond Chunk-Then-Embed*, drawn from the derived tables."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names, formats
from chunkstudy.render.figures.drawing import COLORS, one_legend, table

IN_CORPUS = ("nfcorpus", "scifact", "arguana", "scidocs", "fiqa", "trec-covid")
NO_METHOD = ("average", "none")
BEYOND = 30
"""Percent at which the colours of the changes end."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure of each table that is there."""
    drawn = {
        "taxonomy_rankings": ("taxonomy_table3", rankings),
        "taxonomy_changes": ("taxonomy_table4", changes),
    }
    for name, (of, draw) in drawn.items():
        found = table(places, of)
        if len(found):
            yield name, draw(found)


def rankings(rows: pd.DataFrame) -> Figure:
    """Ranks of the six methods in corpora and within books, a panel per published model."""
    rows = rows[(rows["source"] == "published") & ~rows["method"].isin(NO_METHOD)]
    models, methods = (list(dict.fromkeys(rows[name])) for name in ("encoder", "method"))
    figure, panels = plt.subplots(
        1, len(models), figsize=(10, 3.6), sharey=True, layout="constrained"
    )
    palette = dict(zip(methods, COLORS, strict=False))
    for axes, model in zip(panels, models, strict=True):
        part = rows[rows["encoder"] == model]
        wide = part.pivot(index="method", columns="collection", values="value")
        ranks = wide[["average", "gutenqa"]].rank(ascending=False)
        for method, row in ranks.iterrows():
            label = display_names.chunker(str(method))
            axes.plot([0, 1], row, "-o", color=palette[str(method)], label=label)
        axes.set_xticks([0, 1], ["in corpora", "within books"])
        axes.set_xlim(-0.3, 1.3)
        axes.set_title(display_names.encoder(model), loc="left")
    panels[0].set(ylabel="rank", ylim=(6.3, 0.7))
    one_legend(figure, panels[:1], columns=6)
    return figure


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
