"""Chroma's chunkers by two models: one beside the other, and whether their order holds."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from chunkstudy.evaluation.statistics.differences import NOT_SHOWN
from chunkstudy.show.scores import Scores

MINILM_ROWS = (
    "recursive-250-125",
    "token-250-125",
    "recursive-250-0",
    "token-250-0",
    "recursive-200-0",
    "token-200-0",
    "cluster-250",
    "cluster-200",
)
"""The rows of the report's table with all-MiniLM-L6-v2."""
CHUNKERS = (*MINILM_ROWS, "kamradt", "kamradt-modified-300")
"""Those of the table of all-MiniLM-L6-v2 at the sizes that it states, and Kamradt's two."""
MEASURES = ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5")
PAIR = ["measure", "chunker", "other chunker"]
RESULT = ["difference", "low", "high", "shown"]


def one_by_one(first: Scores, second: Scores, measures: tuple[str, ...]) -> pd.DataFrame:
    """Each chunker by the second model minus by the first; corrected within a measure."""
    return pd.concat([second.against(first, one) for one in measures], ignore_index=True)


def order(first: Scores, second: Scores, measures: tuple[str, ...]) -> pd.DataFrame:
    """Every two chunkers, their difference by both models, and whether what the first shows
    ``held``: ``open`` where one of them shows nothing. Corrected within a model and measure."""
    pairs = list(combinations(first.runs, 2))
    own, other = (
        pd.concat([model.compare(pairs, one) for one in measures], ignore_index=True)
        for model in (first, second)
    )
    renamed = other[[*PAIR, *RESULT]].rename(columns={one: f"second model {one}" for one in RESULT})
    both = own.merge(renamed, on=PAIR, validate="1:1")
    told = zip(both["shown"], both["second model shown"], strict=True)
    held = ["open" if NOT_SHOWN in one else "yes" if len({*one}) == 1 else "no" for one in told]
    return both.assign(held=held)
