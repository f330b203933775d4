"""The published rows of chunkers that ask a language model, and what those wait for that have no
record."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published import requirements

TABLES = {("chroma", "main"), ("chroma", "appendix")} | {("taxonomy", one) for one in "135"}
ASKING = ("llm", "lumberchunker", "proposition")
WAITS = "not_run"


def cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """The cells of ``results/comparison.csv`` that take a language model's boundaries."""
    found = comparison.astype({"table": str})
    tables = pd.MultiIndex.from_frame(found[["work", "table"]])
    return found[found["chunker"].isin(ASKING) & tables.isin(TABLES)].reset_index(drop=True)


def lacking(found: pd.DataFrame) -> pd.DataFrame:
    """What the cells wait for, and how many wait for each; one cell may wait for several."""
    waiting = found.loc[found["verdict"] == WAITS, "needs"].dropna()
    return (
        waiting.map(requirements.split)
        .explode()
        .value_counts()
        .rename_axis("needs")
        .rename("cells")
        .reset_index()
        .sort_values(["cells", "needs"], ascending=[False, True], ignore_index=True)
    )


def published(found: pd.DataFrame, priced: pd.DataFrame) -> pd.DataFrame:
    """A row per table and method: cells, how many have a record, and what asking for the
    boundaries of the table's collections would take (:func:`.cost.prices`)."""
    rows = []
    for (work, table, chunker), part in found.groupby(["work", "table", "chunker"], sort=False):
        mine = (priced["chunker"] == chunker) & priced["collection"].isin(part["collection"])
        asked = priced[mine]
        rows.append(
            {
                "work": work,
                "table": table,
                "chunker": chunker,
                "cells": len(part),
                "run": int((part["verdict"] != WAITS).sum()),
                "language model": ", ".join(dict.fromkeys(asked["language model"])),
                "requests": float(asked["requests"].sum()),
                "US dollars": float(asked["US dollars"].sum()),
            }
        )
    return pd.DataFrame(rows)
