"""Two systems over the same queries: do they differ, or by less than a margin that somebody named;
and the correction for asking of many pairs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from chunkstudy.evaluation.statistics.intervals import (
    Floats,
    Interval,
    Tested,
    bootstrap_intervals,
    checked,
    constant,
    mean,
    tested,
)

_NAN = float("nan")


def paired_difference(a: ArrayLike, b: ArrayLike) -> Tested:
    """The mean difference of two systems over the same queries, a minus b, with a paired t-test.

    Fewer than two queries have no interval, p and error.
    """
    first, second = checked(a), checked(b)
    if first.shape != second.shape:
        raise ValueError(
            f"{len(first)} and {len(second)} values cannot be paired; align them by query first"
        )
    return mean_differences([first - second])[0]


def mean_differences(differences: Iterable[Floats], seed: int = 0) -> list[Tested]:
    """The same of many, each given by its differences query by query."""
    columns = list(differences)
    intervals = bootstrap_intervals(columns, seed)
    return [_tested(*pair) for pair in zip(columns, intervals, strict=True)]


def _tested(difference: Floats, interval: Interval) -> Tested:
    n, error = len(difference), _NAN
    if n > 1:
        error = 0.0 if constant(difference) else float(difference.std(ddof=1) / np.sqrt(n))
    return tested(mean(difference), interval, error, n - 1)


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
        margin: in the unit of the mean.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be positive, not {margin}")
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
