"""Means over queries that come in groups: questions asked of one paper are not independent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from chunkstudy.statistics.intervals import (
    LEVEL,
    NO_INTERVAL,
    RESAMPLES,
    Floats,
    Interval,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_sums,
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
    return clustered_means([(values, groups)], level, resamples, seed)[0]


def clustered_means(
    columns: Iterable[tuple[ArrayLike, ArrayLike]],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[ClusteredMean]:
    """:func:`clustered_mean` of many columns of values and groups; of those with equally many
    groups the same ones are drawn."""
    known = [_Grouped.of(values, groups) for values, groups in columns]
    found = [ClusteredMean(mean(one.values), len(one.sums), NO_INTERVAL, _NAN) for one in known]
    for count in {len(one.sums) for one in known} - {0, 1}:
        places = [place for place, one in enumerate(known) if len(one.sums) == count]
        both = [row for place in places for row in (known[place].sums, known[place].sizes)]
        drawn = resampled_sums(both, resamples, seed)
        for place, ratio in zip(places, drawn[::2] / drawn[1::2], strict=True):
            found[place] = known[place].tested(percentile_interval(ratio, level))
    return found


class _Grouped(NamedTuple):
    """Values, and of each group the sum and the number of them."""

    values: Floats
    sums: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: ArrayLike, groups: ArrayLike) -> _Grouped:
        array, names = checked(values), np.asarray(groups)
        if array.shape != names.shape:
            raise ValueError(
                f"{len(array)} values cannot be in {len(names)} groups; name one for each"
            )
        by_group = pd.Series(array).groupby(names)
        return cls(array, np.asarray(by_group.sum()), np.asarray(by_group.size(), np.float64))

    def tested(self, interval: Interval) -> ClusteredMean:
        average, count = mean(self.values), len(self.sums)
        if constant(self.values):
            return ClusteredMean(average, count, interval, 0.0 if self.values.any() else 1.0, 0.0)
        apart = self.sums - average * self.sizes
        error = np.sqrt(count / (count - 1) * (apart**2).sum()) / len(self.values)
        if error == 0:
            return ClusteredMean(average, count, interval, 0.0 if average else 1.0, 0.0)
        p = float(two_sided(average / error, count - 1))
        return ClusteredMean(average, count, interval, p, float(error))
