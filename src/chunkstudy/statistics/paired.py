"""Two systems over the same queries, and the correction for asking of many pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from chunkstudy.statistics.intervals import (
    LEVEL,
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    checked,
    constant,
    mean,
)

_NAN = float("nan")


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


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> PairedDifference:
    """Compare two systems query by query.

    Identical systems: difference 0, interval [0, 0], p 1, effect 0. The same difference other
    than 0 on every query: p 0, effect infinite. Fewer than two queries: interval, p and effect
    NaN.
    """
    difference = aligned_difference(a, b)
    n = len(difference)
    average = mean(difference)
    interval = bootstrap_interval(difference, level, resamples, seed)
    if n < 2:
        return PairedDifference(n, average, interval, _NAN, _NAN)
    if constant(difference):
        differs = bool(difference.any())
        effect = float(np.copysign(np.inf, average)) if differs else 0.0
        return PairedDifference(n, average, interval, 0.0 if differs else 1.0, effect)
    p = float(stats.ttest_1samp(difference, 0.0).pvalue)
    return PairedDifference(n, average, interval, p, average / float(difference.std(ddof=1)))


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


def aligned_difference(a: ArrayLike, b: ArrayLike) -> Floats:
    """a minus b, query by query; the two must be aligned."""
    first, second = checked(a), checked(b)
    if first.shape != second.shape:
        raise ValueError(
            f"{len(first)} and {len(second)} values cannot be paired; align them by query first"
        )
    return first - second
