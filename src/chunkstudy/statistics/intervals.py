"""Means over queries and their bootstrap intervals.

Every random number comes from the seed given, so the same values give the same answer. What
cannot be computed is NaN, never an exception: a table shows it as a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]
LEVEL, RESAMPLES = 0.95, 10_000
_NAN = float("nan")
_DRAWN_AT_ONCE = 2_000_000  # indices of queries: 16 MB
_ADDED_AT_ONCE = 250_000  # times drawn: 2 MB, which a core's cache holds
_KEPT = 20_000_000  # times drawn that are kept for the next values, 40 MB


class Interval(NamedTuple):
    low: float
    high: float


NO_INTERVAL = Interval(_NAN, _NAN)


class MeanOverCollections(NamedTuple):
    """The mean of collections' means, its stratified bootstrap interval, p of being 0, and the
    standard error and degrees of freedom behind p."""

    mean: float
    interval: Interval
    p: float
    error: float
    freedom: float


def mean(values: ArrayLike) -> float:
    """Arithmetic mean; NaN of nothing."""
    array = checked(values)
    return float(array.mean()) if len(array) else _NAN


def population_std(values: ArrayLike) -> float:
    """Standard deviation with ddof 0, as Chroma prints it after ±; NaN of nothing."""
    array = checked(values)
    return float(array.std()) if len(array) else _NAN


def bootstrap_interval(
    values: ArrayLike, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of the mean over queries; NaN for fewer than two values."""
    return bootstrap_intervals(checked(values)[:, None], level, resamples, seed)[0]


def bootstrap_intervals(
    columns: ArrayLike, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """An interval for each column of shape (queries, columns): the same queries drawn for all."""
    values = _checked_columns(columns)
    if len(values) < 2:
        return [NO_INTERVAL] * values.shape[1]
    means = resampled_sums(values, resamples, seed) / len(values)
    largest = np.abs(values).max(axis=0)
    return [
        _percentiles(one, level, float(size)) for one, size in zip(means.T, largest, strict=True)
    ]


def resampled_sums(columns: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Sums of each column over queries drawn with replacement, the same ones for all columns.

    For bootstrap intervals of what is no mean: a ratio of sums, or what it differs from a mean by.
    The queries drawn are those of :func:`bootstrap_interval`.

    Args:
        columns: shape (queries, columns).

    Returns:
        Shape (resamples, columns).
    """
    values = _checked_columns(columns)
    if not len(values):
        raise ValueError("nothing can be drawn from no queries")
    few = max(1, _ADDED_AT_ONCE // len(values))
    sums = [
        part[first : first + few].astype(np.float64) @ values
        for part in _times_drawn(len(values), resamples, seed)
        for first in range(0, len(part), few)
    ]
    return np.concatenate(sums)


def percentile_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """The middle of resampled values that holds the share ``level`` of them; NaN of nothing."""
    return _percentiles(checked(values), level)


def over_collections(
    groups: Sequence[ArrayLike],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> MeanOverCollections:
    """Mean of the collections' means, so that each counts the same however many queries it has.

    Queries are drawn anew within their collection. p is two-sided, by Welch's t of the sum of the
    means' variances. NaN where a collection has fewer than two values.
    """
    arrays = [checked(group) for group in groups]
    average = float(np.mean([mean(array) for array in arrays])) if arrays else _NAN
    if not arrays or min(map(len, arrays)) < 2:
        return MeanOverCollections(average, NO_INTERVAL, _NAN, _NAN, _NAN)
    drawn = [
        resampled_sums(a[:, None], resamples, seed + i)[:, 0] / len(a) for i, a in enumerate(arrays)
    ]
    largest = max(float(np.abs(a).max()) for a in arrays)
    interval = _percentiles(np.mean(drawn, axis=0), level, largest)
    parts = np.array([a.var(ddof=1) / len(a) for a in arrays])
    if constant(np.append(parts, 0.0)):
        return MeanOverCollections(average, interval, 1.0 if average == 0 else 0.0, 0.0, _NAN)
    freedom = parts.sum() ** 2 / sum(
        p**2 / (len(a) - 1) for p, a in zip(parts, arrays, strict=True)
    )
    error = float(np.sqrt(parts.sum())) / len(arrays)
    p = float(2 * stats.t.sf(abs(average / error), freedom))
    return MeanOverCollections(average, interval, p, error, float(freedom))


def checked(values: ArrayLike) -> Floats:
    """Finite numbers of one dimension, or one sentence on what is wrong with them."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be one-dimensional, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(
            f"value {int(np.argmin(np.isfinite(array)))} is not finite; drop or fix it"
        )
    return array


def constant(values: Floats) -> bool:
    """Whether values differ by no more than rounding, which would blow up a division by std."""
    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def drawn_queries(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Indices of n queries drawn with replacement, in parts of shape (some resamples, n)."""
    generator = np.random.default_rng(seed)
    part = max(1, _DRAWN_AT_ONCE // n)
    for first in range(0, resamples, part):
        yield generator.integers(0, n, size=(min(part, resamples - first), n))


_ROUNDING = 1e-12


def _checked_columns(columns: ArrayLike) -> Floats:
    values = np.ascontiguousarray(columns, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError("columns must be finite numbers of shape (queries, columns)")
    return values


def _times_drawn(n: int, resamples: int, seed: int) -> Iterable[NDArray[np.uint16]]:
    """How often each query is drawn, in parts of shape (some resamples, n)."""
    return (_kept if n * resamples <= _KEPT else _count)(n, resamples, seed)


@lru_cache(maxsize=8)
def _kept(n: int, resamples: int, seed: int) -> list[NDArray[np.uint16]]:
    return list(_count(n, resamples, seed))


def _count(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint16]]:
    for drawn in drawn_queries(n, resamples, seed):
        places = drawn + n * np.arange(len(drawn))[:, None]
        counts = np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape)
        yield counts.astype(np.uint16)


def _percentiles(values: Floats, level: float, largest: float = 0.0) -> Interval:
    """The middle of ``values``; an end that is 0 but for the rounding of a sum of values of size
    ``largest`` is 0, so that ``low > 0`` can be asked."""
    if not len(values):
        return NO_INTERVAL
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    ends = (0.0 if abs(end) <= _ROUNDING * largest else float(end) for end in (low, high))
    return Interval(*ends)
