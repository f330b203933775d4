"""One post as a line, and below each other where it is cut: by print, and by our chunkers."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import COLORS, rows_named, style

PRINTED, HERE, LOST = COLORS[0], COLORS[1], "0.82"


@style()
def figure_cuts(rows: pd.DataFrame, sizes: pd.DataFrame) -> Figure:
    """A band for each segmentation, a line at every cut, grey where text is left out.

    Args:
        rows: parts with ``first word`` and ``after word``, ``left_out`` where they are lacking.
        sizes: who drew each segmentation, and how many parts it has, in the order of the bands.
    """
    units = int(rows["words"].iloc[0])
    drawn = dict(zip(sizes["segmentation"], sizes["drawn"], strict=True))
    parts = dict(zip(sizes["segmentation"], sizes["parts"], strict=True))
    figure, axes = plt.subplots(figsize=(9, 0.42 * len(drawn) + 1.5))
    for at, (name, by) in enumerate(drawn.items()):
        here = rows[rows["segmentation"] == name]
        lost = here[here["left_out"].astype(bool)]
        axes.broken_barh(
            [(a, b - a) for a, b in lost[["first word", "after word"]].to_numpy()],
            (at - 0.36, 0.72),
            color=LOST,
        )
        kept = here[~here["left_out"].astype(bool)]
        ends = sorted({*kept["first word"], *kept["after word"]} | {0, units})
        color = PRINTED if by == "printed" else HERE
        axes.vlines(ends, at - 0.36, at + 0.36, color=color, lw=0.9)
        axes.hlines(at, 0, units, color=color, lw=0.5, alpha=0.5, zorder=0)
    names = [f"{display_names.shown('segmentation', name)}: {parts[name]}" for name in drawn]
    rows_named(axes, names)
    axes.set_xlim(-8, units + 8)
    axes.set_xlabel(f"words of the post, {units:,} in all")
    axes.grid(visible=False)
    handles = [
        Patch(color=PRINTED, label="published"),
        Patch(color=HERE, label="our chunkers on the same text"),
        Patch(color=LOST, label="left out"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure
