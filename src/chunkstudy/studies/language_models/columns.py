"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, points, whole

COLUMNS: Columns = {
    "SpanRecall@5 difference": Column("difference, points", points),
    "answered by": named("language model"),
    "instead": named("chunker"),
    "measured on": named("collection"),
    "run": Column("cells run", whole),
    "draws": whole,
    "chunks": whole,
    "documents": whole,
    "documents a second": number,
    "printed a second": number,
    "tokens a second": number,
    "US dollars, Emma": number,
}
