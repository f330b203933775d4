"""What moderates the gain of late chunking, question by question, and whether it can be foretold.

A row is a question under one chunker: the gain is DCG@10 of late chunking less that of plain, both
with the same chunks. Each chunker on each collection has a constant of its own (a fixed effect), so
that effects are of questions and chunks and not of methods. The mean over chunkers would average
away what this asks about: which chunk holds the answer.

Questions of one document share its text, so a document's rows are one group, and intervals are
those of leaving one document out at a time (statistics/left_out.py), which few documents make wide:
Chroma has five. A collection that is one book is divided into ten stretches of equal length.

The slopes of plain and late chunking themselves stand beside their difference, which is the effect:
scores are bounded, so whatever makes questions hard leaves room to gain.

Families, each corrected by itself: the moderators of one model, of the windows and collections it
is fitted over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.moderators_rows import MODERATORS, UNITS, WIDER, in_order, questions
from chunkstudy.analysis.paired import POINT, corrected
from chunkstudy.statistics.left_out import Design

STEP = "standard deviation"
BETTER, WORSE, NOT_SHOWN = "better", "worse", "not shown"
ALL = "all"
STRETCHES = 10
"""Of a book that is alone in its collection."""
ALMOST = 0.01
"""Of a standard deviation: what varies by less, the others held, is no moderator of its own."""
FEWEST = 10
"""Documents that a bootstrap over documents needs; from fewer it draws intervals too narrow."""
Keys = Mapping[str, Any]


def by_window(rows: pd.DataFrame) -> pd.DataFrame:
    """The effect of every moderator: what the gain changes by per step, a fraction of DCG@10.

    One regression per model and window over all collections that the model has records of, and one
    over each where there are several.

    Args:
        rows: as :func:`moderators_rows.rows` makes them; may be empty.
    """
    return with_words([one for keys, part in _by_window(rows) for one in effects(part, keys)])


def over_windows(rows: pd.DataFrame) -> pd.DataFrame:
    """The same with a model's windows together, the window being one more moderator."""
    return with_words([one for keys, part in _together(rows) for one in effects(part, keys)])


def predictions(rows: pd.DataFrame) -> pd.DataFrame:
    """How well the gain on a document is predicted by a regression on all others.

    ``r2`` is the share of the squared error of the mean that the moderators take away, the mean
    being that of the same chunker and collection on the other documents; below 0 they are worse
    than it. Its interval, and that of the change of the mean absolute error, are bootstraps over
    documents, of which there must be ten for anything to be shown. Rows of a chunker that no other
    document has are left out. ``window`` is 0 where all windows are taken together.
    """
    if rows.empty:
        return rows
    found = [
        {**keys, **_predicted(part)}
        for keys, part in [*_by_window(rows), *_together(rows, window=0)]
    ]
    models = list(in_order(rows)["model"].unique())
    found.sort(key=lambda one: (models.index(one["model"]), one["collection"], one["window"]))
    return pd.DataFrame(found)


def _by_window(rows: pd.DataFrame) -> Iterator[tuple[Keys, pd.DataFrame]]:
    if rows.empty:
        return
    for (model, window), part in in_order(rows).groupby(["model", "window"], sort=False):
        for collection, own in _collections(part):
            yield {"model": model, "window": window, "collection": collection}, own


def _together(rows: pd.DataFrame, **more: object) -> Iterator[tuple[Keys, pd.DataFrame]]:
    if rows.empty:
        return
    for model, part in in_order(rows).groupby("model", sort=False):
        for collection, own in _collections(part):
            if own["window"].nunique() > 1:
                yield {"model": model, **more, "collection": collection}, own


def _collections(part: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All that a model has records of together, and each where there are several."""
    yield ALL, grouped(part)
    if part["collection"].nunique() > 1:
        for name, own in part.groupby("collection", sort=True):
            yield str(name), grouped(own)


def grouped(part: pd.DataFrame) -> pd.DataFrame:
    """The rows with the group of each row: its document, of one document alone a stretch of it."""
    group = part["document"]
    if group.nunique() == 1:
        stretch = np.minimum(part["place"] * STRETCHES, STRETCHES - 1).astype(int)
        group = group + " " + stretch.astype(str)
    return part.assign(group=group)


def _columns(part: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, float], pd.DataFrame]:
    """The moderators that vary and are not known from those before them (in one book, its length in
    windows from the window), centred and per step; the size of each step; and the constants of the
    chunkers, a column of zeros and ones each."""
    cell = part["collection"] + " " + part["chunker"]
    constants = pd.get_dummies(cell, dtype=float)
    names = [*([WIDER] if part["window"].nunique() > 1 else []), *MODERATORS]
    centred = part[names] - part[names].groupby(cell).transform("mean")
    values = centred.to_numpy()
    steps: dict[str, float] = {}
    for at, name in enumerate(names):
        own, before = values[:, at], values[:, [names.index(one) for one in steps]]
        spread = float(np.sqrt((own**2).mean()))
        known = before @ np.linalg.lstsq(before, own, rcond=None)[0] if steps else 0.0
        if np.sqrt(((own - known) ** 2).mean()) > ALMOST * max(spread, ALMOST):
            steps[name] = 1.0 if MODERATORS.get(name, "step") else spread
    return centred[list(steps)] / pd.Series(steps), steps, constants


def effects(part: pd.DataFrame, keys: Keys) -> Iterator[dict[str, object]]:
    """A row per moderator of one regression, not yet corrected.

    Args:
        part: rows of one model, with their ``group``.
        keys: the row's leading columns.
    """
    columns, steps, constants = _columns(part)
    design = Design(pd.concat([columns, constants], axis=1), part["group"])
    gain, plain, late = (design.fit(part[name]) for name in ("gain", "plain", "late"))
    over = f"reading {keys['window']} tokens" if "window" in keys else "all windows"
    intervals, p, asked = gain.intervals(), gain.p, questions(part)
    for i, (name, step) in enumerate(steps.items()):
        yield {
            **keys,
            "moderator": name,
            "step": MODERATORS.get(name, "doubling") or STEP,
            "size of step": step,
            "unit of step": UNITS[name],
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
            "family": f"what moderates the gain, {keys['collection']}, {keys['model']}, {over}",
        }


def with_words(found: list[dict[str, object]]) -> pd.DataFrame:
    """The rows of :func:`effects` as a table, corrected within their families."""
    if not found:
        return pd.DataFrame()
    return corrected(pd.DataFrame(found)).rename(columns={"difference": "gain per step"})


def _predicted(part: pd.DataFrame) -> dict[str, Any]:
    columns, _, constants = _columns(part)
    x = pd.concat([columns, constants], axis=1)
    cell = part["collection"] + " " + part["chunker"]
    known = part["group"].groupby(cell).transform("nunique") > 1
    if part["group"].nunique() < 2 or not known.any():
        return {"n": questions(part), "rows": 0}
    fitted = Design(x, part["group"]).fit(part["gain"])
    mean = Design(constants, part["group"]).fit(part["gain"])
    wrong = [(part["gain"] - one.predicted)[known] for one in (fitted, mean)]
    return _scored(part[known], *wrong)


def _scored(part: pd.DataFrame, wrong: pd.Series, mean_wrong: pd.Series) -> dict[str, Any]:
    errors = pd.DataFrame(
        {
            "squared": wrong**2,
            "squared of mean": mean_wrong**2,
            "absolute": wrong.abs(),
            "absolute of mean": mean_wrong.abs(),
            "rows": 1.0,
        }
    )
    sums = errors.groupby(part["group"]).sum()
    squared, of_mean, absolute, absolute_of_mean, rows = statistics.resampled_sums(sums.T)
    total = sums.sum()
    low, high = statistics.percentile_interval(1 - squared / of_mean)
    less = statistics.percentile_interval((absolute - absolute_of_mean) / rows)
    return {
        "n": questions(part),
        "rows": len(part),
        "documents": len(sums),
        "r2": 1 - total["squared"] / total["squared of mean"],
        "r2 low": low,
        "r2 high": high,
        "error of the mean": total["absolute of mean"] / total["rows"],
        "error": total["absolute"] / total["rows"],
        "change of error": (total["absolute"] - total["absolute of mean"]) / total["rows"],
        "change of error low": less.low,
        "change of error high": less.high,
        "shown": _word(low, high, len(sums)),
    }


def _word(low: float, high: float, documents: int) -> str:
    if documents < FEWEST:
        return NOT_SHOWN
    return BETTER if low > 0 else WORSE if high < 0 else NOT_SHOWN
