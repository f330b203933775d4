"""What the page of predictions needs beyond a cell: its figure."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.base.places import Places
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.runs import display_names
from chunkstudy.show.drawing import COLORS, one_legend, rows_named, style, zero
from chunkstudy.show.formats import number
from chunkstudy.studies.predictions import tables

LEAST = 0.25
"""Bets of a smaller product of probability and surprise are not drawn."""
MARGIN = 3.0
"""Points left and right of the outermost number."""
GROUP = ["rule", "collection", "chunker"]
EXPECTED = "0.85"
NAMES = {
    "fiqa": "FiQA",
    "trec covid": "TREC-COVID",
    "nomic": "Nomic",
    "lumberchunker": "LumberChunker",
}
PROPER = re.compile("|".join(NAMES))
MARKERS = "osD^"
"""A published model each."""
AS_BETS = {"*": number}
HIDDEN = ["rule", "kind", "work", "part", "measure", "conditions", "cells", "registered",
          "ordering", "protocol", "statistic", "surprise"]  # fmt: skip
SAME = ("paragraphs-late-or-plain", "paragraphs-are-no-chunking", "two-works-on-no-chunking",
        "quora-is-too-short", "alone-in-the-window")  # fmt: skip
"""Rules about two conditions that read nearly the same chunks in the same way."""
OPEN = ("fiqa-guarded", "short-tails", "nomic-in-a-narrower-window")
"""Rules about what the paper leaves open."""


def every(places: Places) -> dict[str, pd.DataFrame]:
    """Every table of predictions by name, each with its outcome today.

    Raises:
        PredictionError: if what was registered was changed by hand.
    """
    return tables.every(register.read(places), outcomes.known(places))


def listed(
    predictions: pd.DataFrame, work: str = "all", outcome: str = "all", least: float = 0.9
) -> pd.DataFrame:
    """The first prediction of each rule, of those that are asked for."""
    chosen = predictions["probability"] >= least
    for column, value in (("work", work), ("outcome", outcome)):
        chosen &= (value == "all") | (predictions[column] == value)
    return predictions[chosen].drop_duplicates("rule").drop(columns=HIDDEN)


@style()
def figure_bets(predictions: pd.DataFrame) -> Figure:
    """The published differences of two conditions beside the side on which ours are expected, of
    predictions in points that are worth betting on: a row a rule and chunker, a mark a model."""
    bets = predictions["probability"] * predictions["surprise"] >= LEAST
    rows = predictions[(predictions["unit"] == "point") & bets]
    groups = rows[GROUP].drop_duplicates()
    models = list(dict.fromkeys(rows["encoder"]))
    figure, axes = plt.subplots(figsize=(8.3, 0.4 * len(groups) + 1.3))
    zero(axes)
    reach = float(rows[["published", "at least", "at most"]].abs().max().max()) + MARGIN
    expected = rows.assign(row=rows.groupby(GROUP, sort=False).ngroup())
    low, high = expected["at least"].fillna(-reach), expected["at most"].fillna(reach)
    axes.hlines(expected["row"], low, high, color=EXPECTED, lw=14, label="ours is expected here")
    for n, model in enumerate(models):
        own = expected[expected["encoder"] == model]
        at = own["row"] + 0.16 * (n - (len(models) - 1) / 2)
        label = f"published, {display_names.encoder(model)}"
        axes.plot(own["published"], at, MARKERS[n], ms=5, color=COLORS[n], label=label)
        if own["number"].notna().any():
            axes.plot(own["number"], at, MARKERS[n], ms=5, color="black", label="reproduced")
    rows_named(axes, [_named(*one) for one in groups.itertuples(index=False, name=None)])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("difference of the two conditions (points)")
    one_legend(figure, [axes], columns=2)
    return figure


def _named(rule: str, collection: str, chunker: str) -> str:
    """What a row is about, and its rule in words."""
    where = display_names.collection(collection)
    said = PROPER.sub(lambda found: NAMES[found[0]], rule.replace("-", " "))
    return f"{where}, {display_names.shown('chunker', chunker)}\n{said}"
