"""How well two rankings agree: Kendall's tau of two lists of means, as Breuer et al. use it, "How
to Measure the Reproducibility of System-oriented IR Experiments" (SIGIR 2020)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

_NAN = float("nan")


def kendall(original: ArrayLike, reproduced: ArrayLike) -> float:
    """Kendall's tau-b of two lists of means, which counts ties; NaN for fewer than two systems or
    where one list is constant."""
    first, second = _paired(original, reproduced)
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return _NAN
    return float(stats.kendalltau(first, second, variant="b").statistic)


def _paired(
    original: ArrayLike, reproduced: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first = np.asarray(original, dtype=np.float64)
    second = np.asarray(reproduced, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(
            f"values of shapes {first.shape} and {second.shape} cannot be paired; give one list "
            "each, aligned by system or by topic"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a value is not finite; drop what has no counterpart first")
    return first, second
