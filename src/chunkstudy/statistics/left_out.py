"""Linear regression over rows that come in groups, by leaving out one group at a time.

What the coefficients do as each group is left out gives standard errors that hold however the rows
of a group depend on each other: the cluster jackknife, CV3 in MacKinnon, Nielsen and Webb, "Fast
and reliable jackknife and bootstrap methods for cluster-robust inference" (2023), who find it with
t of groups - 1 degrees of freedom the most reliable of the simple ones where groups are few or of
unequal sizes. The same regressions predict the rows of the group that they have not seen.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from chunkstudy.statistics.intervals import LEVEL, Floats

_SMALLEST = 1e-10
"""Of the largest eigenvalue: below it a column says nothing that others do not."""


@dataclass(frozen=True)
class GroupedFit:
    """A regression by least squares.

    Attributes:
        coefficients: (columns,).
        errors: (columns,), their standard errors by the jackknife over groups; NaN for fewer than
            two groups.
        predicted: (rows,), each by the regression on all other groups.
        groups: how many there are.
    """

    coefficients: Floats
    errors: Floats
    predicted: Floats
    groups: int

    def intervals(self, level: float = LEVEL) -> Floats:
        """(columns, 2)."""
        reach = stats.t.ppf((1 + level) / 2, max(self.groups - 1, 1)) * self.errors
        return np.stack([self.coefficients - reach, self.coefficients + reach], axis=1)

    @property
    def p(self) -> Floats:
        """(columns,), two-sided, of each coefficient being 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(self.coefficients) / self.errors
        found: Floats = 2 * stats.t.sf(t, max(self.groups - 1, 1))
        return found


def fit(columns: ArrayLike, values: ArrayLike, groups: ArrayLike) -> GroupedFit:
    """Regress values on columns; nothing is added to these, a constant neither.

    Args:
        columns: (rows, columns).
        values: (rows,).
        groups: the name of each row's group.

    Raises:
        ValueError: if a number is missing, or rows, values and groups are not equally many.
    """
    x, y, names = np.asarray(columns, float), np.asarray(values, float), np.asarray(groups)
    if x.ndim != 2 or not len(x) == len(y) == len(names):
        raise ValueError(f"{x.shape} columns, {len(y)} values and {len(names)} groups do not fit")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a number is not finite; leave out what was not measured first")
    order = np.argsort(names, kind="stable")
    x_sorted, y_sorted = x[order], y[order]
    first = np.unique(names[order], return_index=True)[1]
    limits = np.append(first, len(x))
    count = len(first)
    products = [
        (x_sorted[a:b].T @ x_sorted[a:b], x_sorted[a:b].T @ y_sorted[a:b])
        for a, b in itertools.pairwise(limits)
    ]
    squares = np.sum([one for one, _ in products], axis=0)
    with_values = np.sum([one for _, one in products], axis=0)
    whole = _solve(squares, with_values)
    without = np.stack([_solve(squares - s, with_values - v) for s, v in products])
    sizes = np.diff(limits)
    predicted = np.empty(len(y))
    predicted[order] = (x_sorted * np.repeat(without, sizes, axis=0)).sum(axis=1)
    spread = (count - 1) / count * ((without - whole) ** 2).sum(axis=0)
    errors = np.sqrt(spread) if count > 1 else np.full(len(whole), np.nan)
    return GroupedFit(whole, errors, predicted, count)


def _solve(squares: NDArray[np.float64], with_values: NDArray[np.float64]) -> Floats:
    """The shortest coefficients among the best: 0 of a column that nothing is known of."""
    inverse = np.linalg.pinv(squares, rcond=_SMALLEST, hermitian=True)
    found: Floats = inverse @ with_values
    return found
