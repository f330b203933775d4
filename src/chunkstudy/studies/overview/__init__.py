"""What the overview needs beyond a cell: published cells by verdict."""

from __future__ import annotations

from fnmatch import fnmatch

import pandas as pd

from chunkstudy.published import sources
from chunkstudy.published.verdicts import VERDICTS
from chunkstudy.study.study import Study

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


def paper_table(study: Study, verdicts: pd.DataFrame) -> None:
    """The paper's table of published cells: the same by published table, without the row of all."""
    rows = verdicts[verdicts["work"] != "all"]
    counts = ["cells", "run", "exact", SCORES, "within_stack", "deviates"]
    heads = {"work": "work", "table": "table", "cells": "cells", "run": "run", "exact": "exact",
             SCORES: "scores", "within_stack": "spread", "deviates": "off"}  # fmt: skip
    study.paper_table(
        "published", rows.groupby(["work", "table"], sort=False)[counts].sum().reset_index(), heads,
        "Published cells by table: how many there are, how many were run here, and how these "
        "agree. Exact: every published digit. Of these, scores: of retrieval, which a model and "
        "its search move, as they move no chunk size and no precision omega. Spread: not the "
        "published digits, but inside what the published search gives when it is run 20 times.",
        once="work", shorter=SHORTER,
    )  # fmt: skip


def run_elsewhere(comparison: pd.DataFrame) -> pd.Series:
    """How many cells of other works than Chroma's were run: ``lengths`` of documents, ``mteb``'s
    and ``others``."""
    judged = comparison[(comparison["work"] != "chroma") & (comparison["verdict"] != "not_run")]
    lengths = int((judged["measure"] == "characters").sum())
    mteb = int((judged["work"] == "mteb").sum())
    return pd.Series({"lengths": lengths, "mteb": mteb, "others": len(judged) - lengths - mteb})


def of_pages(answers: pd.DataFrame, pattern: str) -> pd.DataFrame:
    """The answers of the pages that a pattern names, as in ``late_*``."""
    return answers[answers["page"].map(lambda page: fnmatch(page, pattern))]
