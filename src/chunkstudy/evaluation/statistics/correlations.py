"""Of a correlation its interval and the smallest one that n pairs show; outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from chunkstudy.evaluation.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    Interval,
    checked,
)

_NAN = float("nan")


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
