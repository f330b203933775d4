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


class Design:
    """Columns and groups to regress any values on: what does not hang on these is computed once.
    Nothing is added to the columns, a constant neither.

    Args:
        columns: (rows, columns).
        groups: the name of each row's group.

    Raises:
        ValueError: if a number is missing, or rows and groups are not equally many.
    """

    def __init__(self, columns: ArrayLike, groups: ArrayLike) -> None:
        x, names = np.asarray(columns, float), np.asarray(groups)
        if x.ndim != 2 or len(x) != len(names):
            raise ValueError(f"{x.shape} columns and {len(names)} groups do not fit")
        self._order = np.argsort(names, kind="stable")
        self._first = np.unique(names[self._order], return_index=True)[1]
        self._x = _finite(x)[self._order]
        squares = np.stack([part.T @ part for part in self._parts(self._x)])
        whole = squares.sum(axis=0)
        self._whole, self._without = _inverse(whole), _inverse(whole - squares)

    def fit(self, values: ArrayLike) -> GroupedFit:
        """Regress values, (rows,).

        Raises:
            ValueError: if one is missing, or they are not as many as rows.
        """
        y = np.asarray(values, float)
        if y.shape != self._order.shape:
            raise ValueError(f"{len(y)} values and {len(self._order)} rows do not fit")
        parts = zip(self._parts(self._x), self._parts(_finite(y)[self._order]), strict=True)
        products = np.stack([x.T @ of for x, of in parts])
        total = products.sum(axis=0)
        whole = self._whole @ total
        without = (self._without @ (total - products)[..., None])[..., 0]
        count = len(self._first)
        predicted = np.empty(len(y))
        sizes = np.diff(self._first, append=len(y))
        predicted[self._order] = (self._x * np.repeat(without, sizes, axis=0)).sum(axis=1)
        spread = (count - 1) / count * ((without - whole) ** 2).sum(axis=0)
        errors = np.sqrt(spread) if count > 1 else np.full(len(whole), np.nan)
        return GroupedFit(whole, errors, predicted, count)

    def _parts(self, rows: Floats) -> list[Floats]:
        """Rows in the order of their groups, group by group."""
        return np.split(rows, self._first[1:])


def _finite(numbers: Floats) -> Floats:
    if not np.isfinite(numbers).all():
        raise ValueError("a number is not finite; leave out what was not measured first")
    return numbers


def _inverse(squares: Floats) -> Floats:
    """Of one matrix of sums of squares or of several: with it coefficients are the shortest among
    the best, 0 of a column that nothing is known of."""
    return np.asarray(np.linalg.pinv(squares, rcond=_SMALLEST, hermitian=True), dtype=np.float64)
