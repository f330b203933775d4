"""The figure of labelled chunks."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import titles
from chunkstudy.show.drawing import COLORS, LOG, intervals, one_legend, style

MEASURES = {"precision": "SpanPrecision", "recall": "SpanRecall"}
"""Of labelled chunks, and of the text that the same chunks hold."""


@style()
def figure_chunk_size(rows: pd.DataFrame) -> Figure:
    """Precision and recall against the mean chunk, by labels and by spans, a marker a family;
    chunks that overlap are joined by no line."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True)
    families = rows["chunker"].str.partition("-")[0]
    for axes, (labels, spans) in zip(panels, MEASURES.items(), strict=True):
        for marker, (family, of) in zip("os", rows.groupby(families), strict=False):
            name = titles.FAMILIES.get(str(family), str(family))
            apart = of[of["chunker"].str.endswith("-0")].sort_values("mean tokens")
            axes.plot(apart["mean tokens"], 100 * apart[[labels, spans]], color="0.8", zorder=0)
            ends = (f"{labels} low", f"{labels} high")
            intervals(axes, of, of["mean tokens"], COLORS[0], f"{name}, labelled chunks", labels,
                      ends, upright=True, marker=marker)  # fmt: skip
            axes.plot(of["mean tokens"], 100 * of[spans], marker, color=COLORS[1], ms=4,
                      label=f"{name}, token overlap")  # fmt: skip
        axes.set_xscale(LOG)
        axes.set_xticks([30, 50, 100, 200, 400])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set(xlabel="mean chunk (tokens)", ylim=(0, None))
        axes.set_title(f"{labels} at {rows['k'].iloc[0]} chunks (%), 95% interval", loc="left")
    one_legend(figure, panels, columns=2)
    return figure
