"""The figure of what moderates the gain of late chunking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chunkstudy.analysis.moderators import ALL
from chunkstudy.analysis.moderators_ranges import PLACE, SHARES, TUNED_ON, WORDS
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import COLORS, one_legend, rows_named, table, zero

MARKERS = "osD^v"
"""An encoder each, so that they differ in grey print too."""
FEWEST = 50
"""Questions in a range that is drawn; of fewer the interval covers the panel."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the tables are there."""
    effects, ranges = table(places, "moderators"), table(places, "moderators_ranges")
    if len(effects) and len(ranges):
        yield "moderators", moderators(effects, ranges)


def moderators(effects: pd.DataFrame, ranges: pd.DataFrame) -> Figure:
    """Above, the mean gain by where an answer is read and where the question's words stand, at the
    widest window; below, the effect of every moderator with the others held."""
    effects = effects[effects["collection"] == ALL]
    models = [one for one in display_names.MODELS if one in set(ranges["model"])]
    window = ranges["window"].max()
    widest = ranges[(ranges["window"] == window) & (ranges["n"] >= FEWEST)]
    names = list(dict.fromkeys(effects["moderator"]))
    heights = [3.0, 0.9 + 0.34 * len(names)]
    figure = plt.figure(figsize=(8.3, sum(heights)), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=heights)
    above = halves[0].subplots(1, 2, sharey=True, width_ratios=[1.4, 1])
    below = halves[1].subplots()
    orders = {PLACE: _in_order(widest), WORDS: list(SHARES)}
    for axes, (by, order) in zip(above, orders.items(), strict=True):
        part = widest[widest["by"] == by]
        for at, model in enumerate(models):
            own = part[part["model"] == model]
            places = [order.index(one) + _aside(at, len(models)) for one in own["range"]]
            _points(axes, own, places, at, _label(ranges, model), value="gain", upright=True)
        axes.axhline(0, color="grey", lw=0.8, zorder=0)
        axes.set_xticks(range(len(order)), [_short(one) for one in order], fontsize=8)
    tuned = [i for i, one in enumerate(orders[PLACE]) if int(one.split()[0]) == TUNED_ON]
    for at in tuned:
        above[0].axvline(at - 0.5, color="0.4", lw=0.8, ls=":")
    above[0].set_title(
        f"by the place of the {window} tokens that the answer is read at", loc="left"
    )
    above[0].set_xlabel(f"place in the window, in tokens (dotted: {TUNED_ON})")
    above[0].set_ylabel("late minus plain, points of DCG@10")
    above[1].set_title("by the question's words next to the answer's chunk", loc="left")
    above[1].set_xlabel("share of them in the chunks beside it only")
    for at, model in enumerate(models):
        own = effects[effects["model"] == model]
        rows = [names.index(one) + _aside(at, len(models)) for one in own["moderator"]]
        _points(below, own, rows, at, _label(ranges, model), value="gain per step")
    zero(below)
    steps = effects.drop_duplicates("moderator").set_index("moderator")["step"]
    shown = [f"{one} *" if steps[one] != "standard deviation" else one for one in names]
    rows_named(below, shown)
    below.set_title("each moderator, the others held, all windows together", loc="left")
    below.set_xlabel(
        "\N{LEFTWARDS ARROW} late chunking harms more     change of the gain, points     "
        "late chunking helps more \N{RIGHTWARDS ARROW}\n"
        "per standard deviation; * yes against no, or twice the window"
    )
    figure.suptitle(
        "The gain of late chunking within documents, 95% intervals over documents\n"
        f"(ranges of fewer than {FEWEST} questions are not drawn)"
    )
    one_legend(figure, [below], columns=2)
    return figure


def _points(
    axes: Axes,
    rows: pd.DataFrame,
    at: list[float],
    number: int,
    label: str,
    *,
    value: str,
    upright: bool = False,
) -> None:
    middle, low, high = (100 * rows[name].to_numpy(dtype=float) for name in (value, "low", "high"))
    errors = np.clip([middle - low, high - middle], 0, None)
    x, y = (at, middle) if upright else (middle, at)
    axes.errorbar(
        x, y, **{"yerr" if upright else "xerr": errors}, fmt=MARKERS[number % len(MARKERS)],
        ms=4, lw=1.1, color=COLORS[number % len(COLORS)], label=label,
        mfc="white" if number % 2 else None,
    )  # fmt: skip


def _short(name: str) -> str:
    """The range of places in few characters."""
    return name.replace(" to ", "\N{EN DASH}") if name[0].isdigit() else name.replace("up to", "to")


def _label(ranges: pd.DataFrame, model: str) -> str:
    documents = ranges.loc[ranges["model"] == model, "documents"].max()
    asked = f"{_questions(ranges, model):,} questions in {documents} documents"
    return f"{display_names.encoder(model)}, {asked}"


def _questions(ranges: pd.DataFrame, model: str) -> int:
    """At the window with most of them; each is read at one place."""
    own = ranges[(ranges["model"] == model) & (ranges["by"] == PLACE)]
    return int(own.groupby("window")["n"].sum().max())


def _in_order(widest: pd.DataFrame) -> list[str]:
    found = set(widest.loc[widest["by"] == PLACE, "range"])
    return sorted(found, key=lambda one: int(one.split()[0]))


def _aside(at: int, of: int) -> float:
    return 0.22 * (at - (of - 1) / 2)
