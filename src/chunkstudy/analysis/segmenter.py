"""The segmenter's chunks on Chroma's excerpts, against those of other chunkers."""

from __future__ import annotations

import pandas as pd

from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.grid.conditions import MINILM, Condition
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED

SEGMENTER = "segmenter"
OTHERS = ("paragraph", "fixed-64", "sentence-5", "recursive-200-0", "cluster-200")
MEASURES = ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5", "SpanRecall@10", "SpanIoU@10")


def excerpts(library: Library) -> pd.DataFrame:
    """Segmenter minus another chunker, question by question, over all of Chroma's corpora."""
    own = library.get(_condition(SEGMENTER))
    if own is None:
        return pd.DataFrame()
    pairs = []
    for measure in MEASURES:
        for chunker in OTHERS:
            other = library.get(_condition(chunker))
            if other is not None:
                keys = {"measure": measure, "other": chunker}
                pairs.append(Pair(keys, own.wide[measure], other.wide[measure]))
    return differences(
        pairs,
        lambda keys: f"segmenter against others, {keys['measure']}",
        "by the segmenter",
        "by the other",
    )


def _condition(chunker: str) -> Condition:
    return Condition("chroma", chunker, MINILM, "pre_embedding", CORRECTED.name)
