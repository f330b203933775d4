"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number

COLUMNS: Columns = {
    **dict.fromkeys(("context", "beside"), named("context")),
    "prices of": Column("prices as of", str),
    **dict.fromkeys(("correlation", "correlation low", "correlation high", "dollars"), number),
}
