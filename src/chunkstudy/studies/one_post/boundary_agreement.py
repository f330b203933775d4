"""How far two segmentations of one text agree on where it is cut.

Pk (Beeferman, Berger and Lafferty, 1999) and WindowDiff (Pevzner and Hearst, 2002) slide a window
over a reference and count where the other one differs in it; boundary similarity (Fournier, 2013)
needs no reference and counts a boundary that is one unit off as half a mistake. As the library
``segeval`` has them, whose windows end at 255 units because it compares numbers by identity.

A segmentation is its inner boundaries, ascending: ``b`` lies before unit ``b`` of ``units`` many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Boundaries = Sequence[int]


def window_size(boundaries: Boundaries, units: int) -> int:
    """Half the mean length of the reference's segments, rounded, 2 at least."""
    return max(2, round(units / (len(boundaries) + 1) / 2))


def pk(reference: Boundaries, other: Boundaries, units: int) -> float:
    """The share of windows whose two ends are in one segment by the one and not by the other.

    Raises:
        ValueError: if a boundary lies outside the text.
    """
    return _differing(reference, other, units, lambda inside: inside > 0)


def window_diff(reference: Boundaries, other: Boundaries, units: int) -> float:
    """The share of windows that hold another number of boundaries."""
    return _differing(reference, other, units, lambda inside: inside)


def boundary_similarity(first: Boundaries, second: Boundaries, units: int) -> float:
    """1 less the share of boundaries that differ; two that are next to each other count half.

    Two segmentations without any boundary are the same.
    """
    ours, theirs = (set(_checked(one, units).tolist()) for one in (first, second))
    matches = len(ours & theirs)
    alone, near = sorted(ours ^ theirs), 0
    at = 0
    while at < len(alone):
        pair = alone[at : at + 2]
        adjacent = len(pair) == 2 and pair[1] - pair[0] == 1
        if adjacent and (pair[0] in ours) != (pair[1] in ours):
            near += 1
            at += 2
        else:
            at += 1
    single = len(alone) - 2 * near
    total = matches + near + single
    return 1 - (single + near / 2) / total if total else 1.0


def _differing(
    reference: Boundaries,
    other: Boundaries,
    units: int,
    seen: Callable[[NDArray[np.int64]], ArrayLike],
) -> float:
    size = window_size(reference, units)
    if units <= size:
        return (
            0.0 if _checked(reference, units).tolist() == _checked(other, units).tolist() else 1.0
        )
    inside = []
    for one in (reference, other):
        begins = np.zeros(units, dtype=np.int64)
        begins[_checked(one, units)] = 1
        segment = np.cumsum(begins)
        inside.append(segment[size:] - segment[:-size])
    return float(np.mean(np.asarray(seen(inside[0])) != np.asarray(seen(inside[1]))))


def _checked(boundaries: Boundaries, units: int) -> NDArray[np.int64]:
    found = np.asarray(boundaries, dtype=np.int64)
    if len(found) and (found.min() < 1 or found.max() >= units or (np.diff(found) <= 0).any()):
        raise ValueError(
            f"boundaries must ascend and lie within 1 and {units - 1}, between two of {units} units"
        )
    return found
