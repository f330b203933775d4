"""Means over queries that come in groups: questions asked of one paper are not independent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chunkstudy.evaluation.statistics.intervals import (
    NO_INTERVAL,
    Floats,
    Interval,
    Tested,
    checked,
    constant,
    mean,
    percentile_interval,
    resampled_means,
    tested,
)

_NAN = float("nan")


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
    return [_tested(*column, percentile_interval(next(drawn) / next(drawn))) for column in given]


def _grouped(values: Floats, names: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """The values, and of each group the sum of its own and their number."""
    if values.shape != names.shape:
        raise ValueError(
            f"{len(values)} values cannot be in {len(names)} groups; name one for each"
        )
    by_group = pd.Series(values).groupby(names)
    return values, np.asarray(by_group.sum()), np.asarray(by_group.size(), np.float64)


def _tested(values: Floats, sums: Floats, sizes: Floats, interval: Interval) -> Tested:
    average, count = mean(values), len(sums)
    if count < 2:
        return tested(average, NO_INTERVAL, _NAN, count - 1)
    apart = sums - average * sizes
    error = float(np.sqrt(count / (count - 1) * (apart**2).sum()) / len(values))
    return tested(average, interval, 0.0 if constant(values) else error, count - 1)
