"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import arm
from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, whole


def arms(text: str) -> str:
    """``chunker ordering; chunker ordering`` by their names."""
    pairs = [one.rsplit(" ", 1) for one in text.split("; ") if " " in one]
    return "; ".join(arm(*pair) for pair in pairs)


COLUMNS: Columns = {
    "collections": named("collection"),
    "shown to be as good within a point": arms,
    "not shown to be worse": arms,
    "best by SpanIoU@5": Column("best by Overlap with excerpts (IoU) at 5", named("chunker")),
    "best published rank": whole,
    "worst published rank": whole,
    "chunking s/M tokens": Column("chunking: seconds a million tokens", number),
    "million operations a token": whole,
    "tokens encoded a token of text": number,
    "tokens read at 5": number,
    "tokens that a reader gets": whole,
}
