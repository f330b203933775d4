"""What the overview needs beyond a cell: published cells by verdict."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published import sources
from chunkstudy.published.verdicts import VERDICTS

SCORES = "exact scores of retrieval"
COVERAGE = {"run": "run", "exact": "exact", "scores": SCORES, "spread": "within_stack",
            "off": "deviates", "lacking": "not_run"}  # fmt: skip
"""What the paper says of all published cells, by its name there."""
SHORTER = {
    **sources.SHORTER,
    "table of all-MiniLM-L6-v2": "MiniLM table", "five collections": "first post",
    "three sentences on Berlin": "first post, Berlin", "72 combinations": "second post",
    "figure 2, ": "Figure 2, ", "LEMBQMSumRetrieval": "QMSum",
}  # fmt: skip


def verdicts(comparison: pd.DataFrame) -> pd.DataFrame:
    """Verdicts by work, table and encoder, beside how many cells there are and were run, and how
    many of the exact ones are scores of retrieval; the last row counts all."""
    counts = (
        comparison.groupby(["work", "table", "encoder", "verdict"])
        .size()
        .unstack("verdict", fill_value=0)
        .reindex(columns=list(VERDICTS), fill_value=0)
    )
    cells = counts.sum(axis=1)
    scores = comparison["of_retrieval"] & (comparison["verdict"] == "exact")
    scores = scores.groupby([comparison[name] for name in counts.index.names]).sum()
    counts.insert(1, SCORES, scores)
    counts.insert(0, "cells", cells)
    counts.insert(1, "run", cells - counts["not_run"])
    every = pd.DataFrame([counts.sum()]).assign(work="all", table="", encoder="")
    return pd.concat([counts.reset_index(), every], ignore_index=True)[
        ["work", "table", "encoder", *counts.columns]
    ].rename_axis(columns=None)
