"""One post as a line, and below each other where it is cut: by print, and by our chunkers."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from chunkstudy.study import titles
from chunkstudy.study.drawing import COLORS, rows_named, style

DRAWN, LOST = {"printed": COLORS[0], "here": COLORS[1]}, (0.82, 0.82, 0.82)


@style()
def figure_cuts(study: Mapping[str, pd.DataFrame], sizes: pd.DataFrame) -> Figure:
    """A band for each segmentation, a line at every cut, grey where text is left out.

    Args:
        study: the tables of ``one-post`` by name.
        sizes: who drew each segmentation, and how many parts it has, in the order of the bands.
    """
    units, between = len(study["words"]), ["first word", "after word"]
    tables, drawn = (study["chunks"], study["left_out"]), sizes.set_index("segmentation")
    figure, axes = plt.subplots(figsize=(9, 0.42 * len(drawn) + 1.5))
    for at, (name, drawer) in enumerate(drawn["drawn"].items()):
        standing, lost = (
            rows.loc[rows["segmentation"] == name, between].to_numpy() for rows in tables
        )
        axes.broken_barh([(a, b - a) for a, b in lost], (at - 0.36, 0.72), color=LOST)
        ends = sorted({0, units, *standing.ravel()})
        axes.vlines(ends, at - 0.36, at + 0.36, color=DRAWN[drawer], lw=0.9)
        axes.hlines(at, 0, units, color=DRAWN[drawer], lw=0.5, alpha=0.5, zorder=0)
    parts = drawn["parts"].items()
    names = [f"{titles.shown('segmentation', name)}: {many}" for name, many in parts]
    rows_named(axes, names)
    axes.set_xlim(-8, units + 8)
    axes.set_xlabel(f"words of the post, {units:,} in all")
    axes.grid(visible=False)
    labels = ["published", "our chunkers on the same text", "left out"]
    colors = zip(labels, [*DRAWN.values(), LOST], strict=True)
    handles = [Patch(color=color, label=label) for label, color in colors]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure
