"""What is published where documents are empty, and what these cost here."""

from __future__ import annotations

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

SEEN = (
    "Left, the change by late chunking as published for FiQA and TREC-COVID, far below zero for "
    "semantic chunks. Right, the change of our rankings when documents without a score are put in, "
    "mean and range over draws."
)
MARKERS = {"fiqa": "o", "trec-covid": "^"}
MADE = {
    "no chunk": COLORS[0],
    "one empty chunk": COLORS[1],
    "no chunk, later one empty chunk": COLORS[2],
}
"""Colours of what the official code makes of an empty document."""


@style()
def figure_both_sides(printed: pd.DataFrame, methods: pd.DataFrame, draws: pd.DataFrame) -> Figure:
    """Left: published changes of the six methods, a mark per model, coloured by what becomes of an
    empty document. Right: the change by empty documents in our rankings, mean and range."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.3, 4.8))
    names = methods["chunker"].tolist()
    made = dict(zip(names, methods["official code"], strict=True))
    for number, (collection, marker) in enumerate(MARKERS.items()):
        rows = printed[printed["collection"] == collection]
        for what, colour in MADE.items():
            part = rows[rows["chunker"].map(made) == what]
            at = [names.index(one) - 0.14 + 0.28 * number for one in part["chunker"]]
            label = what if marker == "o" else None
            left.plot(100 * part["change"], at, marker, color=colour, ms=6, alpha=0.8, label=label)
    low, high = 100 * methods["draft from"], 100 * methods["draft to"]
    drafted = np.arange(len(names)) - 0.32
    left.hlines(drafted, low, high, color="0.4", lw=2, label="FiQA in the draft of October 2025")
    rows_named(left, [display_names.chunker(one) for one in names])
    left.set(xlabel="change of nDCG@10\nby late chunking (%)")
    left.set_title("Published, four models\ncircles FiQA, triangles TREC-COVID", loc="left")
    labels = [
        f"{display_names.collection(one['collection'])}: {one['empty documents']} among "
        f"{one['documents']:,}"
        for one in draws.to_dict("records")
    ]
    order = draws.assign(label=labels).sort_values(["arm", "collection"], kind="stable")
    colours = dict(zip(order["arm"].unique(), COLORS[3:], strict=False))
    for arm, part in order.groupby("arm", sort=False):
        at = [order["label"].tolist().index(one) for one in part["label"]]
        intervals(right, part, at, colours[arm], str(arm), "change", ("largest", "smallest"))
    rows_named(right, order["label"].tolist())
    right.set(xlabel="change of nDCG@10\nby documents without a score (%)")
    right.set_title("Ours\nmean and range over draws of ids", loc="left")
    for axes in (left, right):
        zero(axes)
    one_legend(figure, (left, right), columns=2)
    return figure
