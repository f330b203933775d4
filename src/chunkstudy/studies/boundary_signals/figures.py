"""The figure of boundary signals: areas under the ROC curve."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

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
