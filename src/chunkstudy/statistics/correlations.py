"""Correlation with its intervals, the smallest one that n pairs show, and outliers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from chunkstudy.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    RESAMPLES,
    Floats,
    Interval,
    by_length,
    checked,
    constant,
    percentile_interval,
    resampled_sums,
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


def correlations(
    pairs: Iterable[tuple[ArrayLike, ArrayLike]],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Correlation]:
    """Pearson's r of each two sides; NaN where a side is constant or they have under 3 values.

    Resamples in which a side is constant have no coefficient and are left out of the interval.
    """
    from scipy.stats import pearsonr  # late: the import alone takes half a second

    sides = [(checked(x), checked(y)) for x, y in pairs]
    for x, y in sides:
        if x.shape != y.shape:
            raise ValueError(f"{len(x)} and {len(y)} values cannot be paired")
    found = [Correlation(len(x), _NAN, NO_INTERVAL, _NAN) for x, _ in sides]
    for n, places in by_length([x for x, _ in sides]):
        varying = [at for at in places if n > 2 and not any(map(constant, sides[at]))]
        if not varying:
            continue
        sums = resampled_sums(np.vstack([_products(*sides[at]) for at in varying]), resamples, seed)
        for at, of in zip(varying, sums.reshape(-1, 5, resamples) / n, strict=True):
            drawn = _coefficients(*of)
            interval = percentile_interval(drawn[~np.isnan(drawn)], level)
            r, p = pearsonr(*sides[at])
            found[at] = Correlation(n, float(r), interval, float(p))
    return found


def _products(x: Floats, y: Floats) -> tuple[Floats, ...]:
    x, y = x - x.mean(), y - y.mean()
    return x, y, x * x, y * y, x * y


def _coefficients(x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Of resamples, from the means of both sides and of their products; NaN for constant ones."""
    spreads = [square - middle**2 for square, middle in ((xx, x), (yy, y))]
    varies = (spreads[0] > _ROUNDING * xx) & (spreads[1] > _ROUNDING * yy)
    found: Floats = np.full(len(x), np.nan)
    found[varies] = (xy - x * y)[varies] / np.sqrt(spreads[0] * spreads[1])[varies]
    return found


def fisher_interval(r: float, n: int, level: float = LEVEL) -> Interval:
    """Fisher's z interval of Pearson's r; also for an r of which only n is known.

    NaN for an r that is, or for fewer than four pairs.
    """
    if n < 4 or not abs(r) <= 1:
        return NO_INTERVAL
    if abs(r) == 1:
        return Interval(r, r)
    half = float(special.ndtri((1 + level) / 2)) / np.sqrt(n - 3)
    z = np.arctanh(r)
    return Interval(float(np.tanh(z - half)), float(np.tanh(z + half)))


def smallest_significant_r(n: int, alpha: float = 0.05) -> float:
    """The size of Pearson's r from which n pairs differ significantly from 0, two-sided."""
    if n < 3:
        return _NAN
    t = float(special.stdtrit(n - 2, 1 - alpha / 2))
    return float(t / np.sqrt(n - 2 + t * t))


def inside_fences(values: ArrayLike, reach: float = 1.5) -> NDArray[np.bool_]:
    """Which values lie within ``reach`` interquartile ranges of the quartiles."""
    array = checked(values)
    if not len(array):
        return np.zeros(0, dtype=np.bool_)
    low, high = np.quantile(array, [0.25, 0.75])
    fence = reach * (high - low)
    inside: NDArray[np.bool_] = (array >= low - fence) & (array <= high + fence)
    return inside
