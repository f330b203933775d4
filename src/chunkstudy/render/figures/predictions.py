"""The figure of predictions: where we expect something else than is printed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import LATE, PLAIN, rows_named, table, zero

LEAST = 0.25
"""Bets of a smaller product of probability and surprise are not drawn."""
MARGIN = 3.0
"""Points left and right of the outermost number."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the table is there."""
    rows = table(places, "predictions")
    if len(rows):
        bets = (rows["unit"] == "point") & (rows["probability"] * rows["surprise"] >= LEAST)
        if bets.any():
            yield "predictions", against_print(rows[bets].reset_index(drop=True))


def against_print(rows: pd.DataFrame) -> Figure:
    """Print's difference of two conditions beside the side on which ours is expected."""
    figure, axes = plt.subplots(figsize=(8.3, 0.22 * len(rows) + 1.2), layout="constrained")
    zero(axes)
    reach = float(rows[["published", "at least", "at most"]].abs().max().max()) + MARGIN
    low, high = rows["at least"].fillna(-reach), rows["at most"].fillna(reach)
    axes.hlines(rows.index, low, high, color=PLAIN, lw=3, alpha=rows["probability"])
    axes.plot(rows["published"], rows.index, "D", ms=4, color=LATE)
    axes.plot(rows["number"], rows.index, "o", ms=4, color="black")
    rows_named(axes, [named(row) for row in rows.to_dict("records")])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("difference of the two conditions (points)")
    handles = [
        Line2D([], [], marker="D", ls="", ms=4, color=LATE),
        Line2D([], [], lw=3, color=PLAIN),
        Line2D([], [], marker="o", ls="", ms=4, color="black"),
    ]
    words = ["print", "expected, the darker the more probable", "reproduced"]
    decided = 3 if rows["number"].notna().any() else 2
    figure.legend(handles[:decided], words[:decided], loc="outside lower center", ncols=3)
    return figure


def named(row: Mapping[Hashable, object]) -> str:
    """What a row is about, and the id of its prediction."""
    parts = [display_names.shown(name, row[name]) for name in ("collection", "chunker", "encoder")]
    return f"{', '.join(parts)} ({row['id']})"
