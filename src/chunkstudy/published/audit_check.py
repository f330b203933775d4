"""What a check of a sentence against published tables is; goes with `audit_text`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy.published.consistency import (
    AVERAGE,
    DATASETS,
    IN_CORPUS,
    SLACK,
    SMALL,
    of,
    stacked,
)
from chunkstudy.published.consistency import Tables as Printed

__all__ = ["AVERAGE", "DATASETS", "IN_CORPUS", "SLACK", "SMALL", "STRUCTURE", "Check", "Printed"]
__all__ += ["named", "of", "ranged", "stacked", "statement"]

STRUCTURE = ["paragraph", "sentence-5", "fixed-256"]


@dataclass(frozen=True)
class Check:
    """One check and its outcome; expected and found are those of the worst cell, or of all."""

    check: str
    where: str
    expected: str
    found: str
    deviation: float
    unit: str
    cells: int
    off: int

    @property
    def verdict(self) -> str:
        """``holds``, ``holds in part`` or ``does not hold``."""
        if not self.off:
            return "holds"
        return "holds in part" if self.off < self.cells else "does not hold"


def named(key: object) -> str:
    """A cell's key in words, models by the last part of their id."""
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join(str(part).rsplit("/", 1)[-1] for part in parts)


def statement(check: str, where: str, said: str, found: str, right: Iterable[object]) -> Check:
    """A sentence that each cell bears out or does not."""
    each = [bool(one) for one in right]
    return Check(check, where, said, found, np.nan, "cells", len(each), each.count(False))


def ranged(
    check: str, where: str, low: float, high: float, found: pd.Series, digits: int, unit: str
) -> Check:
    """A stated range against every cell it speaks of, rounded to the digits stated."""
    rounded = found.round(digits)
    outside = (rounded < low - SLACK) | (rounded > high + SLACK)
    ends = max(abs(found.min() - low), abs(found.max() - high))
    shown = f"{found.min():.{digits + 1}f} to {found.max():.{digits + 1}f}"
    said = f"{low:.{digits}f} to {high:.{digits}f}"
    return Check(check, where, said, shown, float(ends), unit, len(found), int(outside.sum()))
