"""Jina's printed rows as numbers, and what all-MiniLM-L6-v2's records show beside them."""

from __future__ import annotations

import pandas as pd

from chunkstudy.claims.evidence import Evidence, numbers

PROTOCOL = "as_published-jina"
MODELS = ("jina-embeddings-v2-small-en", "nomic-embed-text-v1", "jina-embeddings-v3")
"""From weakest to strongest (S4:17-18)."""


def beir(evidence: Evidence) -> pd.DataFrame:
    """S1:250-262: nDCG@10 in percent (naive, late, none) and characters, by collection."""
    cells = evidence.printed("jina", "beir")
    name = cells["ordering"].map({"pre_embedding": "naive", "contextualized": "late"})
    name = name.where(cells["chunker"] != "none", "none")
    name = name.where(cells["measure"] != "characters", "characters")
    return cells.assign(name=name).pivot(index="collection", columns="name", values="value")


def combinations(evidence: Evidence) -> pd.DataFrame:
    """S4:21-38: a row per encoder, chunker and collection with naive and late, in percent."""
    cells = evidence.printed("jina", "combinations")
    wide = cells.pivot(
        index=["encoder", "chunker", "collection"], columns="ordering", values="value"
    ).reset_index()
    wide = wide.rename(columns={"pre_embedding": "naive", "contextualized": "late"})
    return wide.assign(encoder=wide["encoder"].str.split("/").str[1])


def late_gains_of_minilm(evidence: Evidence, protocol: str = PROTOCOL) -> str:
    """Contextualized minus plain, in points with intervals, of the records in corpora."""
    table = evidence.tables["late_chunking_gains"]
    if table.empty:
        return ""
    table = numbers(table, "difference", "low", "high")
    table = table[
        (table["measure"] == "nDCG@10")
        & (table["protocol"] == protocol)
        & ~table["collection"].str.startswith("builtin")
        & ~table["chunker"].str.contains("none|merged|dropped")
    ]
    return ", ".join(
        f"{row['collection']} {row['chunker']} {row['difference']:+.2f} "
        f"[{row['low']:.2f}, {row['high']:.2f}]"
        for _, row in table.iterrows()
    )
