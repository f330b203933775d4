"""How many queries a difference between two systems needs to be seen, by the formula of the paired
t-test, which takes differences to be normal."""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

POWER, LEVEL = 0.8, 0.05
"""How often a difference is seen, and the level of the test."""


def queries_needed(difference: float, std: float, level: float = LEVEL) -> float:
    """Queries after which a two-sided paired t-test sees a mean difference four times in five.

    Args:
        difference: the mean difference to be seen.
        std: sample standard deviation of the queries' differences, in the same unit.
        level: of the test.

    Returns:
        A whole number, at least 3; infinity for no difference, NaN if either is.
    """
    if np.isnan(difference) or np.isnan(std):
        return float("nan")
    if difference == 0:
        return float("inf")
    # From five deviations on three queries do.
    effect = min(abs(difference), 5 * std) / std if std else 5.0
    high = 4.0
    while power_of(high, effect, level) < POWER:
        high *= 2
    if power_of(2.0, effect, level) >= POWER:
        return 3.0
    n = optimize.brentq(lambda n: power_of(n, effect, level) - POWER, 2.0, high, xtol=1e-9)
    return max(3.0, float(np.ceil(n)))


def power_of(n: float, effect: float, level: float = LEVEL) -> float:
    """How often a two-sided paired t-test sees an effect (mean over standard deviation).

    A significant difference of the wrong sign, rare unless n is small, is not counted.
    """
    bound = stats.t.isf(level / 2, n - 1)
    return float(stats.nct.sf(bound, n - 1, effect * np.sqrt(n)))


def detectable(n: int, std: float, level: float = LEVEL) -> float:
    """The smallest mean difference that n queries show, in the unit of ``std``; NaN under two."""
    if n < 2 or np.isnan(std):
        return float("nan")
    high = 1.0
    while power_of(n, high, level) < POWER:
        high *= 2
    solved = optimize.brentq(lambda size: power_of(n, size, level) - POWER, 0.0, high, xtol=1e-13)
    return std * float(solved)
