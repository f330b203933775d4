"""Means over queries that come in groups: questions asked of one paper are not independent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chunkstudy.evaluation.statistics.intervals import (
    NO_INTERVAL,
    Floats,
    Interval,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_means,
    two_sided,
)

_NAN = float("nan")


class ClusteredMean(NamedTuple):
    """The mean over queries where whole groups are drawn.

    Attributes:
        mean: over all queries, each counting the same.
        groups: how many there are.
        interval: percentile bootstrap over groups, each drawn with all its queries.
        p: two-sided, of the mean being 0, by the standard error that lets queries of a group depend
            on each other in any way (Liang and Zeger 1986, with the factor groups / (groups - 1)),
            against t with groups - 1 degrees of freedom.
        error: that standard error; NaN where there is none.
    """

    mean: float
    groups: int
    interval: Interval
    p: float
    error: float = _NAN

    @property
    def freedom(self) -> int:
        return self.groups - 1


def clustered_means(
    columns: Iterable[tuple[ArrayLike, ArrayLike]], seed: int = 0
) -> list[ClusteredMean]:
    """The mean of each column of values in groups; interval and p are NaN for fewer than two
    groups. Of columns with equally many groups the same ones are drawn.

    Args:
        columns: values, one per query, and the name of each query's group.
    """
    given = [_grouped(checked(values), np.asarray(groups)) for values, groups in columns]
    drawn = iter(resampled_means([row for _, *both in given for row in both], seed))
    return [_tested(*one, percentile_interval(next(drawn) / next(drawn))) for one in given]


def _grouped(values: Floats, names: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """The values, and of each group the sum of its own and their number."""
    if values.shape != names.shape:
        raise ValueError(
            f"{len(values)} values cannot be in {len(names)} groups; name one for each"
        )
    by_group = pd.Series(values).groupby(names)
    return values, np.asarray(by_group.sum()), np.asarray(by_group.size(), np.float64)


def _tested(values: Floats, sums: Floats, sizes: Floats, interval: Interval) -> ClusteredMean:
    average, count = mean(values), len(sums)
    if count < 2:
        return ClusteredMean(average, count, NO_INTERVAL, _NAN)
    if constant(values):
        return ClusteredMean(average, count, interval, 0.0 if values.any() else 1.0, 0.0)
    apart = sums - average * sizes
    error = np.sqrt(count / (count - 1) * (apart**2).sum()) / len(values)
    if error == 0:
        return ClusteredMean(average, count, interval, 0.0 if average else 1.0, 0.0)
    p = float(two_sided(average / error, count - 1))
    return ClusteredMean(average, count, interval, p, float(error))
