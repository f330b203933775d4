"""The best arms of each task with their intervals."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.studies.which_chunker.advice import arm
from chunkstudy.study import titles
from chunkstudy.study.drawing import COLORS, intervals, one_legend, rows_named, style, titled

PANEL = ["task", "collections"]


@style()
def figure_best(ranked: pd.DataFrame, fewest: int, most: int = 4) -> Figure:
    """The best arms of each model and their best of plain chunking with 95% intervals, a panel a
    task; hollow what trails the best of its model significantly.

    Args:
        ranked: of :func:`ranking.ranking`, the best of each model first.
        fewest: questions without which a task is not drawn.
        most: arms of each model.
    """
    ranked = ranked[ranked["n"] >= fewest]
    plain = ranked[ranked["ordering"] == "pre_embedding"]
    best = [one.groupby([*PANEL, "encoder"]) for one in (ranked, plain)]
    drawn = ranked.loc[best[0].head(most).index.union(best[1].head(1).index, sort=False)]
    drawn = drawn.sort_index()
    groups = list(drawn.groupby(PANEL, sort=False))
    models = list(drawn["encoder"].unique())
    counts = [len(rows) for _, rows in groups]
    figure, panels = plt.subplots(
        len(groups), 1, figsize=(8.3, 0.19 * sum(counts) + 0.8 * len(groups) + 0.6),
        squeeze=False, height_ratios=counts,
    )  # fmt: skip
    for axes, ((task, collections), rows) in zip(panels[:, 0], groups, strict=True):
        at = pd.Series(range(len(rows)), index=rows.index)
        for color, model in zip(COLORS, models, strict=False):
            own = rows[rows["encoder"] == model]
            name = titles.encoder(model)
            worse = own["shown"] == "lower"
            intervals(axes, own, at[own.index], color, name, "score", hollow=worse)
        rows_named(axes, [arm(*one) for one in rows[["chunker", "ordering", "window"]].values])
        measure = titles.measure(str(rows["measure"].iloc[0]))
        where = f"{titles.collection(str(collections))}, {rows['n'].max():,} questions"
        axes.set_title(f"{titles.TASKS[str(task)].capitalize()}\n{where}", loc="left")
        axes.set_xlabel(f"{measure} (%), 95% interval")
    one_legend(figure, panels[:, 0], columns=2)
    titled(
        figure,
        "The best of each model, BM25 left out; a hollow one trails the first of its colour "
        "significantly",
    )
    return figure
