"""How many chunks of Chroma's main table hold part of a question's excerpts?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED, Protocol
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.published_grid import MAIN_SIZES
from chunkstudy.runs.study_runs import Context

NAME = "chunks-per-question"
COLLECTIONS = ("chroma",)


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``touching``: a row per chunker and protocol."""
    rows = []
    for name in collections:
        collection = context.collection(name)
        for chunker in ("recursive", "token"):
            for size in MAIN_SIZES:
                for protocol in (AS_PUBLISHED_CHROMA, CORRECTED):
                    condition = Condition(name, f"{chunker}-{size}", NONE, NONE, protocol.name)
                    key = {"chunker": condition.chunker, "protocol": protocol.name}
                    chunks = context.chunks(condition)
                    rows.append(key | touching(collection, chunks, protocol))
    return {"touching": pd.DataFrame(rows)}


def touching(collection: Collection, chunks: Chunks, protocol: Protocol) -> dict[str, float | int]:
    """Of how many questions one to three chunks are touched, and how many chunks are."""
    counts = TokenOverlap.of(collection, chunks, protocol.hit).touching_counts
    return {
        "questions": len(counts),
        "one to three": int(((counts >= 1) & (counts <= 3)).sum()),
        "median": float(np.median(counts)),
        "most": int(counts.max()),
        "all": int(counts.sum()),
    }
