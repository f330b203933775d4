"""Probabilities of places that a logistic regression has not seen, whole documents left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkstudy.evaluation.statistics.intervals import Floats

FOLDS = 12
"""Documents are left out one by one, or in so many parts where they are more."""
PENALTY = 1.0
"""The inverse strength of the penalty on squared coefficients of standardised columns."""


class HeldOut(NamedTuple):
    """What a regression on other groups says of each place.

    Attributes:
        probability: (places,), that it is a boundary.
        score: (places,), its log-odds above those of all places that the regression has seen. For
            comparing places of several parts: with a boundary left out there are fewer to be seen,
            so that probabilities alone would rank boundaries last where nothing is known.
    """

    probability: Floats
    score: Floats


def predictions(columns: ArrayLike, true: ArrayLike, groups: ArrayLike) -> HeldOut:
    """Predict each place by a regression on the places of other groups.

    Columns are standardised by what the regression has seen. A part whose absence leaves only one
    kind of place gets that kind's share.

    Args:
        columns: (places, columns).
        true: (places,), whether each is a boundary.
        groups: (places,), the name of its group.

    Raises:
        ValueError: if a number is missing, or there is one group only.
    """
    from sklearn.linear_model import LogisticRegression  # late: the import alone takes a second

    x, y, names = np.asarray(columns, float), np.asarray(true, bool), np.asarray(groups)
    if not np.isfinite(x).all():
        raise ValueError("a number is not finite; leave out what was not measured first")
    part = folds(names)
    if part.max() == 0:
        raise ValueError("nothing can be held out of one group; give two at least")
    found, shares = np.empty(len(y)), np.empty(len(y))
    for fold in range(part.max() + 1):
        out = part == fold
        seen, kinds = x[~out], np.unique(y[~out])
        shares[out] = y[~out].mean()
        if len(kinds) == 1:
            found[out] = float(kinds[0])
            continue
        middle, spread = seen.mean(axis=0), seen.std(axis=0)
        spread[spread == 0] = 1
        fitted = LogisticRegression(C=PENALTY, max_iter=1_000)
        fitted.fit((seen - middle) / spread, y[~out])
        found[out] = fitted.predict_proba((x[out] - middle) / spread)[:, 1]
    return HeldOut(found, _log_odds(found) - _log_odds(shares))


def folds(groups: ArrayLike) -> NDArray[np.int64]:
    """The part that each place is left out with: its group's, dealt in the order of names."""
    _, number = np.unique(np.asarray(groups), return_inverse=True)
    found: NDArray[np.int64] = number.astype(np.int64) % FOLDS
    return found


def log_loss(probability: ArrayLike, true: ArrayLike) -> Floats:
    """Of each place, in bits: how surprising the truth is under its probability."""
    p, y = _inside(np.asarray(probability, float)), np.asarray(true, bool)
    found: Floats = -np.log2(np.where(y, p, 1 - p))
    return found


def _log_odds(probability: Floats) -> Floats:
    p = _inside(probability)
    found: Floats = np.log(p) - np.log1p(-p)
    return found


def _inside(probability: Floats) -> Floats:
    found: Floats = np.clip(probability, 1e-12, 1 - 1e-12)
    return found
