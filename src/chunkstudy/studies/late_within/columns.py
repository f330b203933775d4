"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import percent, points

COLUMNS: Columns = {
    "share of ceiling": Column("% of the best reachable", percent),
    "at the narrower": Column("gain at the narrower window, points", points),
    "gain at the wider": Column("gain at the wider window, points", points),
    "gain against": Column("gain with the other model, points", points),
    "other model": named("encoder"),
}
