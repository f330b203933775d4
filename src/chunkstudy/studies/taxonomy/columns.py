"""How the columns of these pages' tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import shown
from chunkstudy.show.columns import Columns, named, one_of
from chunkstudy.show.formats import number

COLUMNS: Columns = {
    "method": lambda name: "Average" if name == "average" else shown("chunker", name),
    "other": named("chunker"),
    "against": one_of({"pre_embedding": "plain"}),
    "source": one_of({"records": "ours"}),
    **dict.fromkeys(("effect ratio", "r", "relevant", "document"), number),
}
