"""Whether two systems differ by less than a margin that somebody named."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy import stats

from chunkstudy.statistics.intervals import NO_INTERVAL, Interval, constant, mean
from chunkstudy.statistics.paired import aligned_difference


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
    if not margin > 0:
        raise ValueError(f"the margin must be positive, not {margin}")
    difference = aligned_difference(a, b)
    n, average = len(difference), mean(difference)
    if n < 2:
        return Equivalence(n, average, NO_INTERVAL, float("nan"), margin)
    if constant(difference):
        p = 0.0 if abs(average) < margin else 1.0
        return Equivalence(n, average, Interval(average, average), p, margin)
    above = stats.ttest_1samp(difference, -margin, alternative="greater")
    below = stats.ttest_1samp(difference, margin, alternative="less")
    half = float(stats.t.ppf(1 - alpha, n - 1) * stats.sem(difference))
    interval = Interval(average - half, average + half)
    return Equivalence(n, average, interval, float(max(above.pvalue, below.pvalue)), margin)
