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
    return bootstrap_intervals([values], level, resamples, seed)[0]


def bootstrap_intervals(
    columns: Iterable[ArrayLike],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The interval of each of several columns of values; the same queries are drawn for all of one
    length, and only once, so that asking of many together takes little longer than asking of
    one."""
    arrays = [checked(column) for column in columns]
    found = [NO_INTERVAL] * len(arrays)
    for n, places in by_length(arrays):
        if n < 2:
            continue
        values = np.stack([arrays[place] for place in places])
        means = resampled_sums(values, resamples, seed) / n
        intervals = _percentiles(means, level, np.abs(values).max(axis=1))
        for place, interval in zip(places, intervals, strict=True):
            found[place] = interval
    return found


def resampled_sums(columns: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Sums of each column over queries drawn with replacement, the same ones for all columns.

    For bootstrap intervals of what is no mean: a ratio of sums, or what it differs from a mean by.
    The queries drawn are those of :func:`bootstrap_interval`.

    Args:
        columns: shape (columns, queries).

    Returns:
        Shape (columns, resamples).
    """
    values = np.asarray(columns, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError("columns must be finite numbers of shape (columns, queries)")
    n = values.shape[1]
    if not n:
        raise ValueError("nothing can be drawn from no queries")
    few = max(1, _ADDED_AT_ONCE // n)
    sums = np.empty((len(values), resamples))
    at = 0
    for part in times_drawn(n, resamples, seed):
        for first in range(0, len(part), few):
            times = part[first : first + few].astype(np.float64)
            sums[:, at : at + len(times)] = values @ times.T
            at += len(times)
    return sums


def percentile_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """The middle of resampled values that holds the share ``level`` of them; NaN of nothing."""
    array = checked(values)
    return _percentiles(array[None], level, np.zeros(1))[0] if len(array) else NO_INTERVAL


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
    return means_over_collections([groups], level, resamples, seed)[0]


def means_over_collections(
    systems: Iterable[Sequence[ArrayLike]],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[MeanOverCollections]:
    """:func:`over_collections` of many, for all of which the same queries are drawn."""
    arrays = [[checked(group) for group in groups] for groups in systems]
    known = [i for i, of in enumerate(arrays) if of and min(map(len, of)) > 1]
    means = np.zeros((len(arrays), resamples))
    for at in range(max((len(arrays[i]) for i in known), default=0)):
        here = [i for i in known if at < len(arrays[i])]
        for n, places in by_length([arrays[i][at] for i in here]):
            rows = [here[place] for place in places]
            drawn = resampled_sums([arrays[i][at] for i in rows], resamples, seed + at)
            means[rows] += drawn / n
    found = []
    for i, of in enumerate(arrays):
        average = float(np.mean([mean(one) for one in of])) if of else _NAN
        if i not in known:
            found.append(MeanOverCollections(average, NO_INTERVAL, _NAN, _NAN, _NAN))
            continue
        largest = max(float(np.abs(one).max()) for one in of)
        interval = _percentiles(means[i, None] / len(of), level, np.array([largest]))[0]
        found.append(_tested(average, interval, of))
    return found


def _tested(average: float, interval: Interval, arrays: list[Floats]) -> MeanOverCollections:
    parts = np.array([a.var(ddof=1) / len(a) for a in arrays])
    if constant(np.append(parts, 0.0)):
        return MeanOverCollections(average, interval, 1.0 if average == 0 else 0.0, 0.0, _NAN)
    freedom = parts.sum() ** 2 / sum(
        p**2 / (len(a) - 1) for p, a in zip(parts, arrays, strict=True)
    )
    error = float(np.sqrt(parts.sum())) / len(arrays)
    p = float(two_sided(average / error, freedom))
    return MeanOverCollections(average, interval, p, error, float(freedom))


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


def times_drawn(n: int, resamples: int, seed: int) -> Iterable[NDArray[np.uint8]]:
    """How often each of n queries is drawn with replacement, in parts of shape (some resamples, n).

    No query is drawn 256 times: more than 255 queries would all have to be nearly the same one.
    """
    return (_kept if n * resamples <= _KEPT else _count)(n, resamples, seed)


def by_length(arrays: Sequence[Floats]) -> Iterable[tuple[int, list[int]]]:
    """Places of arrays of one length, length by length."""
    found: dict[int, list[int]] = {}
    for place, array in enumerate(arrays):
        found.setdefault(len(array), []).append(place)
    return found.items()


_ROUNDING = 1e-12


@lru_cache(maxsize=8)
def _kept(n: int, resamples: int, seed: int) -> list[NDArray[np.uint8]]:
    return list(_count(n, resamples, seed))


def _count(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    generator = np.random.default_rng(seed)
    part = max(1, _DRAWN_AT_ONCE // n)
    for first in range(0, resamples, part):
        drawn = generator.integers(0, n, size=(min(part, resamples - first), n))
        places = drawn + n * np.arange(len(drawn))[:, None]
        counts = np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape)
        yield counts.astype(np.uint8)


def _percentiles(values: Floats, level: float, largest: Floats) -> list[Interval]:
    """The middle of each row of ``values``; an end that is 0 but for the rounding of a sum of
    values of size ``largest`` is 0, so that ``low > 0`` can be asked."""
    ends = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=1)
    ends[np.abs(ends) <= _ROUNDING * largest] = 0.0
    return [Interval(float(low), float(high)) for low, high in ends.T]
