"""Whether two systems differ by less than a margin that somebody named."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy import stats

from chunkstudy.statistics.intervals import NO_INTERVAL, Interval, constant, mean
from chunkstudy.statistics.paired import aligned_difference

_NAN = float("nan")


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


def equivalence(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Whether two systems differ by less than ``margin`` (in the unit of the values).

    Without variance the answer is certain: p is 0 inside the margin and 1 outside it.
    """
    difference = aligned_difference(a, b)
    n, average = len(difference), mean(difference)
    if n < 2:
        return Equivalence(n, average, NO_INTERVAL, two_one_sided(average, _NAN, 1, margin), margin)
    error = 0.0 if constant(difference) else float(stats.sem(difference))
    half = float(stats.t.ppf(1 - alpha, n - 1)) * error
    p = two_one_sided(average, error, n - 1, margin)
    return Equivalence(n, average, Interval(average - half, average + half), p, margin)


def two_one_sided(average: float, error: float, freedom: float, margin: float) -> float:
    """The larger p of two one-sided t-tests that a mean lies above -margin and below +margin.

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
    return float(stats.t.sf((margin - abs(average)) / error, freedom))
