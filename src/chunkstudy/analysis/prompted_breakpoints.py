"""What came of a small model's replies to the prompts for structure, topic and summaries."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.studies.prompted_breakpoints import OUTCOMES, USED


def tables(study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """``prompted_breakpoints``: a row per collection and prompt, the replies, how many came to
    what, and the boundaries that used ones draw; empty where the study was not run.

    Args:
        study: the tables of ``prompted-breakpoints`` by name.
    """
    if not study:
        return {"prompted_breakpoints": pd.DataFrame()}
    replies = study["replies"]
    drawn = (replies["segments"] - 1).where(replies["outcome"] == USED, 0)
    by = replies.assign(drawn=drawn).groupby(["collection", "prompt"], sort=False)
    found = by["outcome"].value_counts().unstack(fill_value=0)
    found = found.reindex(columns=list(OUTCOMES), fill_value=0).rename_axis(columns=None)
    found.insert(0, "replies", by.size())
    found["boundaries drawn"] = by["drawn"].sum()
    return {"prompted_breakpoints": found.reset_index()}
