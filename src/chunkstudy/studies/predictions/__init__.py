"""What the page of predictions needs beyond a cell: its figure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from chunkstudy.base.places import Places
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.runs import display_names
from chunkstudy.show.drawing import LATE, PLAIN, rows_named, style, zero
from chunkstudy.show.formats import number
from chunkstudy.studies.predictions import tables

LEAST = 0.25
"""Bets of a smaller product of probability and surprise are not drawn."""
MARGIN = 3.0
"""Points left and right of the outermost number."""
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


def hardly_fail(predictions: pd.DataFrame) -> str:
    """How many predictions can hardly fail, in a sentence."""
    count = int(predictions["rule"].isin(SAME).sum())
    return (
        f"{count} of {len(predictions):,} can hardly fail, since their two conditions read nearly "
        "the same chunks in the same way: every document one paragraph, or every chunk alone in "
        "its window."
    )


def registered_for(predictions: pd.DataFrame) -> bool:
    """Whether what the paper leaves open has its prediction."""
    return set(OPEN) <= set(predictions["rule"])


@style()
def figure_bets(predictions: pd.DataFrame) -> Figure:
    """The published difference of two conditions beside the side on which ours is expected, of
    predictions in points that are worth betting on."""
    bets = predictions["probability"] * predictions["surprise"] >= LEAST
    rows = predictions[(predictions["unit"] == "point") & bets].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(8.3, 0.22 * len(rows) + 1.2), layout="constrained")
    zero(axes)
    reach = float(rows[["published", "at least", "at most"]].abs().max().max()) + MARGIN
    low, high = rows["at least"].fillna(-reach), rows["at most"].fillna(reach)
    axes.hlines(rows.index, low, high, color=PLAIN, lw=3, alpha=rows["probability"])
    axes.plot(rows["published"], rows.index, "D", ms=4, color=LATE)
    axes.plot(rows["number"], rows.index, "o", ms=4, color="black")
    rows_named(axes, [_named(row) for row in rows.to_dict("records")])
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("difference of the two conditions (points)")
    handles = [
        Line2D([], [], marker="D", ls="", ms=4, color=LATE),
        Line2D([], [], lw=3, color=PLAIN),
        Line2D([], [], marker="o", ls="", ms=4, color="black"),
    ]
    words = ["published", "expected, the darker the more probable", "reproduced"]
    decided = 3 if rows["number"].notna().any() else 2
    figure.legend(handles[:decided], words[:decided], loc="outside lower center", ncols=3)
    return figure


def _named(row: Mapping[Hashable, object]) -> str:
    """What a row is about, and the id of its prediction."""
    parts = [display_names.shown(name, row[name]) for name in ("collection", "chunker", "encoder")]
    return f"{', '.join(parts)} ({row['id']})"
