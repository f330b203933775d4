"""How well a reproduction agrees with what it reproduces, in the field's own measures.

Between two lists of means, one of which may be printed only: Kendall's tau of the rankings, the
effect ratio and delta relative improvement of an advanced run over a baseline. The definitions are
those of Breuer et al., "How to Measure the Reproducibility of System-oriented IR Experiments"
(SIGIR 2020).
What cannot be computed is NaN.
"""

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


def relative_improvement(baseline: float, advanced: float) -> float:
    """By which fraction of the baseline's mean the advanced run is above it."""
    return (advanced - baseline) / baseline if baseline else _NAN


def delta_relative_improvement(
    original: tuple[float, float], reproduced: tuple[float, float]
) -> float:
    """The original relative improvement less the reproduced one: 0 is perfect, below 0 the
    reproduced effect is the larger.

    Args:
        original: means of the baseline and of the advanced run.
        reproduced: the same, reproduced.
    """
    return relative_improvement(*original) - relative_improvement(*reproduced)


def effect_ratio(original: tuple[float, float], reproduced: tuple[float, float]) -> float:
    """The reproduced improvement over the original one: 1 is perfect, at most 0 is no effect."""
    before = original[1] - original[0]
    return (reproduced[1] - reproduced[0]) / before if before else _NAN


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
