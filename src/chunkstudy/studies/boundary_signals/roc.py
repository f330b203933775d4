"""How well a score tells boundaries from other places: the area under the ROC curve, where places
come in groups.

The area is the probability that a boundary drawn at random has the larger score than another place
drawn at random, ties counting half (Hanley and McNeil 1982). Places of one document depend on each
other, so that documents are drawn for intervals, each with all its places, and left out for
standard errors. Both come from one table: how often each group's boundaries stand above each
group's other places.

What several columns tell together is the probability of a logistic regression that has not seen the
place, whole documents left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from chunkstudy.evaluation.statistics.intervals import (
    Floats,
    Interval,
    Tested,
    percentile_interval,
    tested,
)

RESAMPLES, DRAWS = 5_000, 1_000
CHANCE = 0.5
_NAN = float("nan")


@dataclass(frozen=True)
class Wins:
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

    def area(self, times: Floats | None = None) -> Floats:
        """The area where group g is drawn ``times[..., g]`` times; each once by default.

        NaN where no boundary or no other place is drawn.
        """
        drawn = np.ones(len(self.won)) if times is None else times
        pairs = (drawn @ self.boundaries) * (drawn @ self.others)
        won = ((drawn @ self.won) * drawn).sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(pairs > 0, won / pairs, _NAN)
        return found


def wins(scores: ArrayLike, true: ArrayLike, groups: ArrayLike) -> Wins:
    """Count the pairs of all groups.

    Args:
        scores: of each place, larger where a boundary is likelier.
        true: whether it is one.
        groups: the name of its group.

    Raises:
        ValueError: if a score is missing.
    """
    value, is_true, name = np.asarray(scores, float), np.asarray(true, bool), np.asarray(groups)
    if np.isnan(value).any():
        raise ValueError("a score is missing; leave out what was not measured first")
    names, group = np.unique(name, return_inverse=True)
    won = np.zeros((len(names), len(names)))
    mine = value[is_true]
    for h in range(len(names)):
        theirs = np.sort(value[~is_true & (group == h)])
        twice = np.searchsorted(theirs, mine, "left") + np.searchsorted(theirs, mine, "right")
        won[:, h] = np.bincount(group[is_true], twice / 2, len(names))
    counts = [np.bincount(group[is_true == one], minlength=len(names)) for one in (True, False)]
    return Wins(won, counts[0].astype(float), counts[1].astype(float))


def area(first: Wins, second: Wins | None = None) -> Tested:
    """The area of one score against chance, or that of a first minus that of a second: with its
    percentile bootstrap over groups, its standard error by the jackknife over groups, and the
    two-sided p of being at chance, or of no difference, against t with groups - 1 degrees of
    freedom."""
    count = len(first.won)

    def of(times: Floats | None) -> Floats:
        return first.area(times) - (CHANCE if second is None else second.area(times))

    shift = CHANCE if second is None else 0.0
    whole = float(of(None))
    drawn = of(_times(count, RESAMPLES))
    drawn = drawn[~np.isnan(drawn)]
    interval = percentile_interval(drawn + shift)
    found = tested(whole, interval, *_jackknife(of(1 - np.eye(count))))
    return found._replace(mean=whole + shift)


def by_chance(scores: ArrayLike, true: ArrayLike) -> Interval:
    """The middle 95% of areas where as many places, drawn at random, are taken for boundaries."""
    value, is_true = np.asarray(scores, float), np.asarray(true, bool)
    ranks, count = stats.rankdata(value), int(is_true.sum())
    sums = ranks[_drawn(len(ranks), count)].sum(axis=1)
    return percentile_interval((sums / count - (count + 1) / 2) / (len(ranks) - count))


def _jackknife(without: Floats) -> tuple[float, int]:
    """Standard error and degrees of freedom; a group whose absence leaves nothing to compare takes
    no part."""
    known = without[~np.isnan(without)]
    count = len(known)
    if count < 2:
        return _NAN, 0
    return float(np.sqrt((count - 1) / count * ((known - known.mean()) ** 2).sum())), count - 1


@lru_cache(maxsize=1)
def _drawn(places: int, count: int) -> NDArray[np.int64]:
    """Places drawn without replacement, (draws, count)."""
    random = np.random.default_rng(0)
    return np.stack([random.permutation(places)[:count] for _ in range(DRAWS)])


@lru_cache(maxsize=16)
def _times(groups: int, resamples: int) -> NDArray[np.float64]:
    """How often each group is drawn, (resamples, groups)."""
    random = np.random.default_rng(0)
    return random.multinomial(groups, np.full(groups, 1 / groups), size=resamples).astype(float)


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
