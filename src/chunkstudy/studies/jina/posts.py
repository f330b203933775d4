"""Jina's two posts: the first one's table of five collections and what follows from it; the second
one's of three models, three ways to cut, plain and late, held against what else prints it; and ours
beside.

Scores are fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from chunkstudy.display import drawing, titles
from chunkstudy.display.formats import Column, Columns, decimals, thousandths, whole
from chunkstudy.display.titles import named
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.notebook.scores import Scores
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, PRE_EMBEDDING

ARMS = ["plain", "late", "no chunking"]
ARM_OF = {
    ("none", ""): "document length",
    ("none", PRE_EMBEDDING): "no chunking",
    ("fixed-256", PRE_EMBEDDING): "plain",
    ("fixed-256", CONTEXTUALIZED): "late",
}
AS_COSINES: Columns = {
    "*": thousandths,
    "late - plain": Column("late minus plain", thousandths),
}
ARM = ["encoder", "chunker", "ordering"]
AS_PRINTS: Columns = {
    "*": thousandths,
    "other model": Column("the score there is that of", named("encoder")),
    "largest difference": Column("largest difference", thousandths),
    **{name: Column(name, whole) for name in ("scores", "the same", "another model's")},
}
ROUNDING = 0.0005 + 1e-9
"""Half a unit of the post's last digit."""


def arms(published: pd.DataFrame) -> pd.DataFrame:
    """The post's table: ``document length`` in characters, the three arms, and what late chunking
    gains over the others, by collection in the post's order."""
    names = [ARM_OF[key] for key in zip(published["chunker"], published["ordering"], strict=True)]
    wide = published.assign(arm=names).pivot(index="collection", columns="arm", values="value")
    wide[ARMS] /= 100
    wide["late - plain"] = wide["late"] - wide["plain"]
    wide["late - no chunking"] = wide["late"] - wide["no chunking"]
    return wide.loc[list(dict.fromkeys(published["collection"]))].rename_axis(columns=None)


def gains(late: Iterable[Scores], plain: Iterable[Scores], other: str = "plain") -> pd.DataFrame:
    """Late chunking minus another arm, question by question, a row a collection and chunker; Holm's
    correction over all of them.

    Args:
        late: a collection's scores each.
        plain: those of the other arm in the same order, of chunkers in the same order.
        other: what the other arm is called.
    """
    pairs = []
    for scores, against in zip(late, plain, strict=True):
        measure = scores.measures[0]
        for chunker, without in zip(scores.runs, against.runs, strict=True):
            where = scores.runs[chunker].partition("/")[0]
            keys = {"collection": where, "chunker": chunker, "measure": measure}
            pairs.append(Pair(keys, scores.of(chunker, measure), against.of(without, measure)))
    return differences(pairs, f"late chunking minus {other}, {len(pairs)} tests", "late", other)


def berlin(published: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Three sentences' cosine with the word Berlin, published, and by each encoder measured.

    Args:
        published: the post's table of similarities.
        measured: what the study ``berlin`` left: ``encoder, chunk, plain, late as published,
            late``.

    Returns:
        ``late`` is late chunking as the notebook does it, ``late corrected`` without its slips;
        ``late - plain`` is of the latter where there is one.
    """
    keys = ["encoder", "chunker"]
    printed = published.pivot(index=keys, columns="ordering", values="value")
    printed = printed.loc[list(dict.fromkeys(published[keys].itertuples(index=False, name=None)))]
    names = ["encoder", "sentence", "plain", "late", "late corrected"]
    rows = printed.reset_index().set_axis(["encoder", "sentence", "late", "plain"], axis=1)
    recorded = measured[["encoder", "chunk", "plain", "late as published", "late"]]
    table = pd.concat(
        [rows.assign(source="published"), recorded.set_axis(names, axis=1).assign(source="records")]
    ).astype(dict.fromkeys(names[2:], float))
    table["late - plain"] = table["late corrected"].fillna(table["late"]) - table["plain"]
    return table[["source", *names, "late - plain"]]


@drawing.style()
def figure_gain_by_length(published: pd.DataFrame, ours: pd.DataFrame, encoder: str) -> Figure:
    """Late minus plain against document length, as the post draws it, our model's beside.

    Args:
        published: the post's arms (``arms``).
        ours: gains by collection with their intervals (``gains``); those whose length the post
            prints are drawn.
        encoder: the model that they are of.
    """
    ours = ours[ours["collection"].isin(published.index)]
    figure, axes = plt.subplots(figsize=(8.3, 4.4))
    axes.axhline(0, color="grey", lw=0.8, zorder=0)
    x, y = published["document length"], 100 * published["late - plain"]
    axes.plot(x, y, "o", color=drawing.COLORS[0], label="published, Jina v2 small")
    for at, gain, name in zip(x, y, published.index, strict=True):
        by_the_axis = at < x.max() / 10
        axes.annotate(titles.collection(name), (at, gain),
                      xytext=(6 if by_the_axis else -6, 6), textcoords="offset points",
                      ha="left" if by_the_axis else "right")  # fmt: skip
    beside, label = x[ours["collection"]] + 12, f"{titles.encoder(encoder)}, 95% interval"
    drawing.intervals(axes, ours, beside, drawing.COLORS[1], label, upright=True, marker="s")
    axes.set(xlabel="mean document length (characters)",
             ylabel="late minus plain (points)")  # fmt: skip
    axes.legend(loc="upper left")
    correlation = stats.pearsonr(x, y)
    low, high = map(decimals, correlation.confidence_interval())
    r = decimals(correlation.statistic)
    message = f"Length and published gain correlate by {r}, 95% interval {low} to {high}"
    drawing.titled(figure, message)
    return figure


def prints(post: pd.DataFrame, others: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Scores of the post's table that stand elsewhere too: a row a score, with both, whether they
    are the same to the post's last digit, and where they are not, of which model they are.

    Args:
        post: its cells.
        others: by name, cells of other tables.
    """
    keys, first = [*ARM, "collection"], _fractions(post)
    rows = []
    for name, cells in others.items():
        both = first.merge(_fractions(cells), on=keys, suffixes=(" post", ""))
        difference = (both["value"] - both["value post"]).round(6)
        rows.append(both.assign(printed=name, difference=difference))
    table = pd.concat(rows, ignore_index=True)
    same = table["difference"].abs() <= ROUNDING
    table["same"] = same.map({True: "yes", False: "no"})
    models = table[~same].reset_index().merge(first, on=keys[1:], suffixes=("", " of"))
    models = models[(models["value"] - models["value of"]).abs() <= ROUNDING].set_index("index")
    table["other model"] = models["encoder of"].groupby("index").first().reindex(table.index)
    columns = {"printed": "also published in", "value post": "second post", "value": "there"}
    last = ["difference", "same", "other model"]
    return table.rename(columns=columns)[[*keys, *columns.values(), *last]]


def agreement(prints: pd.DataFrame) -> pd.DataFrame:
    """``prints``, counted by place and model: scores, those that are the same, those that are
    another model's, and the largest difference."""
    by = prints.groupby(["also published in", "encoder"], sort=False)
    counts = {
        "scores": by.size(),
        "the same": by["same"].agg(lambda same: (same == "yes").sum()),
        "another model's": by["other model"].count(),
        "largest difference": by["difference"].agg(lambda gaps: gaps.abs().max()),
    }
    return pd.DataFrame(counts).reset_index()


def _fractions(cells: pd.DataFrame) -> pd.DataFrame:
    scores = cells[cells["measure"] == "nDCG@10"]
    percent = scores["unit"] == "percent"
    return scores.assign(value=scores["value"].where(~percent, scores["value"] / 100))[
        [*ARM, "collection", "value"]
    ]
