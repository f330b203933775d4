"""Correlation with its intervals, the smallest one that n pairs show, and outliers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from chunkstudy.evaluation.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    Floats,
    Interval,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_means,
)

_NAN = float("nan")
_ROUNDING = 1e-14
"""Of a mean square: a variance below it is that of equal values."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient, its bootstrap interval over pairs, its two-sided p, and the pairs' number."""

    n: int
    r: float
    interval: Interval
    p: float


def correlations(pairs: Iterable[tuple[ArrayLike, ArrayLike]], seed: int = 0) -> list[Correlation]:
    """Pearson's r of each two sides; NaN where a side is constant or they have under 3 values.

    Resamples in which a side is constant have no coefficient and are left out of the interval.
    """
    sides = [(checked(x), checked(y)) for x, y in pairs]
    drawn = iter(resampled_means([row for one in sides for row in _products(*one)], seed))
    return [_correlation(*one, [next(drawn) for _ in range(5)]) for one in sides]


def _products(x: Floats, y: Floats) -> tuple[Floats, ...]:
    if x.shape != y.shape:
        raise ValueError(f"{len(x)} and {len(y)} values cannot be paired")
    x, y = x - mean(x), y - mean(y)
    return x, y, x * x, y * y, x * y


def _correlation(x: Floats, y: Floats, drawn: list[Floats]) -> Correlation:
    """Of both sides, and of the means of their products over resamples."""
    from scipy.stats import pearsonr  # late: the import alone takes half a second

    n = len(x)
    if n < 3 or constant(x) or constant(y):
        return Correlation(n, _NAN, NO_INTERVAL, _NAN)
    mean_x, mean_y, xx, yy, xy = drawn
    spreads = xx - mean_x**2, yy - mean_y**2
    varies = (spreads[0] > _ROUNDING * xx) & (spreads[1] > _ROUNDING * yy)
    coefficients = (xy - mean_x * mean_y)[varies] / np.sqrt(spreads[0] * spreads[1])[varies]
    r, p = pearsonr(x, y)
    return Correlation(n, float(r), percentile_interval(coefficients), float(p))


def fisher_interval(r: float, n: int) -> Interval:
    """Fisher's z interval of Pearson's r; also for an r of which only n is known.

    NaN for an r that is, or for fewer than four pairs.
    """
    if n < 4 or not abs(r) <= 1:
        return NO_INTERVAL
    if abs(r) == 1:
        return Interval(r, r)
    half = float(special.ndtri((1 + LEVEL) / 2)) / np.sqrt(n - 3)
    z = np.arctanh(r)
    return Interval(float(np.tanh(z - half)), float(np.tanh(z + half)))


def smallest_significant_r(n: int) -> float:
    """The size of Pearson's r from which n pairs differ significantly from 0, two-sided."""
    if n < 3:
        return _NAN
    t = float(special.stdtrit(n - 2, (1 + LEVEL) / 2))
    return float(t / np.sqrt(n - 2 + t * t))


def inside_fences(values: ArrayLike) -> NDArray[np.bool_]:
    """Which values lie within one and a half interquartile ranges of the quartiles."""
    array = checked(values)
    if not len(array):
        return np.zeros(0, dtype=np.bool_)
    low, high = np.quantile(array, [0.25, 0.75])
    fence = 1.5 * (high - low)
    inside: NDArray[np.bool_] = (array >= low - fence) & (array <= high + fence)
    return inside
