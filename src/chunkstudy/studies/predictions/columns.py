"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import measure
from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number, thousandths, whole

KINDS = {
    "value": "a published number",
    "difference": "which of two conditions scores higher, and by how much",
    "distance": "two conditions that score the same, or do not",
    "nearer": "which of two models was run",
    "order": "the order of a table's rows",
}
COLUMNS: Columns = {
    "kind": one_of(KINDS),
    "measure": lambda name: "Mean length of documents" if name == "characters" else measure(name),
    "says": Column("what is expected", str),
    "at": Column("expected", number),
    "published": number,
    "probability": number,
    "against print": Column("contradict the published number", whole),
    "Brier score": thousandths,
    "expected to come true": whole,
}
