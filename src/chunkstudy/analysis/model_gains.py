"""Measures by which models are compared, and a question's mean over chunkers."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

DCG, RECALL = "DCG@10", "SpanRecall@5"


def mean(columns: Iterable[pd.Series]) -> pd.Series:
    """Each question's mean."""
    return pd.concat(list(columns), axis=1).mean(axis=1)
