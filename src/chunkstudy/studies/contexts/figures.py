"""The figure of contexts before chunks: what each gains, beside late chunking."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.runs import display_names
from chunkstudy.show.drawing import (
    COLORS,
    intervals,
    one_legend,
    rows_named,
    style,
    zero,
)

MARKED = "osD^v"


@style()
def figure_gains(rows: pd.DataFrame) -> Figure:
    """With context minus plain with 95% intervals, a panel per collection, a mark per model: first
    what a document offers, then what a language model wrote, then late chunking by window."""
    over = rows.groupby(["collection", "model", "context"])["chunkers"].transform("max")
    rows = rows[rows["chunkers"] == over]
    late = rows["context"].str.startswith("late-")
    names = list(dict.fromkeys(rows["context"][~late]))
    names += sorted(dict.fromkeys(rows["context"][late]), key=lambda name: int(name[5:]))
    collections, models = (list(dict.fromkeys(rows[one])) for one in ("collection", "model"))
    down = math.ceil(len(collections) / 2)
    figure, panels = plt.subplots(
        down, 2, figsize=(8.3, down * (0.3 * len(names) + 1.1) + 0.5), squeeze=False, sharey=True,
    )  # fmt: skip
    for unused in panels.flat[len(collections) :]:
        unused.set_visible(False)
    for axes, collection in zip(panels.flat, collections, strict=False):
        part = rows[rows["collection"] == collection]
        for n, model in enumerate(models):
            here = part[part["model"] == model]
            at = np.array([names.index(one) for one in here["context"]])
            at = at + 0.26 * (n - (len(models) - 1) / 2)
            intervals(axes, here, at, COLORS[n], display_names.encoder(model), marker=MARKED[n])
        zero(axes)
        axes.set_title(
            f"{display_names.collection(collection)}\n{part['n'].max():,} questions", loc="left"
        )  # fmt: skip
        measure = display_names.measure(str(part["measure"].iloc[0]))
        axes.set_xlabel(f"minus plain, points:\n{measure}")
    for first in panels[:, 0]:
        rows_named(
            first, [name[0].upper() + name[1:] for name in map(display_names.context, names)]
        )
    one_legend(figure, panels.flat, columns=2)
    return figure
