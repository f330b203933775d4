"""Linear regression over rows that come in groups, by leaving out one group at a time.

What the coefficients do as each group is left out gives standard errors that hold however the rows
of a group depend on each other: the cluster jackknife, CV3 in MacKinnon, Nielsen and Webb, "Fast
and reliable jackknife and bootstrap methods for cluster-robust inference" (2023), who find it with
t of groups - 1 degrees of freedom the most reliable of the simple ones where groups are few or of
unequal sizes. The same regressions predict the rows of the group that they have not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from chunkstudy.evaluation.statistics.intervals import LEVEL, Floats, two_sided

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
        reach = special.stdtrit(max(self.groups - 1, 1), (1 + level) / 2) * self.errors
        return np.stack([self.coefficients - reach, self.coefficients + reach], axis=1)

    @property
    def p(self) -> Floats:
        """(columns,), two-sided, of each coefficient being 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.coefficients / self.errors
        return two_sided(t, max(self.groups - 1, 1))


def fit(columns: ArrayLike, values: ArrayLike, groups: ArrayLike) -> GroupedFit:
    """Regress values on columns, to which nothing is added, a constant neither.

    Args:
        columns: (rows, columns).
        values: (rows,).
        groups: the name of each row's group.

    Raises:
        ValueError: if a number is missing, or columns, values and groups are not equally many.
    """
    x, y, names = np.asarray(columns, float), np.asarray(values, float), np.asarray(groups)
    if x.ndim != 2 or not len(x) == len(y) == len(names):
        raise ValueError(f"{x.shape} columns, {len(y)} values, {len(names)} groups do not fit")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a number is not finite; leave out what was not measured first")
    order = np.argsort(names, kind="stable")
    first = np.unique(names[order], return_index=True)[1]
    parts = list(zip(*(np.split(one[order], first[1:]) for one in (x, y)), strict=True))
    squares = np.stack([part.T @ part for part, _ in parts])
    products = np.stack([part.T @ of for part, of in parts])
    whole = _inverse(squares.sum(axis=0)) @ products.sum(axis=0)
    rest = squares.sum(axis=0) - squares, products.sum(axis=0) - products
    without = (_inverse(rest[0]) @ rest[1][..., None])[..., 0]
    count = len(first)
    predicted = np.empty(len(y))
    each = np.repeat(without, np.diff(first, append=len(y)), axis=0)
    predicted[order] = (x[order] * each).sum(axis=1)
    spread = (count - 1) / count * ((without - whole) ** 2).sum(axis=0)
    errors = np.sqrt(spread) if count > 1 else np.full(len(whole), np.nan)
    return GroupedFit(whole, errors, predicted, count)


def _inverse(squares: Floats) -> Floats:
    """Of one matrix of sums of squares or of several: with it coefficients are the shortest among
    the best, 0 of a column that nothing is known of."""
    return np.asarray(np.linalg.pinv(squares, rcond=_SMALLEST, hermitian=True), dtype=np.float64)
