"""How the columns of the tables on late chunking are shown, here and in the paper."""

from __future__ import annotations

from chunkstudy.runs import display_names
from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import (
    number,
    percent,
    points,
    tenths,
    whole,
)


def choice(text: str) -> str:
    """Layout, window and chunker as a reader calls them."""
    *read, chunker = text.split(", ")
    return ", ".join([*read, display_names.shown("chunker", chunker)])


COLUMNS: Columns = {
    "at the narrower": Column("gain at the narrower window, points", points),
    "gain at the wider": Column("gain at the wider window, points", points),
    "late arm": Column("late arm: layout, window, chunker", choice),
    "plain arm": Column("plain arm: window, chunker", choice),
    "late chosen": Column("late leads on the choosing half, % of splits", percent),
    "right": Column("and would on the other half, %", percent),
    "late arm's share": Column("% of splits", percent),
    "plain arm's share": Column("% of splits ", percent),
    "chunks a document": tenths,
    "unread": Column("unread, %", percent),
    "cut": Column("chunks cut", str),
    "remedy": named("chunker"),
    "gain without short tails": Column("gain without short tails, points", points),
    "wordpiece_tokens": Column("WordPiece tokens", whole),
}
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
