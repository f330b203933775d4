"""The taxonomy's printed cells by encoder and method."""

from __future__ import annotations

import pandas as pd

from chunkstudy.published.consistency import IN_CORPUS

__all__ = [
    "GUIDED",
    "IN_CORPUS",
    "METHODS",
    "SPOILT",
    "STRUCTURE",
    "by_encoder",
    "of_method",
    "short",
]

METHODS = ("paragraph", "sentence-5", "fixed-256", "semantic", "lumberchunker", "proposition")
STRUCTURE, GUIDED = METHODS[:3], METHODS[3:]
SPOILT = ("fiqa", "trec-covid")
"""Collections with empty documents (PROTOCOLS B.4.1)."""


def by_encoder(cells: pd.DataFrame, table: str) -> pd.DataFrame:
    """Encoder and method by collection, the average rows left out."""
    found = cells[(cells["table"] == table) & cells["chunker"].isin(METHODS)]
    wide = found.pivot(index=["encoder", "chunker"], columns="collection", values="value")
    return wide.sort_index()


def of_method(wide: pd.DataFrame, name: str) -> pd.DataFrame:
    """A method's rows by encoder."""
    return wide[wide.index.get_level_values("chunker") == name].droplevel("chunker")


def short(encoder: object) -> str:
    """A hub id without its owner."""
    return str(encoder).rsplit("/", maxsplit=1)[-1]
