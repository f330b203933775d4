"""What the paper quotes of these tables, and how some columns are shown."""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.evaluation.statistics.differences import (
    HIGHER,
    LOWER,
    NOT_SHOWN,
    at,
)
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import (
    number,
    whole,
)
from chunkstudy.show.study import Study

AS_SIMILARITY: Columns = {
    **dict.fromkeys(("difference", "contextualized", "pre_embedding"), number),
    "n": Column("documents (of Emma: chunks)", whole),
}
LENGTHS = {
    "collection": "collection",
    "documents": "documents",
    "documents of several paragraphs": "several par.",
    "longer than 126 tokens": "> 126",
    "longer than 254 tokens": "> 254",
    "longer than 510 tokens": "> 510",
    "queries": "questions",
}
"""The heads of the paper's table of lengths."""
SHORTER = {
    "Chroma, each corpus by itself": "Chroma",
    "COVID-QA, each paper by itself": "COVID-QA",
    "GutenQA, Emma": "Emma",
}
TAILED, MERGED = "fixed-256", "fixed-merged-256-64"


def quote(study: Study, found: pd.DataFrame, mended: pd.DataFrame, tails: pd.DataFrame) -> None:
    """Keep what the paper quotes; nothing with other parameters than the study's own.

    Args:
        found: gains of late chunking over plain.
        mended: the same of chunks without short last ones.
        tails: what it changes to merge or drop these.
    """
    if not study.default:
        return
    own = at(found, protocol=CORRECTED.name)
    for word, name in ((HIGHER, "gain"), (NOT_SHOWN, "open")):
        count = int((own["shown"] == word).sum())
        study.number(f"late-in-corpora/{name}", count, holds=LOWER not in set(own["shown"]))
    study.number("late-in-corpora/n", len(own))
    for collection, chunker in (("arguana", "semantic"), ("nfcorpus", TAILED)):
        (row,) = _rows(at(own, collection=collection, chunker=chunker))
        study.estimate(f"late-in-corpora-gains/{collection}", row, HIGHER)
    where = {"collection": "nfcorpus", "protocol": AS_PUBLISHED_JINA.name}
    plain = at(tails, ordering="pre_embedding", chunker=MERGED, **where)
    for name, frame, word in (
        ("before", at(found, chunker=TAILED, **where), HIGHER),
        ("after", at(mended, chunker=MERGED, **where), "equivalent"),
        ("plain", plain, HIGHER),
    ):
        (row,) = _rows(frame)
        study.estimate(f"short-tails-gain/{name}", row, word)


def _rows(frame: pd.DataFrame) -> list[pd.Series]:
    return [row for _, row in frame.iterrows()]
