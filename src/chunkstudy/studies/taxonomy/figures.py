"""Figures of the notebooks on *Beyond Chunk-Then-Embed*."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from chunkstudy.evaluation.statistics.intervals import constant
from chunkstudy.published.chunk_size import BOOKS, CHANGE
from chunkstudy.published.sources import AVERAGE
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.show import drawing, titles
from chunkstudy.show.formats import MINUS, decimals
from chunkstudy.studies.taxonomy.tables import METHOD_OF

ARMS = {PRE_EMBEDDING: "plain", CONTEXTUALIZED: "late", CHANGE: CHANGE}
WORDS = {"text": "ours, as the words define it", "code": "ours, as the code does it"}
COLUMNS = ("gutenqa", "nfcorpus", "scifact", "arguana", "scidocs", "fiqa", "trec-covid")
"""Within books, then in corpora."""
BEYOND = 30
"""Percent at which the colours of the changes end."""
ACROSS = 3
"""Panels beside each other where a method has only one."""
FEW, MANY = 6.0, 2.5
"""Sizes of a point among few and among many."""


@drawing.style()
def figure_points(points: pd.DataFrame, unit: str) -> Figure:
    """The score of each query against the size of its relevant chunks, with the line that fits
    best: a row of panels a method, one per collection and one with all together.

    Args:
        points: ``chunker, collection, size, score``; sizes in tokens, scores fractions.
        unit: what is scored.
    """
    panels = list(_panels(points))
    names = list(dict.fromkeys(points["collection"]))
    across = len(names) + 1 if len(names) > 1 else min(ACROSS, len(panels))
    down = ceil(len(panels) / across)
    figure, grid = plt.subplots(
        down, across, figsize=(2.3 * across, 1.8 * down + 0.6), squeeze=False, sharey=True
    )
    for axes, (title, own) in zip(grid.flat, panels, strict=False):
        for name, part in own.groupby("collection", sort=False):
            color = drawing.COLORS[names.index(name)]
            label = titles.collection(str(name))
            axes.plot(part["size"], part["score"], ".", ms=FEW if len(own) < 100 else MANY,
                      mew=0, color=color, label=label, rasterized=True)  # fmt: skip
        axes.set_title(title + _fitted(axes, own), loc="left", fontsize=8)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_axis_off()
    for axes in grid[-1]:
        axes.set_xlabel("tokens per relevant chunk", fontsize=8)
    for axes in grid[:, 0]:
        axes.set_ylabel(unit, fontsize=8)
    if len(names) > 1:
        handles, labels = grid.flat[len(names)].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=9, markerscale=3)
    return figure


@drawing.style()
def figure_correlations(found: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Correlation of chunk size with the score, arm by arm, in the layout of Figure 2.

    Args:
        found: our r by chunker, collection, arm and definition, with intervals.
        printed: the published r: ``collection, method, ordering, r``.
    """
    chunkers = list(dict.fromkeys(found["chunker"]))
    methods = [METHOD_OF.get(one, one) for one in chunkers]
    books = [name for name in dict.fromkeys(found["collection"]) if name in BOOKS]
    rest = list(dict.fromkeys(found["collection"][~found["collection"].isin(BOOKS)]))
    sides = {"within books": ("gutenqa", books), "in corpora": ("beir", rest[-1:])}
    figure, panels = plt.subplots(
        len(ARMS), 2, figsize=(8.3, 1.1 * len(chunkers) + 1.6), sharex="col", sharey=True
    )
    for (arm, title), row in zip(ARMS.items(), panels, strict=True):
        for axes, (side, (column, ours)) in zip(row, sides.items(), strict=True):
            old = printed[(printed["collection"] == column) & (printed["ordering"] == arm)]
            old = old[old["method"].isin(methods)]
            at = [methods.index(one) - 0.22 for one in old["method"]]
            axes.plot(old["r"], at, "|", color="0.5", ms=8, mew=2,
                      label="published, four models")  # fmt: skip
            own = found[found["collection"].isin(ours) & (found["ordering"] == arm)]
            for offset, (definition, label) in enumerate(WORDS.items()):
                part = own[(own["definition"] == definition) & own["r"].notna()]
                up = [chunkers.index(c) + 0.1 + 0.22 * offset for c in part["chunker"]]
                drawing.intervals(axes, part, up, drawing.COLORS[offset], label, "r", scale=1)
            drawing.zero(axes)
            axes.set_title(f"{side}, {title}", loc="left")
        drawing.rows_named(row[0], [titles.chunker(one) for one in chunkers])
    for axes in panels[-1]:
        axes.set_xlabel("Pearson's r of chunk size and score")
    drawing.one_legend(figure, panels.flat, columns=3)
    return figure


@drawing.style()
def figure_rankings(published: pd.DataFrame) -> Figure:
    """Ranks of the published methods in corpora and within books, a panel a model.

    Args:
        published: the cells of Table 3.
    """
    rows = published[published["chunker"] != AVERAGE]
    models, methods = (list(dict.fromkeys(rows[name])) for name in ("encoder", "chunker"))
    figure, panels = plt.subplots(1, len(models), figsize=(10, 3.6), sharey=True)
    palette = dict(zip(methods, drawing.COLORS, strict=False))
    for axes, model in zip(panels, models, strict=True):
        part = rows[rows["encoder"] == model]
        wide = part.pivot(index="chunker", columns="collection", values="value")
        ranks = wide[[AVERAGE, "gutenqa"]].rank(ascending=False)
        for method, row in ranks.iterrows():
            label = titles.chunker(str(method))
            axes.plot([0, 1], row, "-o", color=palette[str(method)], label=label)
        axes.set_xticks([0, 1], ["in corpora", "within books"])
        axes.set_xlim(-0.3, 1.3)
        axes.set_title(titles.encoder(model), loc="left")
    panels[0].set(ylabel="rank", ylim=(6.3, 0.7))
    drawing.one_legend(figure, panels[:1], columns=6)
    return figure


@drawing.style()
def figure_changes(published: pd.DataFrame) -> Figure:
    """Published relative changes by late chunking, in colours.

    Args:
        published: the cells of Table 4.
    """
    own = published[published["chunker"] != AVERAGE]
    wide = own.pivot(index=["encoder", "chunker"], columns="collection", values="value")
    wide = wide[list(COLUMNS)]
    names = [f"{titles.encoder(e)}: {titles.chunker(m)}" for e, m in wide.index]
    heads = [titles.collection(name) for name in COLUMNS]
    figure, axes = plt.subplots(figsize=(8.3, 0.27 * len(wide) + 1.4))
    sns.heatmap(
        wide.set_axis(names).set_axis(heads, axis=1), ax=axes, cmap="RdBu", center=0,
        vmin=-BEYOND, vmax=BEYOND, annot=True, fmt="+.1f", annot_kws={"fontsize": 8},
        cbar_kws={"label": f"relative change (%), colours end at {BEYOND}", "extend": "both"},
        linewidths=0.5,
    )  # fmt: skip
    for text in axes.texts:
        text.set_text(text.get_text().replace("-", MINUS))
    axes.axvline(1, color="black", lw=1.5)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(axis="y", labelsize=8)
    axes.tick_params(axis="x", rotation=20)
    axes.set_title("Within books | in corpora", loc="left")
    return figure


def _panels(points: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Title and points of each panel; several collections of a method also together."""
    for chunker, own in points.groupby("chunker", sort=False):
        title = titles.chunker(str(chunker))
        parts = [(str(name), one) for name, one in own.groupby("collection", sort=False)]
        if len(parts) > 1:
            parts = [(titles.collection(name), one) for name, one in parts]
            parts.append(("together", own))
            yield from ((f"{title}\n{where}, ", one) for where, one in parts)
        else:
            yield f"{title}\n", own


def _fitted(axes: Axes, points: pd.DataFrame) -> str:
    """Draw the line of least squares; what r is."""
    x, y = points["size"].to_numpy(dtype=float), points["score"].to_numpy(dtype=float)
    if constant(x) or constant(y):
        return "sizes are equal"
    line = stats.linregress(x, y)
    ends = np.array([x.min(), x.max()])
    axes.plot(ends, line.intercept + line.slope * ends, color="black", lw=1.2)
    return f"r = {decimals(line.rvalue)}"
