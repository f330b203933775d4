"""Figures of the notebooks on *Beyond Chunk-Then-Embed*."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.published.chunk_size import BOOKS, CHANGE
from chunkstudy.published.sources import AVERAGE
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.studies.taxonomy.tables import METHOD_OF
from chunkstudy.study import drawing, titles

ARMS = {PRE_EMBEDDING: "plain", CONTEXTUALIZED: "late", CHANGE: CHANGE}
WORDS = {"text": "ours, as the words define it", "code": "ours, as the code does it"}


@drawing.style()
def figure_correlations(correlated: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Correlation of chunk size with the score, arm by arm, in the layout of Figure 2.

    Args:
        correlated: our r by chunker, collection, arm and definition, with intervals.
        printed: the published r: ``collection, method, ordering, r``.
    """
    chunkers = list(dict.fromkeys(correlated["chunker"]))
    methods = [METHOD_OF.get(chunker, chunker) for chunker in chunkers]
    books = [name for name in dict.fromkeys(correlated["collection"]) if name in BOOKS]
    rest = list(dict.fromkeys(correlated["collection"][~correlated["collection"].isin(BOOKS)]))
    sides = {"within books": ("gutenqa", books), "in corpora": ("beir", rest[-1:])}
    figure, panels = plt.subplots(
        len(ARMS), 2, figsize=(8.3, 1.1 * len(chunkers) + 1.6), sharex="col", sharey=True
    )
    for (arm, title), row in zip(ARMS.items(), panels, strict=True):
        for axes, (side, (column, ours)) in zip(row, sides.items(), strict=True):
            old = printed[(printed["collection"] == column) & (printed["ordering"] == arm)]
            old = old[old["method"].isin(methods)]
            at = [methods.index(method) - 0.22 for method in old["method"]]
            axes.plot(old["r"], at, "|", color="0.5", ms=8, mew=2,
                      label="published, four models")  # fmt: skip
            own = correlated[correlated["collection"].isin(ours) & (correlated["ordering"] == arm)]
            for offset, (definition, label) in enumerate(WORDS.items()):
                part = own[(own["definition"] == definition) & own["r"].notna()]
                up = [chunkers.index(c) + 0.1 + 0.22 * offset for c in part["chunker"]]
                drawing.intervals(axes, part, up, drawing.COLORS[offset], label, "r", scale=1)
            drawing.zero(axes)
            axes.set_title(f"{side}, {title}", loc="left")
        drawing.rows_named(row[0], [titles.chunker(chunker) for chunker in chunkers])
    for axes in panels[-1]:
        axes.set_xlabel("Pearson's r of chunk size and score")
    drawing.one_legend(figure, panels.flat, columns=3)
    drawn = correlated[correlated["collection"].isin([*books, *rest[-1:]])]
    known = drawn[(drawn["definition"] == "text") & drawn["r"].notna()]
    above, below = int((known["low"] > 0).sum()), int((known["high"] < 0).sum())
    drawing.titled(figure, f"Of our {len(known)} correlations by the paper's words {above} have an "
                   f"interval above zero and {below} one below")  # fmt: skip
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
    same = 0
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
        same += bool(ranks[AVERAGE].idxmin() == ranks["gutenqa"].idxmin())
    drawing.titled(figure, f"The method that is best in corpora is the best within books too with "
                   f"{same} of {len(models)} models")  # fmt: skip
    panels[0].set(ylabel="rank", ylim=(6.3, 0.7))
    drawing.one_legend(figure, panels[:1], columns=6)
    return figure
