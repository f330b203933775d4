"""What moderates the gain of late chunking, question by question, and whether it can be predicted.

A row is a question under one chunker: the gain is DCG@10 of late chunking less that of plain, both
with the same chunks. Each chunker on each collection has a constant of its own (a fixed effect), so
that effects are of questions and chunks and not of methods. The mean over chunkers would average
away what this asks about: which chunk holds the answer.

Questions of one document share its text, so a document's rows are one group, and intervals are
those of leaving one document out at a time (left_out.py), which few documents make wide:
Chroma has five. A collection that is one book is divided into ten stretches of equal length.

The slopes of plain and late chunking themselves stand beside their difference, which is the effect:
scores are bounded, so whatever makes questions hard leaves room to gain.

Beside the regression stands what a reader can see, with nothing held: the mean gain by where an
answer is read and by where a question's words stand.

Families, each corrected by itself: the moderators of one model, of the windows and collections it
is fitted over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures import POINT
from chunkstudy.evaluation.statistics.differences import corrected
from chunkstudy.studies.moderators.left_out import fit
from chunkstudy.studies.moderators.rows import (
    DEEPER,
    DOUBLED,
    MODERATORS,
    NEAR,
    YES_OR_NO,
    questions,
)

STEPS = {YES_OR_NO: "yes", DOUBLED: "doubling"}
ALL = "all"
STRETCHES = 10
"""Of a book that is alone in its collection."""
ALMOST = 0.01
"""Of a standard deviation: what varies by less, the others held, is no moderator of its own."""
FEWEST = 10
"""Documents that a bootstrap over documents needs; from fewer it draws intervals too narrow."""


def effects(rows: pd.DataFrame) -> pd.DataFrame:
    """The effect of every moderator: what the gain changes by per step, a fraction of DCG@10.

    One regression per model over all collections, and one over each; the window is a moderator too
    where there are several.

    Args:
        rows: as :func:`rows.rows` makes them, of one window or several.
    """
    found = [row for model, name, part in _parts(rows) for row in _effects(part, model, name)]
    return corrected(pd.DataFrame(found)).rename(columns={"difference": "gain per step"})


def predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """How well the gain on a document is predicted by a regression on all others.

    ``r2`` is the share of the squared error of the mean that the moderators take away, the mean
    being that of the same chunker and collection on the other documents; below 0 they are worse
    than it. Its interval, and that of the change of the mean absolute error, are bootstraps over
    documents, of which there must be ten for anything to be shown. Rows of a chunker that no other
    document has are left out.
    """
    return pd.DataFrame(
        {"model": model, "collection": name, **_predicted(part)}
        for model, name, part in _parts(rows)
    )


def grouped(part: pd.DataFrame) -> pd.DataFrame:
    """The rows with the group of each row: its document, of one document alone a stretch of it."""
    group = part["document"]
    if group.nunique() == 1:
        stretch = np.minimum(part["place"] * STRETCHES, STRETCHES - 1).astype(int)
        group = group + " " + stretch.astype(str)
    return part.assign(group=group)


def _parts(rows: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Model and collection of each regression: all together, and each where there are several; of
    several windows a collection that was read at one is none."""
    several = rows["window"].nunique() > 1
    for model, part in rows.groupby("model", sort=False):
        yield str(model), ALL, grouped(part)
        for name, own in part.groupby("collection"):
            if len(own) < len(part) and (own["window"].nunique() > 1 or not several):
                yield str(model), str(name), grouped(own)


def _columns(part: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, float], pd.DataFrame]:
    """The moderators that vary and are not known from those before them (in one book, its length in
    windows from the window), centred and per step; the size of each step; and the constants of the
    chunkers, a column of zeros and ones each."""
    cell = part["collection"] + " " + part["chunker"]
    names = list(MODERATORS)
    centred = part[names] - part[names].groupby(cell).transform("mean")
    values = centred.to_numpy()
    steps: dict[str, float] = {}
    for at, name in enumerate(names):
        own, before = values[:, at], values[:, [names.index(one) for one in steps]]
        spread = float(np.sqrt((own**2).mean()))
        known = before @ np.linalg.lstsq(before, own, rcond=None)[0] if steps else 0.0
        if np.sqrt(((own - known) ** 2).mean()) > ALMOST * max(spread, ALMOST):
            steps[name] = 1.0 if MODERATORS[name] in STEPS else spread
    return centred[list(steps)] / pd.Series(steps), steps, pd.get_dummies(cell, dtype=float)


def _effects(part: pd.DataFrame, model: str, collection: str) -> Iterator[dict[str, object]]:
    columns, steps, constants = _columns(part)
    design = pd.concat([columns, constants], axis=1)
    gain, plain, late = (fit(design, part[one], part["group"]) for one in ("gain", "plain", "late"))
    intervals, p, asked = gain.intervals(), gain.p, questions(part)
    for i, (name, step) in enumerate(steps.items()):
        yield {
            "model": model,
            "collection": collection,
            "moderator": name,
            "step": STEPS.get(MODERATORS[name], "standard deviation"),
            "size of step": step,
            "unit of step": MODERATORS[name],
            "n": asked,
            "rows": len(part),
            "documents": gain.groups,
            "plain per step": plain.coefficients[i],
            "late per step": late.coefficients[i],
            "difference": gain.coefficients[i],
            "low": intervals[i, 0],
            "high": intervals[i, 1],
            "p": p[i],
            "p_equivalent": statistics.two_one_sided(
                gain.coefficients[i], gain.errors[i], gain.groups - 1, POINT
            ),
            "family": f"what moderates the gain, {collection}, {model}",
        }


def _predicted(part: pd.DataFrame) -> dict[str, Any]:
    columns, _, constants = _columns(part)
    cell = part["collection"] + " " + part["chunker"]
    known = part["group"].groupby(cell).transform("nunique") > 1
    if part["group"].nunique() < 2 or not known.any():
        return {"n": questions(part), "rows": 0}
    designs = pd.concat([columns, constants], axis=1), constants
    fitted, mean = (fit(one, part["gain"], part["group"]).predicted for one in designs)
    wrong, of_mean = ((part["gain"] - one)[known].abs() for one in (fitted, mean))
    errors = {"squared": wrong**2, "squared of mean": of_mean**2, "absolute": wrong,
              "absolute of mean": of_mean, "rows": 1.0}  # fmt: skip
    sums = pd.DataFrame(errors).groupby(part["group"][known]).sum()
    squared, squared_of_mean, absolute, absolute_of_mean, rows = statistics.resampled_sums(sums.T)
    total = sums.sum()
    r2 = low, high = statistics.percentile_interval(1 - squared / squared_of_mean)
    less = statistics.percentile_interval((absolute - absolute_of_mean) / rows)
    sure = len(sums) >= FEWEST
    return {
        "n": questions(part[known]),
        "rows": int(known.sum()),
        "documents": len(sums),
        **statistics.with_interval("r2", 1 - total["squared"] / total["squared of mean"], r2),
        "error of the mean": total["absolute of mean"] / total["rows"],
        "error": total["absolute"] / total["rows"],
        **statistics.with_interval(
            "change of error",
            (total["absolute"] - total["absolute of mean"]) / total["rows"],
            less,
        ),
        "shown": "better" if sure and low > 0 else "worse" if sure and high < 0 else "not shown",
    }


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
