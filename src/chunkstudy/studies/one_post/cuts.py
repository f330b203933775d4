"""One post cut many ways: what is kept, how large the parts are, where the cuts agree.

All of it from offsets kept by the study of one post, without its text.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.studies.one_post.boundary_agreement import (
    boundary_similarity,
    pk,
    window_diff,
    window_size,
)

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
                    "boundary similarity": boundary_similarity(ours, found, units),
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
