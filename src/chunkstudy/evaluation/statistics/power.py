"""How many queries a difference between two systems needs to be seen.

Two ways: the formula of the paired t-test, which takes differences to be normal, and drawing
queries from those at hand, which takes them as they are. Both speak of queries like these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from chunkstudy.evaluation.statistics.intervals import Floats

POWER, LEVEL = 0.8, 0.05
_FEWEST = 2
_VALUES_AT_ONCE = 2_000_000


def queries_needed(
    difference: float, std: float, power: float = POWER, level: float = LEVEL
) -> float:
    """Queries after which a two-sided paired t-test sees a mean difference this often.

    Args:
        difference: the mean difference to be seen.
        std: sample standard deviation of the queries' differences, in the same unit.
        power: how often it is seen.
        level: of the test.

    Returns:
        A whole number, at least 3; infinity for no difference, NaN if either is.
    """
    if np.isnan(difference) or np.isnan(std):
        return float("nan")
    _refuse(std, power, level)
    if difference == 0:
        return float("inf")
    # From five deviations on three queries do.
    effect = min(abs(difference), 5 * std) / std if std else 5.0
    high = 4.0
    while power_of(high, effect, level) < power:
        high *= 2
    if power_of(2.0, effect, level) >= power:
        return 3.0
    n = optimize.brentq(lambda n: power_of(n, effect, level) - power, 2.0, high, xtol=1e-9)
    return max(3.0, float(np.ceil(n)))


def power_of(n: float, effect: float, level: float = LEVEL) -> float:
    """How often a two-sided paired t-test sees an effect (mean over standard deviation).

    A significant difference of the wrong sign, rare unless n is small, is not counted.
    """
    bound = stats.t.isf(level / 2, n - 1)
    return float(stats.nct.sf(bound, n - 1, effect * np.sqrt(n)))


def detectable(n: int, std: float, power: float = POWER, level: float = LEVEL) -> float:
    """The smallest mean difference that n queries show, in the unit of ``std``; NaN under two."""
    if n < _FEWEST or np.isnan(std):
        return float("nan")
    _refuse(std, power, level)
    high = 1.0
    while power_of(n, high, level) < power:
        high *= 2
    solved = optimize.brentq(lambda one: power_of(n, one, level) - power, 0.0, high, xtol=1e-13)
    return std * float(solved)


def share_seen(
    differences: ArrayLike,
    sizes: Sequence[int],
    resamples: int = 2000,
) -> Floats:
    """Of samples of n queries, the share in which the difference is significant with its own sign.

    Args:
        differences: shape (queries,), system a minus system b; queries are drawn with
            replacement, and the sign sought is that of their mean.
        sizes: numbers of queries to draw, each at least 2.

    Returns:
        Shape (sizes,), fractions; 0 where there is no difference at all.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < _FEWEST or not np.isfinite(values).all():
        raise ValueError("differences must be finite numbers, one for each of two queries or more")
    if min(sizes, default=_FEWEST) < _FEWEST:
        raise ValueError(f"a sample must hold at least {_FEWEST} queries, not {min(sizes)}")
    sign = np.sign(values.mean())
    generator = np.random.default_rng(0)
    found = []
    for n in sizes:
        part = max(1, _VALUES_AT_ONCE // n)
        seen = 0
        for first in range(0, resamples, part):
            drawn = values[generator.integers(0, len(values), (min(part, resamples - first), n))]
            error = drawn.std(axis=1, ddof=1) / np.sqrt(n)
            bound = stats.t.ppf(1 - LEVEL / 2, n - 1) * error
            seen += int((sign * drawn.mean(axis=1) > bound).sum())
        found.append(seen / resamples)
    return np.array(found)


def _refuse(std: float, power: float, level: float) -> None:
    if std < 0 or not 0 < level < power < 1:
        raise ValueError(
            f"std must not be negative, and level ({level}) below power ({power}), both fractions"
        )
