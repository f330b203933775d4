"""Means over queries, their bootstrap intervals, and values that lie apart from the others.

Every random number comes from the seed given, so the same values give the same answer. What
cannot be computed is NaN, never an exception: a table shows it as a gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
        percentile_interval(means, float(np.abs(values).max(initial=0.0)))
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
    n = values.shape[1]
    few = max(1, _ADDED_AT_ONCE // n)
    sums = np.empty((len(values), RESAMPLES))
    at = 0
    for part in _times_drawn(n, seed):
        for first in range(0, len(part), few):
            times = part[first : first + few].astype(np.float64)
            sums[:, at : at + len(times)] = values @ times.T
            at += len(times)
    return sums


def inside_fences(values: ArrayLike) -> NDArray[np.bool_]:
    """Which values lie within one and a half interquartile ranges of the quartiles."""
    array = checked(values)
    if not len(array):
        return np.zeros(0, dtype=np.bool_)
    low, high = np.quantile(array, [0.25, 0.75])
    fence = 1.5 * (high - low)
    inside: NDArray[np.bool_] = (array >= low - fence) & (array <= high + fence)
    return inside


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


def percentile_interval(values: ArrayLike, largest: float = 0.0) -> Interval:
    """The middle of resampled values that holds 95% of them; NaN of nothing. An end that is 0 but
    for the rounding of a sum of values of size ``largest`` is 0, so that ``low > 0`` can be asked.
    """
    array = checked(values)
    if not len(array):
        return NO_INTERVAL
    low, high = np.quantile(array, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    ends = (0.0 if abs(end) <= _ROUNDING * largest else float(end) for end in (low, high))
    return Interval(*ends)
