"""Two systems over the same queries: do they differ, or by less than a margin that somebody named;
and the correction for asking of many pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from chunkstudy.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    checked,
    constant,
    mean,
    two_sided,
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
        error: the standard error of the mean difference.
    """

    n: int
    mean: float
    interval: Interval
    p: float
    effect: float
    error: float


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> PairedDifference:
    """Compare two systems query by query.

    Identical systems: difference 0, interval [0, 0], p 1, effect 0. The same difference other
    than 0 on every query: p 0, effect infinite. Fewer than two queries: interval, p, effect and
    error NaN.
    """
    first, second = checked(a), checked(b)
    if first.shape != second.shape:
        raise ValueError(
            f"{len(first)} and {len(second)} values cannot be paired; align them by query first"
        )
    difference = first - second
    return mean_difference(difference, bootstrap_interval(difference, level, resamples, seed))


def mean_difference(difference: Floats, interval: Interval = NO_INTERVAL) -> PairedDifference:
    """The same of differences query by query, whose interval is known, or left out."""
    n, average = len(difference), mean(difference)
    if n < 2:
        return PairedDifference(n, average, interval, _NAN, _NAN, _NAN)
    if constant(difference):
        differs = bool(difference.any())
        effect = float(np.copysign(np.inf, average)) if differs else 0.0
        return PairedDifference(n, average, interval, 0.0 if differs else 1.0, effect, 0.0)
    spread = float(difference.std(ddof=1))
    error = float(spread / np.sqrt(n))
    p = float(two_sided(average / error, n - 1))
    return PairedDifference(n, average, interval, p, average / spread, error)


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
