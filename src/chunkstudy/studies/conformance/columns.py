"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import shown
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import percent

COLUMNS: Columns = {
    "as_published": Column("as the official code", percent),
    "layout": lambda name: "AfterThoughts" if name == "afterthoughts" else shown("ordering", name),
}
