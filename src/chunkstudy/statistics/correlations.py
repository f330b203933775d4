"""Correlation with its intervals, the smallest one that n pairs show, and outliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from chunkstudy.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    RESAMPLES,
    Floats,
    Interval,
    checked,
    constant,
    drawn_queries,
    percentile_interval,
)

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient, its bootstrap interval over pairs, its two-sided p, and the pairs' number."""

    n: int
    r: float
    interval: Interval
    p: float


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: Literal["pearson", "spearman"] = "pearson",
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Pearson's r or Spearman's rho; NaN where a side is constant or there are under 3 pairs.

    Resamples in which a side is constant have no coefficient and are left out of the interval.
    """
    first, second = checked(x), checked(y)
    if first.shape != second.shape:
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    if method not in ("pearson", "spearman"):
        raise ValueError(f"unknown correlation {method!r}; use pearson or spearman")
    n = len(first)
    if n < 3 or constant(first) or constant(second):
        return Correlation(n, _NAN, NO_INTERVAL, _NAN)
    found = (stats.pearsonr if method == "pearson" else stats.spearmanr)(first, second)
    drawn = np.concatenate(
        [_coefficients(first[d], second[d], method) for d in drawn_queries(n, resamples, seed)]
    )
    interval = percentile_interval(drawn[~np.isnan(drawn)], level)
    return Correlation(n, float(found.statistic), interval, float(found.pvalue))


def fisher_interval(r: float, n: int, level: float = LEVEL) -> Interval:
    """Fisher's z interval of Pearson's r; also for an r of which only n is known.

    NaN for an r that is, or for fewer than four pairs.
    """
    if n < 4 or not abs(r) <= 1:
        return NO_INTERVAL
    if abs(r) == 1:
        return Interval(r, r)
    half = float(stats.norm.ppf((1 + level) / 2)) / np.sqrt(n - 3)
    z = np.arctanh(r)
    return Interval(float(np.tanh(z - half)), float(np.tanh(z + half)))


def smallest_significant_r(n: int, alpha: float = 0.05) -> float:
    """The size of Pearson's r from which n pairs differ significantly from 0, two-sided."""
    if n < 3:
        return _NAN
    t = float(stats.t.ppf(1 - alpha / 2, n - 2))
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


def _coefficients(x: Floats, y: Floats, method: str) -> Floats:
    """The correlation of each row of x with the same row of y; NaN for constant rows."""
    if method == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0)  # rounding may hide it below
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.divide((x * y).sum(axis=1), scale, out=np.full(len(x), np.nan), where=varies)
