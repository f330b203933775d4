"""Statistics over queries: means, intervals, paired tests, correction, correlation, equivalence.

Every random number comes from the seed given, so the same values give the same answer. What
cannot be computed is NaN, never an exception: a table shows it as a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests

Floats = NDArray[np.float64]
_NAN = float("nan")
_VALUES_AT_ONCE = 2_000_000  # drawn in one go by the bootstrap: 16 MB
_QUERIES_KEPT, _RESAMPLES_KEPT = 500, 10_000  # drawn once for all measures: up to 40 MB each


class Interval(NamedTuple):
    low: float
    high: float


_NO_INTERVAL = Interval(_NAN, _NAN)


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """System a minus system b over the same queries.

    Attributes:
        n: number of queries.
        mean: mean difference, in the unit of the values.
        interval: bootstrap interval of the mean difference.
        p: two-sided paired t-test.
        effect: Cohen's dz, mean over sample standard deviation (ddof 1) of the differences.
    """

    n: int
    mean: float
    interval: Interval
    p: float
    effect: float


class MeanOverCollections(NamedTuple):
    """The mean of collections' means, its stratified bootstrap interval, and p of being 0."""

    mean: float
    interval: Interval
    p: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient, its bootstrap interval over pairs, its two-sided p, and the pairs' number."""

    n: int
    r: float
    interval: Interval
    p: float


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided t-tests (TOST) of a mean difference within ±margin.

    Attributes:
        p: the larger of both p; below alpha the systems are equivalent.
        interval: the t interval of level 1 - 2 alpha, which then lies inside ±margin.
    """

    n: int
    mean: float
    interval: Interval
    p: float
    margin: float


def mean(values: ArrayLike) -> float:
    """Arithmetic mean; NaN of nothing."""
    array = _checked(values)
    return float(array.mean()) if len(array) else _NAN


def population_std(values: ArrayLike) -> float:
    """Standard deviation with ddof 0, as Chroma prints it after ±; NaN of nothing."""
    array = _checked(values)
    return float(array.std()) if len(array) else _NAN


def bootstrap_interval(
    values: ArrayLike, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of the mean over queries; NaN for fewer than two values."""
    array = _checked(values)
    if len(array) < 2:
        return _NO_INTERVAL
    parts = _resamples(len(array), resamples, seed)
    means = [array.take(drawn).mean(axis=1) for drawn in parts]
    return _percentiles(np.concatenate(means), level)


def resampled_sums(columns: ArrayLike, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Sums of each column over queries drawn with replacement, the same ones for all columns.

    For bootstrap intervals of what is no mean: a ratio of sums, or what it differs from a mean by.
    The queries drawn are those of :func:`bootstrap_interval`.

    Args:
        columns: shape (queries, columns).

    Returns:
        Shape (resamples, columns).
    """
    values = np.asarray(columns, dtype=np.float64)
    if values.ndim != 2 or not len(values) or not np.isfinite(values).all():
        raise ValueError("columns must be finite numbers of shape (queries, columns)")
    n = len(values)
    sums = []
    for drawn in _resamples(n, resamples, seed):
        places = drawn + n * np.arange(len(drawn))[:, None]
        times_drawn = np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape)
        sums.append(times_drawn.astype(np.float64) @ values)
    return np.concatenate(sums)


def percentile_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """The middle of resampled values that holds the share ``level`` of them; NaN of nothing."""
    return _percentiles(_checked(values), level)


def paired_difference(
    a: ArrayLike, b: ArrayLike, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> PairedDifference:
    """Compare two systems query by query.

    Identical systems: difference 0, interval [0, 0], p 1, effect 0. The same difference other
    than 0 on every query: p 0, effect infinite. Fewer than two queries: interval, p and effect
    NaN.
    """
    difference = _differences(a, b)
    n = len(difference)
    average = mean(difference)
    interval = bootstrap_interval(difference, level, resamples, seed)
    if n < 2:
        return PairedDifference(n, average, interval, _NAN, _NAN)
    if _constant(difference):
        differs = bool(difference.any())
        effect = float(np.copysign(np.inf, average)) if differs else 0.0
        return PairedDifference(n, average, interval, 0.0 if differs else 1.0, effect)
    p = float(stats.ttest_1samp(difference, 0.0).pvalue)
    return PairedDifference(n, average, interval, p, average / float(difference.std(ddof=1)))


def over_collections(
    groups: Sequence[ArrayLike], level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> MeanOverCollections:
    """Mean of the collections' means, so that each counts the same however many queries it has.

    Queries are drawn anew within their collection. p is two-sided, by Welch's t of the sum of the
    means' variances. NaN where a collection has fewer than two values.
    """
    arrays = [_checked(group) for group in groups]
    average = float(np.mean([mean(array) for array in arrays])) if arrays else _NAN
    if not arrays or min(map(len, arrays)) < 2:
        return MeanOverCollections(average, _NO_INTERVAL, _NAN)
    drawn = [
        np.concatenate([a.take(d).mean(axis=1) for d in _resamples(len(a), resamples, seed + i)])
        for i, a in enumerate(arrays)
    ]
    interval = _percentiles(np.mean(drawn, axis=0), level)
    parts = np.array([a.var(ddof=1) / len(a) for a in arrays])
    if _constant(np.append(parts, 0.0)):
        return MeanOverCollections(average, interval, 1.0 if average == 0 else 0.0)
    freedom = parts.sum() ** 2 / sum(
        p**2 / (len(a) - 1) for p, a in zip(parts, arrays, strict=True)
    )
    t = average * len(arrays) / np.sqrt(parts.sum())
    return MeanOverCollections(average, interval, float(2 * stats.t.sf(abs(t), freedom)))


def holm(pvalues: ArrayLike) -> Floats:
    """Holm's adjusted p values, in the order given; NaN stays NaN and is not in the family."""
    p = np.asarray(pvalues, dtype=np.float64)
    adjusted = np.full_like(p, np.nan)
    known = ~np.isnan(p)
    if known.any():
        adjusted[known] = multipletests(p[known], method="holm")[1]
    return adjusted


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: Literal["pearson", "spearman"] = "pearson",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Correlation:
    """Pearson's r or Spearman's rho; NaN where a side is constant or there are under 3 pairs.

    Resamples in which a side is constant have no coefficient and are left out of the interval.
    """
    first, second = _checked(x), _checked(y)
    if first.shape != second.shape:
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    if method not in ("pearson", "spearman"):
        raise ValueError(f"unknown correlation {method!r}; use pearson or spearman")
    n = len(first)
    if n < 3 or _constant(first) or _constant(second):
        return Correlation(n, _NAN, _NO_INTERVAL, _NAN)
    found = (stats.pearsonr if method == "pearson" else stats.spearmanr)(first, second)
    drawn = np.concatenate(
        [_coefficients(first[d], second[d], method) for d in _resamples(n, resamples, seed)]
    )
    interval = _percentiles(drawn[~np.isnan(drawn)], level)
    return Correlation(n, float(found.statistic), interval, float(found.pvalue))


def fisher_interval(r: float, n: int, level: float = 0.95) -> Interval:
    """Fisher's z interval of Pearson's r; also for an r of which only n is known.

    NaN for an r that is, or for fewer than four pairs.
    """
    if n < 4 or not abs(r) <= 1:
        return _NO_INTERVAL
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
    array = _checked(values)
    if not len(array):
        return np.zeros(0, dtype=np.bool_)
    low, high = np.quantile(array, [0.25, 0.75])
    fence = reach * (high - low)
    inside: NDArray[np.bool_] = (array >= low - fence) & (array <= high + fence)
    return inside


def equivalence(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Whether two systems differ by less than ``margin`` (in the unit of the values).

    Without variance the answer is certain: p is 0 inside the margin and 1 outside it.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be positive, not {margin}")
    difference = _differences(a, b)
    n, average = len(difference), mean(difference)
    if n < 2:
        return Equivalence(n, average, _NO_INTERVAL, _NAN, margin)
    if _constant(difference):
        p = 0.0 if abs(average) < margin else 1.0
        return Equivalence(n, average, Interval(average, average), p, margin)
    above = stats.ttest_1samp(difference, -margin, alternative="greater")
    below = stats.ttest_1samp(difference, margin, alternative="less")
    half = float(stats.t.ppf(1 - alpha, n - 1) * stats.sem(difference))
    interval = Interval(average - half, average + half)
    return Equivalence(n, average, interval, float(max(above.pvalue, below.pvalue)), margin)


def _checked(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be one-dimensional, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(
            f"value {int(np.argmin(np.isfinite(array)))} is not finite; drop or fix it"
        )
    return array


def _differences(a: ArrayLike, b: ArrayLike) -> Floats:
    first, second = _checked(a), _checked(b)
    if first.shape != second.shape:
        raise ValueError(
            f"{len(first)} and {len(second)} values cannot be paired; align them by query first"
        )
    return first - second


def _constant(values: Floats) -> bool:
    """Whether values differ by no more than rounding, which would blow up a division by std."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _resamples(n: int, resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """Indices drawn with replacement, in parts of shape (some resamples, n)."""
    few = n <= _QUERIES_KEPT and resamples <= _RESAMPLES_KEPT
    return _kept(n, resamples, seed) if few else _draw(n, resamples, seed)


@lru_cache(maxsize=8)
def _kept(n: int, resamples: int, seed: int) -> list[NDArray[np.int64]]:
    return list(_draw(n, resamples, seed))


def _draw(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    part = max(1, _VALUES_AT_ONCE // n)
    for first in range(0, resamples, part):
        yield generator.integers(0, n, size=(min(part, resamples - first), n))


def _coefficients(x: Floats, y: Floats, method: str) -> Floats:
    """The correlation of each row of x with the same row of y; NaN for constant rows."""
    if method == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0)  # rounding may hide it below
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    return np.divide((x * y).sum(axis=1), scale, out=np.full(len(x), np.nan), where=varies)


def _percentiles(values: Floats, level: float) -> Interval:
    if not len(values):
        return _NO_INTERVAL
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
