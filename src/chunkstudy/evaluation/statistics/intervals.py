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
from scipy import special

Floats = NDArray[np.float64]
LEVEL, RESAMPLES = 0.95, 10_000
_NAN = float("nan")
_DRAWN_AT_ONCE = 2_000_000  # indices of queries: 16 MB
_ADDED_AT_ONCE = 250_000  # times drawn: 2 MB, which a core's cache holds
_KEPT = 40_000_000  # times drawn that are kept for the next values, 40 MB


class Interval(NamedTuple):
    low: float
    high: float


NO_INTERVAL = Interval(_NAN, _NAN)


class Tested(NamedTuple):
    """A mean, its bootstrap interval, the two-sided p of its being 0, and the standard error and
    degrees of freedom behind p. Where all values are the same the error is 0, and p 1 if the mean
    is 0, else 0."""

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


def bootstrap_interval(values: ArrayLike, seed: int = 0) -> Interval:
    """Percentile bootstrap interval of the mean over queries; NaN for fewer than two values."""
    return bootstrap_intervals([values], seed)[0]


def with_interval(name: str, value: float, interval: Interval) -> dict[str, float]:
    """A value as three columns of a table, ``low`` and ``high`` behind its name."""
    return {name: value, f"{name} low": interval.low, f"{name} high": interval.high}


def bootstrap_intervals(columns: Iterable[ArrayLike], seed: int = 0) -> list[Interval]:
    """The interval of each of several columns of values, the same queries drawn for all of one
    length, and once: asking of many together takes little longer than asking of one."""
    arrays = [checked(column) for column in columns]
    return [
        _percentiles(means, float(np.abs(values).max(initial=0.0)))
        for values, means in zip(arrays, resampled_means(arrays, seed), strict=True)
    ]


def resampled_means(columns: Sequence[Floats], seed: int = 0) -> list[Floats]:
    """Means of each column over queries drawn with replacement, (RESAMPLES,), the same queries for
    all columns of one length; of fewer than two values there are none."""
    of_columns = [np.empty(0)] * len(columns)
    for n in {len(column) for column in columns} - {0, 1}:
        places = [place for place, column in enumerate(columns) if len(column) == n]
        means = resampled_sums([columns[place] for place in places], seed) / n
        for place, drawn in zip(places, means, strict=True):
            of_columns[place] = drawn
    return of_columns


def resampled_sums(columns: ArrayLike, seed: int = 0) -> Floats:
    """Sums of each column over queries drawn with replacement, the same ones for all columns.

    For bootstrap intervals of what is no mean: a ratio of sums, or what it differs from a mean by.
    The queries drawn are those of :func:`bootstrap_interval`.

    Args:
        columns: shape (columns, queries).

    Returns:
        Shape (columns, RESAMPLES).
    """
    values = np.asarray(columns, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError("columns must be finite numbers of shape (columns, queries)")
    n = values.shape[1]
    if not n:
        raise ValueError("nothing can be drawn from no queries")
    few = max(1, _ADDED_AT_ONCE // n)
    sums = np.empty((len(values), RESAMPLES))
    at = 0
    for part in _times_drawn(n, seed):
        for first in range(0, len(part), few):
            times = part[first : first + few].astype(np.float64)
            sums[:, at : at + len(times)] = values @ times.T
            at += len(times)
    return sums


def percentile_interval(values: ArrayLike) -> Interval:
    """The middle of resampled values that holds 95% of them; NaN of nothing."""
    return _percentiles(checked(values))


def over_collections(systems: Iterable[Sequence[ArrayLike]], seed: int = 0) -> list[Tested]:
    """Of each system, given by its values of each collection, the mean of the collections' means,
    so that each counts the same however many queries it has.

    Queries are drawn anew within their collection, the same for all systems. p is two-sided, by
    Welch's t of the sum of the means' variances. NaN where a collection has fewer than two values.
    """
    arrays = [[checked(group) for group in groups] for groups in systems]
    drawn = [
        iter(resampled_means([of[at] for of in arrays if at < len(of)], seed + at))
        for at in range(max(map(len, arrays), default=0))
    ]
    return [_over(of, [next(drawn[at]) for at in range(len(of))]) for of in arrays]


def _over(arrays: list[Floats], drawn: list[Floats]) -> Tested:
    average = float(np.mean([mean(array) for array in arrays])) if arrays else _NAN
    if not arrays or min(map(len, arrays)) < 2:
        return tested(average, NO_INTERVAL, _NAN, _NAN)
    largest = max(float(np.abs(a).max()) for a in arrays)
    interval = _percentiles(np.mean(drawn, axis=0), largest)
    parts = np.array([a.var(ddof=1) / len(a) for a in arrays])
    if constant(np.append(parts, 0.0)):
        return tested(average, interval, 0.0, _NAN)
    freedom = parts.sum() ** 2 / sum(
        p**2 / (len(a) - 1) for p, a in zip(parts, arrays, strict=True)
    )
    return tested(average, interval, float(np.sqrt(parts.sum())) / len(arrays), float(freedom))


def tested(average: float, interval: Interval, error: float, freedom: float) -> Tested:
    """A mean with its p, by Student's t."""
    if error == 0:
        return Tested(average, interval, 1.0 if average == 0 else 0.0, error, freedom)
    return Tested(average, interval, float(two_sided(average / error, freedom)), error, freedom)


def two_sided(t: ArrayLike, freedom: float) -> Floats:
    """p of Student's t, of being as far from 0 on either side."""
    return np.asarray(2 * special.stdtr(freedom, -np.abs(t)))


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


def _times_drawn(n: int, seed: int) -> Iterable[NDArray[np.uint8]]:
    """How often each of n queries is drawn with replacement, in parts of shape (some resamples, n);
    that one of more than 255 is drawn as often as that never happens."""
    return (_kept if n * RESAMPLES <= _KEPT else _count)(n, seed)


_ROUNDING = 1e-12


@lru_cache(maxsize=8)
def _kept(n: int, seed: int) -> list[NDArray[np.uint8]]:
    return list(_count(n, seed))


def _count(n: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    generator = np.random.default_rng(seed)
    part = max(1, _DRAWN_AT_ONCE // n)
    for first in range(0, RESAMPLES, part):
        drawn = generator.integers(0, n, size=(min(part, RESAMPLES - first), n))
        places = drawn + n * np.arange(len(drawn))[:, None]
        counts = np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape)
        yield counts.astype(np.uint8)


def _percentiles(values: Floats, largest: float = 0.0) -> Interval:
    """The middle of ``values``; an end that is 0 but for the rounding of a sum of values of size
    ``largest`` is 0, so that ``low > 0`` can be asked."""
    if not len(values):
        return NO_INTERVAL
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    ends = (0.0 if abs(end) <= _ROUNDING * largest else float(end) for end in (low, high))
    return Interval(*ends)
