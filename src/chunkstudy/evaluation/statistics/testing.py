"""Means tested: of paired differences, and of queries in groups; whether two systems differ, or by
less than a margin; and the correction for asking of many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

from chunkstudy.evaluation.statistics.intervals import (
    NO_INTERVAL,
    Floats,
    Interval,
    bootstrap_intervals,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_means,
)

_NAN = float("nan")


class Tested(NamedTuple):
    """A mean, its bootstrap interval, the two-sided p of its being 0, and the standard error and
    degrees of freedom behind p. Where all values are the same the error is 0, and p 1 if the mean
    is 0, else 0."""

    mean: float
    interval: Interval
    p: float
    error: float
    freedom: float


def mean_differences(differences: Iterable[Floats], seed: int = 0) -> list[Tested]:
    """The mean of each column of differences of two systems, query by query, with a paired t-test.

    Fewer than two queries have no interval, p and error.
    """
    columns, tests = list(differences), []
    for column, interval in zip(columns, bootstrap_intervals(columns, seed), strict=True):
        n, error = len(column), _NAN
        if n > 1:
            error = 0.0 if constant(column) else float(column.std(ddof=1) / np.sqrt(n))
        tests.append(tested(mean(column), interval, error, n - 1))
    return tests


def clustered_means(columns: Iterable[tuple[ArrayLike, ArrayLike]], seed: int = 0) -> list[Tested]:
    """The mean of each column of values in groups, over all queries, each counting the same.

    The interval draws groups, each with all its queries; of columns with equally many groups the
    same ones. The standard error lets queries of a group depend on each other in any way (Liang and
    Zeger 1986, with the factor groups / (groups - 1)), with groups - 1 degrees of freedom. All of
    these are NaN for fewer than two groups.

    Args:
        columns: values, one per query, and the name of each query's group.
    """
    given = [_grouped(checked(values), np.asarray(groups)) for values, groups in columns]
    drawn = iter(resampled_means([row for _, *both in given for row in both], seed))
    return [_of_groups(*column, percentile_interval(next(drawn) / next(drawn))) for column in given]


def _grouped(values: Floats, names: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """The values, and of each group the sum of its own and their number."""
    by_group = pd.Series(values).groupby(names)
    return values, np.asarray(by_group.sum()), np.asarray(by_group.size(), np.float64)


def _of_groups(values: Floats, sums: Floats, sizes: Floats, interval: Interval) -> Tested:
    average, count = mean(values), len(sums)
    if count < 2:
        return tested(average, NO_INTERVAL, _NAN, count - 1)
    apart = sums - average * sizes
    error = float(np.sqrt(count / (count - 1) * (apart**2).sum()) / len(values))
    return tested(average, interval, 0.0 if constant(values) else error, count - 1)


def tested(average: float, interval: Interval, error: float, freedom: float) -> Tested:
    """A mean with its p, by Student's t."""
    if error == 0:
        return Tested(average, interval, 1.0 if average == 0 else 0.0, error, freedom)
    p = float(2 * special.stdtr(freedom, -np.abs(average / error)))
    return Tested(average, interval, p, error, freedom)


def effect(difference: Floats) -> float:
    """Cohen's dz: the mean over the sample standard deviation (ddof 1) of differences; infinite
    where all are the same and not 0, NaN of fewer than two."""
    average = mean(difference)
    if len(difference) < 2:
        return _NAN
    if constant(difference):
        return float(np.copysign(np.inf, average)) if difference.any() else 0.0
    return average / float(difference.std(ddof=1))


def two_one_sided(average: float, error: float, freedom: float, margin: float) -> float:
    """The larger p of two one-sided t-tests that a mean lies above -margin and below +margin; below
    0.05 two systems that differ by this mean are equivalent.

    Args:
        average: the mean.
        error: its standard error; 0 where it is certain, NaN where it is unknown, and so is p.
        freedom: degrees of freedom of that error.
        margin: above 0, in the unit of the mean.
    """
    if error == 0:
        return 0.0 if abs(average) < margin else 1.0
    return float(special.stdtr(freedom, (abs(average) - margin) / error))


def holm(pvalues: ArrayLike) -> Floats:
    """Holm's adjusted p values, in the order given; NaN stays NaN and is not in the family.

    statsmodels' ``multipletests`` says the same and collects garbage at each call, which took half
    of the time of every table.
    """
    p = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: int((~np.isnan(p)).sum())]  # NaN comes last
    left = np.arange(len(order), 0, -1)
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(left * p[order]), 1.0)
    return adjusted
