"""The best of each ranking, and which systems it is not told apart from."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.display import titles
from chunkstudy.display.drawing import COLORS, intervals, one_legend, rows_named, style, titled
from chunkstudy.display.formats import Column, Columns, points, whole
from chunkstudy.evaluation.statistics.differences import LOWER
from chunkstudy.pipeline.conditions import PRE_EMBEDDING
from chunkstudy.studies.which_chunker.ranking import GROUP, READ, System

SYSTEM = list(System._fields)
AS_GOOD = "not significantly worse"
SLUG_WINDOW = re.compile(r"(?<=late|lain), (\d+) tokens")
"""What one that reads chunks of as many tokens is not to be taken for."""


def called(chunker: str, ordering: str, window: object) -> str:
    """A system by its names; late chunking says its window itself."""
    read = f"plain, {window} tokens" if ordering == PRE_EMBEDDING else titles.system(ordering)
    read = SLUG_WINDOW.sub(r" in windows of \1", read)
    return f"{titles.shown('chunker', chunker)}, {read}"


def all_called(text: str) -> str:
    """``chunker ordering window; …`` by their names."""
    return "; ".join(called(*slugs.split(" ")) for slugs in text.split("; ") if slugs)


COLUMNS: Columns = {
    "ordering": Column("ranked by", titles.system),
    "window": Column("read at once, tokens", whole),
    AS_GOOD: Column(AS_GOOD, all_called),
}


def advice(ranked: pd.DataFrame) -> pd.DataFrame:
    """The best of each task, collection and model, and how many of the ``others`` are significantly
    ``worse``; ``as good`` names those that are not.

    Args:
        ranked: as :func:`ranking.ranking` gives it.
    """
    rows = []
    for _, group in ranked.groupby(GROUP, sort=False):
        best, worse = group.iloc[0], group["shown"] == LOWER
        close = group[SYSTEM][~worse].iloc[1:].itertuples(index=False)
        named = "; ".join(" ".join(map(str, system)) for system in close)
        counts = {"others": len(group) - 1, "worse": int(worse.sum()), AS_GOOD: named}
        rows.append(best.to_dict() | counts)
    columns = [*GROUP, *SYSTEM, "measure", "score", "low", "high", "n", READ, "worse", "others"]
    return pd.DataFrame(rows, columns=[*columns, AS_GOOD])


def by_model(differences: pd.DataFrame) -> str:
    """The least and the largest difference of some models, in points, and of how many."""
    ends = sorted(differences["difference"], key=abs)
    return f"{points(ends[0])} to {points(ends[-1])} points with {len(ends)} models"


@style()
def figure_best(ranked: pd.DataFrame, title: str, most: int = 3) -> Figure:
    """The best systems of each model, and its best by plain vectors, with 95% intervals, a panel a
    task and collection; hollow what trails the best of its model significantly.

    Args:
        ranked: of :func:`ranking.ranking`, the best of each model first.
        title: what it shows, in a sentence.
        most: systems of each model.
    """
    panel = ["task", "collection"]
    plain = ranked[ranked["ordering"] == PRE_EMBEDDING]
    best = [rows.groupby([*panel, "encoder"]) for rows in (ranked, plain)]
    drawn = ranked.loc[best[0].head(most).index.union(best[1].head(1).index, sort=False)]
    drawn = drawn.sort_index()
    groups = list(drawn.groupby(panel, sort=False))
    models = list(drawn["encoder"].unique())
    counts = [len(rows) for _, rows in groups]
    figure, panels = plt.subplots(
        len(groups), 1, figsize=(8.3, 0.19 * sum(counts) + 0.8 * len(groups) + 0.6),
        squeeze=False, height_ratios=counts,
    )  # fmt: skip
    for axes, ((task, collection), rows) in zip(panels[:, 0], groups, strict=True):
        at = pd.Series(range(len(rows)), index=rows.index)
        for color, model in zip(COLORS, models, strict=False):
            part = rows[rows["encoder"] == model]
            worse = part["shown"] == LOWER
            name = titles.encoder(model)
            intervals(axes, part, at[part.index], color, name, "score", hollow=worse)
        rows_named(axes, [called(*system) for system in rows[SYSTEM].values])
        measure = titles.measure(str(rows["measure"].iloc[0]))
        where = f"{titles.collection(str(collection))}, {rows['n'].max():,} questions"
        axes.set_title(f"{titles.shown('task', task).capitalize()}\n{where}", loc="left")
        axes.set_xlabel(f"{measure} (%), 95% interval")
    one_legend(figure, panels[:, 0], columns=2)
    titled(figure, title)
    return figure
