"""The figure of labelled chunks."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import COLORS, LOG, style

LABELS, SPANS, BEST = COLORS[0], COLORS[1], "0.6"
FAMILIES = {"recursive": "o", "token": "s"}


@style()
def figure_chunk_size(rows: pd.DataFrame) -> Figure:
    """Precision and recall against the mean chunk: by labels, by spans, and the best labels."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.4), sharex=True)
    for axes, measure, span in zip(
        panels, ("precision", "recall"), ("SpanPrecision", "SpanRecall"), strict=True
    ):
        for family, marker in FAMILIES.items():
            of_family = rows[rows["chunker"].str.startswith(family)]
            plain = of_family[of_family["chunker"].str.endswith("-0")].sort_values("mean tokens")
            overlapping = of_family[~of_family["chunker"].str.endswith("-0")]
            for part, line, fill in ((plain, "-", None), (overlapping, "", "white")):
                x = part["mean tokens"]
                shape = {"marker": marker, "ls": line, "mfc": fill, "ms": 5.5, "lw": 1.2}
                best = {**shape, "lw": 0.8, "ms": 3.5}
                axes.plot(x, 100 * part[f"best {measure}"], color=BEST, **best)
                axes.plot(x, 100 * part[span], color=SPANS, **shape)
                value = 100 * part[measure]
                low, high = (100 * part[f"{measure} {end}"] for end in ("low", "high"))
                spread = [value - low, high - value]
                axes.errorbar(x, value, spread, color=LABELS, elinewidth=0.8, **shape)
        axes.set_xscale(LOG)
        axes.set_xticks([30, 50, 100, 200, 400])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set(xlabel="mean chunk (tokens)", ylim=(0, None))
        axes.set_title(f"{measure} at {rows['k'].iloc[0]} chunks (%)", loc="left")
    handles = [Line2D([], [], color=c, lw=2) for c in (LABELS, SPANS, BEST)]
    handles += [Line2D([], [], color="black", marker=m, ls="") for m in FAMILIES.values()]
    handles += [Line2D([], [], color="black", marker="o", mfc="white", ls="")]
    names = ["labelled chunks, 95% interval", "token overlap", "labels, best reachable"]
    names += [display_names.FAMILIES[family] for family in FAMILIES]
    names += ["with overlap (hollow)"]
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return figure
