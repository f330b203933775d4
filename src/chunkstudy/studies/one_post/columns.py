"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import percent

COLUMNS: Columns = {
    "segmentation": named("segmentation"),
    "reference": named("segmentation"),
    "share kept": Column("share kept, %", percent),
}
