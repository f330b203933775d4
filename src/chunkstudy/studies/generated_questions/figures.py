"""How similar questions are to their excerpts and to each other, with the filters' thresholds."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chunkstudy.study.drawing import COLORS

BINS = np.arange(-0.24, 1.03, 0.06)  # 0.36 and 0.78 lie between two of them
Values = NDArray[np.float64]
Group = tuple[Values, Values]
"""Of each question the similarity to its least similar excerpt, and to the most similar of the
questions before it."""


def similarities(groups: Mapping[str, Group], least: float, most: float, model: str) -> Figure:
    """Two histograms over all questions, the shares of the groups in colours.

    Args:
        groups: similarities by a group's name.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8))
    panels = (
        (left, 0, least, "question and its least similar excerpt", "dropped below"),
        (right, 1, most, "question and the most similar one before it", "dropped above"),
    )
    for axes, at, threshold, what, side in panels:
        values = [group[at][~np.isnan(group[at])] for group in groups.values()]
        axes.hist(values, BINS, stacked=True, color=COLORS[: len(values)], label=list(groups))
        axes.axvline(threshold, color="black", lw=1, ls="--")
        axes.annotate(
            f"{side} {threshold:.2f}",
            (threshold, 1.02),
            xycoords=("data", "axes fraction"),
            ha="center",
            fontsize=8,
        )
        axes.set(xlabel=f"cosine similarity: {what}", ylabel="questions")
    left.legend(fontsize=8)
    figure.suptitle(f"Similarities by {model}")
    return figure
