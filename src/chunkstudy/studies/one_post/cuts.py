"""One post cut many ways: what is kept and how large the parts are, from offsets that the study of
one post kept, without its text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def texts(rows: pd.DataFrame) -> pd.DataFrame:
    """What each printed segmentation keeps of the post, characters without white space."""
    share = rows["characters kept"] / rows["characters of the post"]
    table = rows.rename(columns={"words of the longest": "words of the longest passage"})
    return table.assign(**{"share kept": share})[
        ["segmentation", "chunks stated", "chunks found", "words kept", "share kept",
         "characters lost", "characters added", "words glued together", "passages left out",
         "words of the longest passage"]
    ]  # fmt: skip


def sizes(study: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Characters and OpenAI's tokens (cl100k) of the parts, from the tables of ``one-post``."""
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
    printed = frame["segmentation"].isin(study["texts"]["segmentation"])
    frame.insert(1, "drawn", printed.map({True: "printed", False: "here"}))
    return frame
