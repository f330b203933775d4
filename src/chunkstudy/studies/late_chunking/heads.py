"""What tables on late chunking show, here and in the paper, that no other table does."""

from __future__ import annotations

from chunkstudy.study.formats import Column, Columns, number, percent, whole

READ_WHOLE: Columns = {"plain": Column("plain, read whole", percent)}
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
    " in four bits": "",
    "Recall of excerpts at 5": "recall at 5",
}
