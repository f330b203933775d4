"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import shown
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import percent, power_of_ten, whole

COLUMNS: Columns = {
    "windows": Column("windows a text takes", str),
    "given": Column("vectors given", whole),
    "apart": Column("apart from our reading of the tool, kept coordinates", power_of_ten),
    "apart when recorded": Column("all coordinates", power_of_ten),
    "equal to ours": Column("vectors equal to ours", whole),
    "apart from ours": Column("apart from ours", power_of_ten),
    "as_published": Column("as the official code", percent),
    "layout": lambda name: "AfterThoughts" if name == "afterthoughts" else shown("ordering", name),
}
