"""One post cut many ways: what is kept, how large the parts are, where the cuts agree.

All of it from offsets kept by the study of one post, without its text. How far two segmentations
agree: Pk (Beeferman, Berger and Lafferty, 1999) and WindowDiff (Pevzner and Hearst, 2002) slide a
window over a reference and count where the other one differs in it; boundary similarity (Fournier,
2013) needs no reference and counts a boundary that is one unit off as half a mistake. A
segmentation is its inner boundaries, ascending: ``b`` lies before unit ``b``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd

Boundaries = Sequence[int]
Frames = Mapping[str, pd.DataFrame]
"""The tables of ``one-post`` by name."""


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
    by = study["chunks"].groupby("segmentation", sort=False)
    frame = pd.DataFrame(
        {
            "parts": by.size(),
            "mean tokens": by["tokens"].mean(),
            "tokens least": by["tokens"].min(),
            "tokens most": by["tokens"].max(),
            "mean characters": by["characters"].mean(),
            "below 16 tokens": by["tokens"].agg(lambda counts: int((counts < 16).sum())),
        }
    ).reset_index()
    drawn = np.where(frame["segmentation"].isin(study["texts"]["segmentation"]), "printed", "here")
    frame.insert(1, "drawn", drawn)
    return frame


def boundaries(chunks: pd.DataFrame, units: int) -> list[int]:
    """The words before which a part begins or behind which one ends, the post's ends left out: what
    a segmentation leaves out is a part of its own."""
    ends = {*chunks["first word"].tolist(), *chunks["after word"].tolist()}
    return sorted(ends - {0, units})


def agreement(study: Frames) -> pd.DataFrame:
    """Each printed segmentation as the reference for every other way to cut the post."""
    printed, units = list(study["texts"]["segmentation"]), len(study["words"])
    cuts = {
        str(name): boundaries(rows, units)
        for name, rows in study["chunks"].groupby("segmentation", sort=False)
    }
    rows = []
    for reference, other in permutations(cuts, 2):
        if reference in printed:
            ours, theirs = cuts[reference], cuts[other]
            rows.append(
                {
                    "reference": reference,
                    "segmentation": other,
                    "drawn": "printed" if other in printed else "here",
                    "cuts of the reference": len(ours),
                    "cuts": len(theirs),
                    "shared cuts": len({*ours} & {*theirs}),
                    "shared if placed at random": len(ours) * len(theirs) / (units - 1),
                    "boundary similarity": boundary_similarity(ours, theirs),
                    **window_measures(ours, theirs, units),
                }
            )
    return pd.DataFrame(rows)


def boundary_similarity(first: Boundaries, second: Boundaries) -> float:
    """1 less the share of boundaries that differ; two that are next to each other count half.

    Two segmentations without any boundary are the same.
    """
    matches, near = len({*first} & {*second}), 0
    alone = sorted({*first} ^ {*second})
    single = len(alone)
    before = None  # the last boundary of one segmentation that has no neighbour yet
    for boundary in alone:
        if before == boundary - 1 and (before in first) != (boundary in first):
            near, single, before = near + 1, single - 2, None
        else:
            before = boundary
    total = matches + near + single
    return 1 - (single + near / 2) / total if total else 1.0


def window_measures(reference: Boundaries, other: Boundaries, units: int) -> dict[str, float]:
    """WindowDiff and Pk as NLTK has them, and their window: half the mean length of the reference's
    segments, rounded, 2 at least."""
    from nltk import pk, windowdiff  # takes seconds

    window = max(2, round(units / (len(reference) + 1) / 2))
    marks = [np.isin(range(1, units), cuts).astype(int).tolist() for cuts in (reference, other)]
    return {
        "WindowDiff": windowdiff(*marks, window, boundary=1),
        "Pk": pk(*marks, window, boundary=1),
        "window": window,
    }
