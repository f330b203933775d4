"""Figures of boundary signals: areas under the ROC curve, and entropy around the ends of
sentences."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

from chunkstudy.studies.boundary_signals.areas import (
    BASELINES,
    DISTANCE,
    KINDS,
    MEAN,
    PARAGRAPHS,
    SENTENCES,
)
from chunkstudy.studies.boundary_signals.roc import CHANCE
from chunkstudy.study.drawing import COLORS, intervals, one_legend, rows_named, style, titled
from chunkstudy.study.titles import SIGNALS

NORMAL_95 = float(stats.norm.ppf(0.975))
"""Standard errors on either side of a mean."""


@style()
def figure_areas(areas: pd.DataFrame) -> Figure:
    """The area of each signal, a small dot per kind of boundary and a large one with its interval
    for their mean; a panel among all ends of sentences, one among ends of paragraphs."""
    heights = {name: height for height, name in enumerate(areas["signal"].unique())}
    areas = areas.assign(height=areas["signal"].map(heights))
    figure, panels = plt.subplots(
        1, 2, figsize=(9, 0.36 * len(heights) + 1.7), sharex=True, sharey=True
    )
    for axes, among in zip(panels, (SENTENCES, PARAGRAPHS), strict=True):
        rows = areas[areas["among"] == among]
        kinds, mean = (
            rows[rows["boundaries"].isin(KINDS.values())],
            rows[rows["boundaries"] == MEAN],
        )
        axes.plot(
            kinds["area"], kinds["height"], "o", ms=3, color="0.6", zorder=1,
            label="one kind of boundary",
        )  # fmt: skip
        compared = mean["signal"].isin((*BASELINES, DISTANCE))
        of_model = "signal of the language model, mean over all kinds, 95% interval"
        for part, color, label in (
            (mean[~compared], COLORS[0], of_model),
            (mean[compared], COLORS[1], "what it is compared with"),
        ):
            intervals(axes, part, part["height"], color, label, "area", scale=1)
        axes.axvline(CHANCE, color="grey", lw=0.8, zorder=0)
        axes.set_title(f"among {among}", loc="left")
        axes.set_xlabel("area under the ROC curve (0.5 is chance)")
    rows_named(panels[0], [SIGNALS[name] for name in heights])
    titled(
        figure,
        "How well each signal of SmolLM2-135M-Instruct tells where a section, chapter, turn or "
        "chat ends; text without headings and notation",
    )
    one_legend(figure, panels, columns=1)
    return figure


@style()
def figure_profile(rows: pd.DataFrame) -> Figure:
    """Mean entropy by token before and after the end of a sentence, a line per text, with 95%
    intervals over places."""
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    for color, (text, of) in zip(COLORS, rows.groupby("text", sort=False), strict=False):
        axes.errorbar(of["offset"], of["entropy"], NORMAL_95 * of["error"], fmt="o-", ms=3, lw=1.2,
                      color=color, label=str(text))  # fmt: skip
    axes.axvline(-0.5, color="grey", lw=0.8, zorder=0)
    axes.set_xlabel("tokens from the end of a sentence; 0 is the first token of the next")
    axes.set_ylabel("entropy of the token, bits")
    axes.set_ylim(bottom=0)
    one_legend(figure, [axes], columns=3)
    return figure
