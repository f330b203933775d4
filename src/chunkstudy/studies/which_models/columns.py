"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import percent, thousandths, whole

COLUMNS: Columns = {
    "cosine distance": thousandths,
    "relative distance": Column("length of the difference, % of the vector's", percent),
    "of the next chunk": Column("% of neighbours' distance", percent),
    "distance": Column("tokens between", whole),
}
