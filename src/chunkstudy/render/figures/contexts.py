"""The figure of contexts before chunks: what each gains, beside late chunking."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.places import Places
from chunkstudy.render import display_names
from chunkstudy.render.figures.drawing import (
    COLORS,
    intervals,
    one_legend,
    rows_named,
    table,
    zero,
)

MARKED = ("o", "s")


def figures(places: Places) -> Iterator[tuple[str, Figure]]:
    """Name and figure, where the table is there."""
    rows = table(places, "contexts_gains")
    if len(rows):
        yield "contexts_gains", gains(rows)


def gains(rows: pd.DataFrame) -> Figure:
    """With context minus plain with 95% intervals, a panel per collection, a mark per model: first
    what a document offers, then what a language model wrote, then late chunking by window."""
    over = rows.groupby(["collection", "model", "context"])["chunkers"].transform("max")
    rows = rows[rows["chunkers"] == over]
    late = rows["context"].str.startswith("late-")
    names = list(dict.fromkeys(rows["context"][~late]))
    names += sorted(dict.fromkeys(rows["context"][late]), key=lambda name: int(name[5:]))
    collections, models = (list(dict.fromkeys(rows[one])) for one in ("collection", "model"))
    figure, panels = plt.subplots(
        1, len(collections), figsize=(2.4 + 2.3 * len(collections), 0.36 * len(names) + 2.1),
        squeeze=False, sharey=True, layout="constrained",
    )  # fmt: skip
    for axes, collection in zip(panels[0], collections, strict=True):
        part = rows[rows["collection"] == collection]
        for n, model in enumerate(models):
            here = part[part["model"] == model]
            at = np.array([names.index(one) for one in here["context"]])
            at = at + 0.26 * (n - (len(models) - 1) / 2)
            intervals(axes, here, at, COLORS[n], display_names.encoder(model), marker=MARKED[n])
        zero(axes)
        axes.set_title(
            f"{display_names.collection(collection)}\n{part['n'].max():,} questions", loc="left",
            fontsize=8,
        )  # fmt: skip
        measure = display_names.measure(str(part["measure"].iloc[0]))
        axes.set_xlabel(f"minus plain, points:\n{measure}", fontsize=8)
    rows_named(panels[0][0], [_capital(display_names.context(one)) for one in names])
    one_legend(figure, panels[0], columns=2)
    return figure


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]
