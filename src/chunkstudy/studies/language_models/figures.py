"""LumberChunker on Emma with a language model and without, and where answers stand."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.show import titles
from chunkstudy.show.drawing import COLORS, intervals, one_legend, rows_named, style, titled
from chunkstudy.studies.language_models.answers import FIFTHS
from chunkstudy.studies.language_models.window_answers import RELEASED, SMALL

NOBODY = "a rule or chance draws the boundaries"
MODEL = "a language model draws the boundaries"
MODELS = frozenset((RELEASED, SMALL))


@style()
def figure_emma(rows: pd.DataFrame) -> Figure:
    """The score of each arm with its 95% interval, a panel per ordering, the line at paragraphs; of
    one measure."""
    names = list(dict.fromkeys(rows["chunker"]))
    orderings = list(dict.fromkeys(rows["ordering"]))
    figure, panels = plt.subplots(
        1, len(orderings), figsize=(8.3, 0.42 * len(names) + 1.9), squeeze=False, sharex=True,
        sharey=True,
    )  # fmt: skip
    for axes, ordering in zip(panels[0], orderings, strict=True):
        of = rows[rows["ordering"] == ordering]
        for asked, color, label in ((True, COLORS[0], MODEL), (False, "0.45", NOBODY)):
            here = of[of["chunker"].isin(MODELS) == asked]
            at = [names.index(one) for one in here["chunker"]]
            ends = ("score low", "score high")
            intervals(axes, here, at, color, label, "score", ends)
        paragraphs = of.loc[of["chunker"] == "paragraph", "score"]
        for score in 100 * paragraphs:
            axes.axvline(score, color="0.7", lw=0.8, ls="--", zorder=0, label="paragraphs")
        axes.set_title(titles.ordering(ordering), loc="left")
        axes.set_xlabel(f"{rows['measure'].iloc[0]} (%), 95% interval")
    sizes = rows.groupby("chunker")["mean tokens"].mean()
    said = {name: titles.shown("chunker", name) for name in names}
    rows_named(panels[0][0], [f"{said[one]}\n{sizes[one]:.0f} tokens per chunk" for one in names])
    count, model = int(rows["n"].max()), titles.encoder(rows["encoder"].iloc[0])
    one_legend(figure, panels[0], columns=3)
    titled(figure, f"The novel Emma, {count} questions, {model}")
    return figure


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
        at = [FIFTHS.index(one) for one in of["place"]]
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
    return figure
