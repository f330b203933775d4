"""Two systems over the same queries: do they differ, or by less than a margin that somebody named;
and the correction for asking of many pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from chunkstudy.evaluation.statistics.intervals import (
    Floats,
    Interval,
    bootstrap_intervals,
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
        effect: Cohen's dz.
        error: the standard error of the mean difference.
    """

    n: int
    mean: float
    interval: Interval
    p: float
    effect: float
    error: float

    @property
    def freedom(self) -> int:
        return self.n - 1


def paired_difference(a: ArrayLike, b: ArrayLike) -> PairedDifference:
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
    return mean_differences([first - second])[0]


def mean_differences(differences: Iterable[Floats], seed: int = 0) -> list[PairedDifference]:
    """The same of many, each given by its differences query by query."""
    columns = list(differences)
    intervals = bootstrap_intervals(columns, seed)
    return [_tested(*one) for one in zip(columns, intervals, strict=True)]


def _tested(difference: Floats, interval: Interval) -> PairedDifference:
    n, average = len(difference), mean(difference)
    if n < 2:
        return PairedDifference(n, average, interval, _NAN, _NAN, _NAN)
    size = effect(difference)
    if constant(difference):
        return PairedDifference(n, average, interval, 0.0 if size else 1.0, size, 0.0)
    error = float(difference.std(ddof=1) / np.sqrt(n))
    p = float(two_sided(average / error, n - 1))
    return PairedDifference(n, average, interval, p, size, error)


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
