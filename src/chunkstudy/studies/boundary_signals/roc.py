"""How well a score tells boundaries from other places: the area under the ROC curve, where places
come in groups.

The area is the probability that a boundary drawn at random has the larger score than another place
drawn at random, ties counting half (Hanley and McNeil 1982). Project of one document depend on each
other, so that documents are drawn for intervals, each with all its places, and left out for
standard errors. Both come from one table: how often each group's boundaries stand above each
group's other places.

What several columns tell together is a logistic regression's score of places that it has not seen,
whole documents left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from chunkstudy.evaluation.statistics.intervals import Floats, percentile_interval
from chunkstudy.evaluation.statistics.testing import Tested, tested

RESAMPLES = 5_000
CHANCE = 0.5
FOLDS = 12
"""Documents are left out one by one, or in so many parts where they are more."""
PENALTY = 1.0
"""The inverse strength of the penalty on squared coefficients of standardised columns."""


@dataclass(frozen=True)
class PairCounts:
    """Pairs of a boundary and another place, by group.

    Attributes:
        won: (groups, groups), pairs of a boundary of the row's group and another place of the
            column's in which the boundary has the larger score, ties counting half.
        boundaries: (groups,), how many each has.
        others: (groups,), how many other places.
    """

    won: Floats
    boundaries: Floats
    others: Floats

    def area(self, drawn: Floats) -> Floats:
        """The area where group g is drawn ``drawn[..., g]`` times; NaN where no boundary or no
        other place is."""
        pairs = (drawn @ self.boundaries) * (drawn @ self.others)
        won = ((drawn @ self.won) * drawn).sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            areas: Floats = np.where(pairs > 0, won / pairs, np.nan)
        return areas


def pair_counts(scores: ArrayLike, true: ArrayLike, groups: ArrayLike) -> PairCounts:
    """Count the pairs of all groups.

    Args:
        scores: of each place, larger where a boundary is likelier.
        true: whether it is a boundary.
        groups: the name of its group.

    Raises:
        ValueError: if a score is missing.
    """
    value, is_true = np.asarray(scores, float), np.asarray(true, bool)
    if np.isnan(value).any():
        raise ValueError("a score is missing; leave out what was not measured first")
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    won = np.zeros((len(names), len(names)))
    of_boundaries = value[is_true]
    for column in range(len(names)):
        others = np.sort(value[~is_true & (group == column)])
        twice = sum(np.searchsorted(others, of_boundaries, side) for side in ("left", "right"))
        won[:, column] = np.bincount(group[is_true], twice / 2, len(names))
    boundaries, others = (
        np.bincount(group[kind], minlength=len(names)).astype(float) for kind in (is_true, ~is_true)
    )
    return PairCounts(won, boundaries, others)


def area(first: PairCounts, second: PairCounts | None = None) -> Tested:
    """The area, or its difference from a second one of the same places, with the percentile
    bootstrap over groups, its standard error by the jackknife over groups, and the two-sided p of
    being at chance, or of no difference, against t with groups - 1 degrees of freedom.
    """
    count = len(first.won)

    def above(times: Floats) -> Floats:
        return first.area(times) - (CHANCE if second is None else second.area(times))

    shift = CHANCE if second is None else 0.0
    drawn, without = above(_times(count)), above(1 - np.eye(count))
    squares = ((without - without.mean()) ** 2).sum()
    error = float(np.sqrt((count - 1) / count * squares))
    interval = percentile_interval(drawn + shift)
    whole = tested(float(above(np.ones(count))), interval, error, count - 1)
    return whole._replace(mean=whole.mean + shift)


@lru_cache(maxsize=16)
def _times(groups: int) -> NDArray[np.float64]:
    """How often each group is drawn, (resamples, groups)."""
    random = np.random.default_rng(0)
    return random.multinomial(groups, np.full(groups, 1 / groups), size=RESAMPLES).astype(float)


def held_out(columns: ArrayLike, true: ArrayLike, groups: ArrayLike) -> Floats:
    """Score each place by a logistic regression on the places of other groups.

    Columns are standardised by what the regression has seen.

    Args:
        columns: (places, columns).
        true: (places,), whether each is a boundary.
        groups: (places,), the name of its group.

    Returns:
        (places,), log-odds of being a boundary above those of all places that the regression has
        seen. For comparing places of several parts: with a boundary left out there are fewer to be
        seen, so that log-odds alone would rank boundaries last where nothing is known.

    Raises:
        ValueError: if a number is missing, or there is one group only.
    """
    from sklearn.linear_model import LogisticRegression  # late: the import alone takes a second
    from sklearn.model_selection import PredefinedSplit, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    is_true = np.asarray(true, bool)
    # each group's places together, groups dealt in the order of their names
    fold = np.unique(np.asarray(groups), return_inverse=True)[1] % FOLDS
    if fold.max() == 0:
        raise ValueError("nothing can be held out of one group; give two at least")
    model = make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, max_iter=1_000))
    split = PredefinedSplit(fold)
    odds = cross_val_predict(model, columns, is_true, cv=split, method="decision_function")
    places, boundaries = np.bincount(fold), np.bincount(fold, is_true)
    seen = (is_true.sum() - boundaries) / (len(is_true) - places)
    scores: Floats = odds - special.logit(seen)[fold]
    return scores
