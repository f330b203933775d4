"""The mean gain of late chunking by where an answer is read and by where a question's words stand,
nothing held: what a reader can see, beside what a regression says.

Intervals are those of leaving one document out at a time (statistics/left_out.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from chunkstudy.analysis.moderators_rows import DEEPER, NEAR, in_order, questions
from chunkstudy.statistics.left_out import Design

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


def ranges(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per model, window and range, over all collections that the model has records of.

    Args:
        rows: as :func:`moderators_rows.rows` makes them; may be empty.
    """
    found: list[dict[str, object]] = []
    if rows.empty:
        return pd.DataFrame()
    for (model, window), part in in_order(rows).groupby(["model", "window"], sort=False):
        for by, name, own in _ranges(part, int(str(window))):
            if len(own):
                keys = {"model": model, "window": window, "by": by, "range": name}
                found.append({**keys, **_mean(own)})
    return pd.DataFrame(found)


def _ranges(part: pd.DataFrame, window: int) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for first in range(0, window, WIDTH):
        own = part[part[DEEPER].between(first, first + WIDTH - 1)]
        yield PLACE, f"{first} to {min(first + WIDTH, window) - 1}", own
    if window > TUNED_ON:
        early = part[DEEPER] < TUNED_ON
        yield TUNED, f"0 to {TUNED_ON - 1}", part[early]
        yield TUNED, f"{TUNED_ON} to {window - 1}", part[~early]
    least = -np.inf
    for name, most in SHARES.items():
        yield WORDS, name, part[(part[NEAR] > least) & (part[NEAR] <= most)]
        least = most


def _mean(own: pd.DataFrame) -> dict[str, object]:
    fitted = Design(np.ones((len(own), 1)), own["document"]).fit(own["gain"])
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
