"""Chroma's rows as numbers: the printed main table, and all-MiniLM-L6-v2's records beside it."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, paired, rank, shown
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published.sources import CHROMA_LENGTH

NO_FACTS = "facts of the collection: run its study, `chunkstudy study --list` names them"
MEASURES = ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5")
RECALL = "SpanRecall@5"
SHORT = {
    "SpanRecall@5": "recall",
    "SpanPrecision@5": "precision",
    "PrecisionOmega": "precision Ω",
    "SpanIoU@5": "IoU",
}
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
"""The rows of the MiniLM table (S0:396-405)."""


def main_table(evidence: Evidence) -> pd.DataFrame:
    """Printed means in percent (S0:22-36), chunker by measure."""
    cells = evidence.printed("chroma", "main", statistic="mean")
    cells = cells[cells["measure"].isin(MEASURES)]
    return cells.pivot(index="chunker", columns="measure", values="value")[list(MEASURES)]


def minilm_condition(chunker: str) -> Condition:
    """The record of a row of the MiniLM table, under the length function that prints its size."""
    length = CHROMA_LENGTH.get(("minilm", chunker.split("-")[0]), "")
    return Condition("chroma", chunker + length, MINILM, "pre_embedding", AS_PUBLISHED_CHROMA.name)


def minilm_scores(evidence: Evidence, measure: str) -> pd.DataFrame:
    """Per-query values in percent of the rows of the MiniLM table that have a record."""
    found = {
        chunker: 100 * values
        for chunker in MINILM_ROWS
        if (values := evidence.per_query(minilm_condition(chunker), measure)) is not None
    }
    return pd.DataFrame(found)


def differences(evidence: Evidence, one: str, other: str, measure: str) -> str:
    """The paired difference of two MiniLM rows, or nothing without both records."""
    scores = minilm_scores(evidence, measure)
    if one not in scores or other not in scores:
        return ""
    return shown(paired(scores[one], scores[other], scale=1))


def ranks(table: pd.DataFrame, *rows: str) -> str:
    """The ranks of rows on every measure, as text."""
    return "; ".join(
        f"ranks of {row}: "
        + ", ".join(f"{SHORT[m]} {rank(table[m], row)}" for m in MEASURES)
        + f" of {len(table)}"
        for row in rows
    )


def queries(evidence: Evidence) -> int:
    """Queries of the whole collection."""
    counts = evidence.tables["chroma_collection"]
    return int(counts.loc[counts["part"] == "all", "queries"].iloc[0])


def parts(evidence: Evidence) -> pd.DataFrame:
    """Counts of each corpus beside the published ones."""
    table = evidence.tables["chroma_collection"].set_index("part").drop("all")
    return table.astype({"published_tokens": int, "published_queries": int})


def whole(evidence: Evidence) -> pd.Series:
    """Counts of the whole collection."""
    table = evidence.tables["chroma_collection"]
    return table[table["part"] == "all"].iloc[0]
