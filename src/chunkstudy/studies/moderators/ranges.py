"""The mean gain of late chunking by where an answer is read and by where a question's words stand,
nothing held: what a reader can see, beside what a regression says.

Intervals are those of leaving one document out at a time (left_out.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.studies.moderators.left_out import fit
from chunkstudy.studies.moderators.rows import DEEPER, NEAR, questions

PLACE, TUNED = "place in the window", "first 128 places or later"
WORDS = "words next to the chunk"
"""By the place of the window that the answer is read at, by whether that is among the first 128,
and by the share of the question's words next to the chunk with the answer."""
WIDTH = 64
TUNED_ON = 128
"""Tokens of the longest texts that all-MiniLM-L6-v2 and all-mpnet-base-v2 were tuned on, as their
cards say."""
SHARES = {"none": 0.0, "up to a quarter": 0.25, "up to half": 0.5, "more than half": 1.0}
"""By name the largest share."""
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"model": "model", "range": "places", "n": "n", "documents": "docs", "gain": "gain",
              "low": "95% interval"},
    "caption": "Late minus plain chunking in points of DCG@10 at a window of 512 tokens, by the "
    "place in its window at which the answer is read, within Chroma's corpora and COVID-QA's "
    "papers together; n counts questions, docs their documents.",
    "once": "model", "shorter": {" in four bits": ""},
}  # fmt: skip
"""How the paper sets the ranges."""


def ranges(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per model and range, over all collections that the model has records of.

    Args:
        rows: as :func:`rows.rows` makes them, of one window.
    """
    found: list[dict[str, object]] = []
    for (model, window), part in rows.groupby(["model", "window"], sort=False):
        for by, name, own in _ranges(part, int(str(window))):
            if len(own):
                keys = {"model": model, "window": window, "by": by, "range": name}
                found.append({**keys, **_mean(own)})
    return pd.DataFrame(found)


def early(ranges: pd.DataFrame, model: str, later: bool = False) -> pd.Series[Any]:
    """The gain of a model's answers that are read among the first 128 places, or ``later``, as a
    comparison has it: ``difference, low, high, n, shown``."""
    own = ranges[(ranges["by"] == TUNED) & (ranges["model"] == model)]
    row = own.iloc[-1 if later else 0].rename({"gain": "difference"})
    shown = "higher" if row["low"] > 0 else "lower" if row["high"] < 0 else "not shown"
    return pd.concat([row, pd.Series({"shown": shown})])


def _ranges(part: pd.DataFrame, window: int) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for first in range(0, window, WIDTH):
        own = part[part[DEEPER].between(first, first + WIDTH - 1)]
        yield PLACE, f"{first} to {min(first + WIDTH, window) - 1}", own
    early = part[DEEPER] < TUNED_ON
    yield TUNED, f"0 to {TUNED_ON - 1}", part[early]
    yield TUNED, f"{TUNED_ON} to {window - 1}", part[~early]
    least = -np.inf
    for name, most in SHARES.items():
        yield WORDS, name, part[(part[NEAR] > least) & (part[NEAR] <= most)]
        least = most


def _mean(own: pd.DataFrame) -> dict[str, object]:
    fitted = fit(np.ones((len(own), 1)), own["gain"], own["document"])
    low, high = fitted.intervals()[0]
    return {
        "n": questions(own),
        "rows": len(own),
        "documents": fitted.groups,
        "plain": own["plain"].mean(),
        "gain": fitted.coefficients[0],
        "low": low,
        "high": high,
    }
