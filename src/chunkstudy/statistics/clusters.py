"""Means over queries that come in groups: questions asked of one paper are not independent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from chunkstudy.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    RESAMPLES,
    Interval,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_sums,
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


def clustered_mean(
    values: ArrayLike,
    groups: ArrayLike,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> ClusteredMean:
    """The mean of values in groups; interval and p are NaN for fewer than two groups.

    Args:
        values: one per query.
        groups: the name of each query's group.
    """
    array, names = checked(values), np.asarray(groups)
    if array.shape != names.shape:
        raise ValueError(f"{len(array)} values cannot be in {len(names)} groups; name one for each")
    by_group = pd.Series(array).groupby(names)
    sums, sizes = by_group.sum().to_numpy(), by_group.size().to_numpy(dtype=np.float64)
    average, count = mean(array), len(sums)
    if count < 2:
        return ClusteredMean(average, count, NO_INTERVAL, _NAN)
    drawn = resampled_sums(np.stack([sums, sizes], axis=1), resamples, seed)
    interval = percentile_interval(drawn[:, 0] / drawn[:, 1], level)
    if constant(array):
        return ClusteredMean(average, count, interval, 0.0 if array.any() else 1.0, 0.0)
    apart = sums - average * sizes
    error = np.sqrt(count / (count - 1) * (apart**2).sum()) / len(array)
    if error == 0:
        return ClusteredMean(average, count, interval, 0.0 if average else 1.0, 0.0)
    p = float(2 * stats.t.sf(abs(average) / error, count - 1))
    return ClusteredMean(average, count, interval, p, float(error))
