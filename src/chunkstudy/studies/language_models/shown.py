"""Which columns the tables of this page show, and where answers stand in their windows."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.studies.language_models.answers import FIFTHS
from chunkstudy.study import titles
from chunkstudy.study.drawing import COLORS, intervals, one_legend, style, titled
from chunkstudy.study.formats import Column, Columns, significant, whole

SETTINGS = ["measure", "encoder", "protocol", "ordering", "chunker"]
TESTED = ["difference", "low", "high", "p_holm", "shown"]
OF_EMMA = [*SETTINGS, "mean tokens", "score", "score low", "score high", *TESTED]
OF_BOUGHT = [*SETTINGS, "instead", "chosen", "other", *TESTED]
OF_ANSWERS = ["text", "answered by", "place", "answered", "at random", *TESTED]
OF_COST = [
    "chunker", "measured on", "documents", "documents a second", "tokens a second",
    "printed a second", "US dollars, Emma", "DCG@10", "low", "high",
]  # fmt: skip
AS_SIZES: Columns = {"mean tokens": whole}
AS_COST: Columns = {
    **dict.fromkeys(("documents a second", "tokens a second"), significant),
    "printed a second": Column("published, documents a second", significant),
}


@style()
def figure_answers(rows: pd.DataFrame) -> Figure:
    """The share of answers in each fifth of a window with its 95% interval, a panel per text and
    model, the line where answers at random would lie."""
    rows = rows[rows["place"].isin(FIFTHS)]
    groups = list(rows.groupby(["text", "answered by"], sort=False))
    figure, panels = plt.subplots(
        1, len(groups), figsize=(8.3, 3.3), squeeze=False, sharey=True,
    )  # fmt: skip
    for axes, ((text, by), of) in zip(panels[0], groups, strict=True):
        at = [FIFTHS.index(fifth) for fifth in of["place"]]
        ends = of.assign(low=of["low"] + of["at random"], high=of["high"] + of["at random"])
        axes.bar(at, 100 * of["answered"], color="0.88", width=0.8, zorder=0)
        intervals(axes, ends, at, COLORS[0], "answered, 95% interval", "answered", upright=True)
        axes.axhline(100 * of["at random"].iloc[0], color="0.4", lw=0.9, ls="--", label="at random")
        axes.set_xticks(range(len(FIFTHS)), ["first", "2nd", "3rd", "4th", "last"], fontsize=8)
        name = titles.shown("language model", by).removesuffix(" in four bits")
        title = f"{text}\n{name}\n{of['windows'].iloc[0]:.0f} windows"
        axes.set_title(title, loc="left", fontsize=8)
        axes.set_xlabel("fifth of the window")
    panels[0][0].set_ylabel("share of answers (%)")
    one_legend(figure, panels[0], columns=2)
    last = 100 * rows.loc[rows["place"] == FIFTHS[-1], "answered"]
    spread = " to ".join(dict.fromkeys(f"{share:.0f}" for share in (last.min(), last.max())))
    message = f"{spread}% of the answers name the last fifth of their window, where one in five "
    titled(figure, f"{message}would by chance")
    return figure
