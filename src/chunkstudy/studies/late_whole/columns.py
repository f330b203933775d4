"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import points, whole

COLUMNS: Columns = {
    "cut": Column("chunks cut", str),
    "remedy": named("chunker"),
    "gain without short tails": Column("gain without short tails, points", points),
    "wordpiece_tokens": Column("WordPiece tokens", whole),
}
