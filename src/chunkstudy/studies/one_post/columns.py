"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named, one_of
from chunkstudy.show.formats import number, percent, tenths, whole

COLUMNS: Columns = {
    "segmentation": named("segmentation"),
    "reference": named("segmentation"),
    "drawn": Column("cut", one_of({"printed": "as published"})),
    "share kept": Column("share kept, %", percent),
    "tokens": whole,
    **dict.fromkeys(("mean tokens", "mean characters"), tenths),
    **dict.fromkeys(
        ("boundary similarity", "WindowDiff", "Pk", "shared if placed at random"), number
    ),
}
