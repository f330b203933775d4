"""Outliers, as a correlation leaves them out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkstudy.evaluation.statistics.intervals import checked


def inside_fences(values: ArrayLike) -> NDArray[np.bool_]:
    """Which values lie within one and a half interquartile ranges of the quartiles."""
    array = checked(values)
    if not len(array):
        return np.zeros(0, dtype=np.bool_)
    low, high = np.quantile(array, [0.25, 0.75])
    fence = 1.5 * (high - low)
    inside: NDArray[np.bool_] = (array >= low - fence) & (array <= high + fence)
    return inside
