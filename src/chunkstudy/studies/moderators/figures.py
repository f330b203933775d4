"""The figure of what moderates the gain of late chunking."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show import drawing
from chunkstudy.studies.moderators.regression import ALL, PLACE, SHARES, STEPS, WORDS

MARKERS = "osD^v"
"""An encoder each, so that they differ in grey print too."""
FEWEST = 50
"""Questions in a range that is drawn; of fewer the interval covers the panel."""
APART = 0.22


@drawing.style()
def figure_moderators(effects: pd.DataFrame, ranges: pd.DataFrame) -> Figure:
    """Above, the mean gain by where an answer is read and where the question's words stand; below,
    the effect of every moderator with the others held, over all collections.

    Args:
        effects: as :func:`regression.effects` makes them.
        ranges: as :func:`ranges.ranges` makes them, of one window.
    """
    effects = effects[effects["collection"] == ALL]
    drawn = ranges[ranges["n"] >= FEWEST]
    names = list(dict.fromkeys(effects["moderator"]))
    places = set(drawn.loc[drawn["by"] == PLACE, "range"])
    orders = {PLACE: sorted(places, key=lambda one: int(one.split()[0])), WORDS: list(SHARES)}
    heights = [3.0, 0.9 + 0.34 * len(names)]
    figure = plt.figure(figsize=(8.3, sum(heights)))
    halves: Any = figure.subfigures(2, 1, height_ratios=heights)
    above = halves[0].subplots(1, 2, sharey=True, width_ratios=[1.4, 1])
    below = halves[1].subplots()
    models = dict.fromkeys(ranges["model"])
    for number, model in enumerate(models):
        aside = APART * (number - (len(models) - 1) / 2)
        look: Any = {"color": drawing.COLORS[number], "marker": MARKERS[number]}
        for axes, (by, order) in zip(above, orders.items(), strict=True):
            own = drawn[(drawn["by"] == by) & (drawn["model"] == model)]
            at = [order.index(one) + aside for one in own["range"]]
            drawing.intervals(axes, own, at, value="gain", upright=True, **look)
        own = effects[effects["model"] == model]
        at = [names.index(one) + aside for one in own["moderator"]]
        label = display_names.encoder(str(model))
        drawing.intervals(below, own, at, label=label, value="gain per step", **look)
    for axes, order in zip(above, orders.values(), strict=True):
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
        axes.set_xticks(range(len(order)), [_short(one) for one in order], fontsize=8)
    above[0].set_ylabel("late minus plain, points of DCG@10")
    above[0].set_title("by the answer's place in the window", loc="left")
    above[0].set_xlabel("place in the window, in tokens")
    above[1].set_title("by the question's words beside it", loc="left")
    above[1].set_xlabel("share of them in the chunks beside it only")
    drawing.zero(below)
    steps = effects.drop_duplicates("moderator")["step"]
    starred = [" *" if step in STEPS.values() else "" for step in steps]
    drawing.rows_named(below, [n + star for n, star in zip(names, starred, strict=True)])
    below.set_title("each moderator, the others held, all windows together", loc="left")
    below.set_xlabel(
        "change of the gain, points per standard deviation\n* yes against no, or twice the window"
    )
    drawing.one_legend(figure, [below], columns=3)
    return figure


def _short(name: str) -> str:
    """The range of places in few characters."""
    return name.replace(" to ", "\N{EN DASH}") if name[0].isdigit() else name.replace("up to", "to")
