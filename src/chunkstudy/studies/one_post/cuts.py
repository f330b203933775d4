"""One post cut many ways: what is kept, how large the parts are, where the cuts agree.

All of it from offsets kept by the study of one post, without its text. How far two segmentations
agree is told as the library ``segeval`` does, whose windows end at 255 units because it compares
numbers by identity: Pk (Beeferman, Berger and Lafferty, 1999) and WindowDiff (Pevzner and Hearst,
2002) slide a window over a reference and count where the other one differs in it; boundary
similarity (Fournier, 2013) needs no reference and counts a boundary that is one unit off as half a
mistake. A segmentation is its inner boundaries, ascending: ``b`` lies before unit ``b``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Boundaries = Sequence[int]


def window_size(boundaries: Boundaries, units: int) -> int:
    """Half the mean length of the reference's segments, rounded, 2 at least."""
    return max(2, round(units / (len(boundaries) + 1) / 2))


def pk(reference: Boundaries, other: Boundaries, units: int) -> float:
    """The share of windows whose two ends are in one segment by the one and not by the other."""
    return _differing(reference, other, units, lambda inside: inside > 0)


def window_diff(reference: Boundaries, other: Boundaries, units: int) -> float:
    """The share of windows that hold another number of boundaries."""
    return _differing(reference, other, units, lambda inside: inside)


def boundary_similarity(first: Boundaries, second: Boundaries) -> float:
    """1 less the share of boundaries that differ; two that are next to each other count half.

    Two segmentations without any boundary are the same.
    """
    ours, theirs = ({*one} for one in (first, second))
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
        return 0.0 if [*reference] == [*other] else 1.0
    inside = []
    for one in (reference, other):
        begins = np.zeros(units, dtype=np.int64)
        begins[list(one)] = 1
        segment = np.cumsum(begins)
        inside.append(segment[size:] - segment[:-size])
    return float(np.mean(np.asarray(seen(inside[0])) != np.asarray(seen(inside[1]))))


Frames = Mapping[str, pd.DataFrame]


def texts(rows: pd.DataFrame) -> pd.DataFrame:
    """What each printed segmentation keeps of the post, characters without white space."""
    share = rows["characters kept"] / rows["characters of the post"]
    named = rows.rename(columns={"words of the longest": "words of the longest passage"})
    return named.assign(**{"share kept": share})[
        ["segmentation", "chunks stated", "chunks found", "words kept", "share kept",
         "characters lost", "characters added", "words glued together", "passages left out",
         "words of the longest passage"]
    ]  # fmt: skip


def sizes(study: Frames) -> pd.DataFrame:
    """Characters and tokens of the parts; tokens are OpenAI's (cl100k)."""
    printed = list(study["texts"]["segmentation"])
    by = study["chunks"].groupby("segmentation", sort=False)
    found = pd.DataFrame(
        {
            "parts": by.size(),
            "mean tokens": by["tokens"].mean(),
            "tokens least": by["tokens"].min(),
            "tokens most": by["tokens"].max(),
            "mean characters": by["characters"].mean(),
            "below 16 tokens": by["tokens"].agg(lambda counts: int((counts < 16).sum())),
        }
    ).reset_index()
    found.insert(1, "drawn", ["printed" if n in printed else "here" for n in found["segmentation"]])
    return found


def boundaries(chunks: pd.DataFrame, units: int) -> list[int]:
    """The words before which a part begins or behind which one ends, the post's ends left out: what
    a segmentation leaves out is a part of its own."""
    ends = {*chunks["first word"].tolist(), *chunks["after word"].tolist()}
    return sorted(ends - {0, units})


def agreement(study: Frames) -> pd.DataFrame:
    """Each printed segmentation as the reference for every other way to cut the post.

    Args:
        study: the tables of ``one-post`` by name.
    """
    printed, units = list(study["texts"]["segmentation"]), len(study["words"])
    cuts = {
        str(name): boundaries(rows, units)
        for name, rows in study["chunks"].groupby("segmentation", sort=False)
    }
    rows = []
    for reference in printed:
        for other, found in cuts.items():
            if other == reference:
                continue
            ours = cuts[reference]
            shared = len({*ours} & {*found})
            rows.append(
                {
                    "reference": reference,
                    "segmentation": other,
                    "drawn": "printed" if other in printed else "here",
                    "cuts of the reference": len(ours),
                    "cuts": len(found),
                    "shared cuts": shared,
                    "shared if placed at random": len(ours) * len(found) / (units - 1),
                    "boundary similarity": boundary_similarity(ours, found),
                    "WindowDiff": window_diff(ours, found, units),
                    "Pk": pk(ours, found, units),
                    "window": window_size(ours, units),
                }
            )
    return pd.DataFrame(rows)


def parts(study: Frames) -> pd.DataFrame:
    """For the figure: parts of the post by segmentation, those left out marked."""
    kept = study["chunks"][["segmentation", "first word", "after word"]].assign(left_out=False)
    lost = study["left_out"].assign(left_out=True)
    found = pd.concat([kept, lost], ignore_index=True)
    return found.assign(words=len(study["words"]))
