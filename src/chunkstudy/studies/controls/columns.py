"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, percent, probability

COLUMNS: Columns = {
    "other": named("chunker"),
    "random": Column("mean of draws", percent),
    "p_rank": Column("p of its place", probability),
    "tokens": number,
}
