"""Chroma's token windows with all-MiniLM-L6-v2: at the sizes that their rows state, and at those
that give the published numbers."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.sources import TOKEN_WINDOWS
from chunkstudy.studies.chroma.tables import EXACT

OMEGA = "PrecisionOmega"


def as_rows(summary: pd.DataFrame) -> pd.DataFrame:
    """Windows of the stated sizes, to be set beside the published rows that state them: these are
    known by the windows that give their numbers."""
    stated = summary[summary["chunker"].isin(TOKEN_WINDOWS)]
    return stated.assign(chunker=stated["chunker"].map(TOKEN_WINDOWS))


def agreement(stated: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """By row: how many published numbers of Precision Omega and of retrieval are exact at the
    stated size and at the one found.

    Args:
        stated: windows of the stated sizes beside the published rows (``Study.beside``).
        found: those of the sizes found.
    """
    rows = []
    for at, frame in (("as stated", stated), ("as found", found)):
        judged = frame[frame["verdict"] != ""]
        for row, own in judged.groupby("chunker", sort=False):
            if row not in TOKEN_WINDOWS.values():
                continue
            omega, exact = own["measure"] == OMEGA, own["verdict"] == EXACT
            searched = own["stack_low"].notna()
            rows.append(
                {
                    "chunker": own["run"].iloc[0].split("/")[1],
                    "windows": at,
                    "of precision omega": int(omega.sum()),
                    "exact of these": int((omega & exact).sum()),
                    "of retrieval": int(searched.sum()),
                    "exact of retrieval": int((searched & exact).sum()),
                }
            )
    return pd.DataFrame(rows)
