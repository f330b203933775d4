"""The figure of which chunker to use: scores of every task, grouped by who is behind the best."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.analysis.paired import LOWER, NOT_SHOWN
from chunkstudy.analysis.which_chunker import FEWEST_QUESTIONS, GROUP
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import PLAIN, intervals, rows_named, table

DRAWN = 8
"""Arms drawn of a task and model, and below them those that are not shown to be worse."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the table is there; what has too few questions to advise from is left
    to the table."""
    rows = table(places, "which_chunker")
    rows = rows[rows["n"] >= FEWEST_QUESTIONS] if len(rows) else rows
    if len(rows):
        yield "which_chunker", scores(rows)


def scores(rows: pd.DataFrame) -> Figure:
    """Score with 95% interval, a panel per task, collections and model: filled where it is the best
    or shown to be as good, hollow where neither that nor the contrary is shown, grey where it is
    behind the best. Of many arms the first are drawn."""
    parts = [_drawn(part.reset_index(drop=True)) for _, part in rows.groupby(GROUP, sort=False)]
    whole = [len(part) for _, part in rows.groupby(GROUP, sort=False)]
    counts = [len(part) + 1 for part in parts]
    figure, panels = plt.subplots(
        len(parts), 1, figsize=(8.3, 0.24 * sum(counts) + 0.8 * len(parts)), squeeze=False,
        height_ratios=counts, layout="constrained",
    )  # fmt: skip
    for axes, part, arms in zip(panels[:, 0], parts, whole, strict=True):
        behind = part["behind"].astype(str).isin(("yes", "True"))
        for is_behind, color in ((False, PLAIN), (True, "0.65")):
            here = part[behind == is_behind]
            hollow = here["shown"] == NOT_SHOWN
            intervals(axes, here, list(here.index), color, value="score", hollow=hollow)
        rows_named(axes, list(map(display_names.arm, part["chunker"], part["ordering"])))
        first = part.iloc[0]
        title = (
            f"{display_names.shown('task', first['task']).capitalize()}, "
            f"{display_names.encoder(str(first['encoder']))}\n"
            f"{display_names.collection(str(first['collections']))}, {first['n']:,.0f} "
            f"queries{f'; the first {len(part)} of {arms} arms' if len(part) < arms else ''}"
        )
        axes.set_title(title, loc="left")
        axes.set_xlabel(f"{display_names.measure(str(first['measure']))} (%), 95% interval")
    looks = ((PLAIN, PLAIN), (PLAIN, "white"), ("0.65", "0.65"))
    handles = [
        Line2D([], [], marker="o", ms=4, color=line, markerfacecolor=face) for line, face in looks
    ]
    words = ("best, or as good within a point", "not shown to be worse", "shown to be worse")
    figure.legend(handles, words, loc="outside lower center", ncols=3)
    return figure


def _drawn(part: pd.DataFrame) -> pd.DataFrame:
    """The arms of one task and model that are drawn, the best first."""
    close = part.index[part["shown"] != LOWER]
    return part.loc[: max(DRAWN - 1, close[-1] if len(close) else 0)]
