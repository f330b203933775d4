"""How the columns of these pages' tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import LENGTHS
from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number, percent, points, whole

SIMILARITIES = ("least similar excerpt", "most similar earlier question")
"""Of a generated question."""
COLUMNS: Columns = {
    **dict.fromkeys(
        ("published threshold", "reached by 95%", "95% of questions below", *SIMILARITIES,
         "least similar excerpt, from", "to"), number),
    "main": Column("main table", percent),
    "appendix - main": Column("difference, points", points),
    "of precision omega": Column("published, Precision Ω", whole),
    "exact of these": Column("exact, Precision Ω", whole),
    "of retrieval": Column("published, retrieval", whole),
    "exact of retrieval": Column("exact, retrieval", whole),
    "largest difference": number,
    "SpanRecall@5 difference": Column("difference, points", points),
    "length function": one_of({**LENGTHS, "cl100k": "OpenAI's tokens"}),
    "published size": whole,
    **dict.fromkeys(
        ("size in cl100k", "size in WordPiece", "size in WordPiece with special tokens"), number
    ),
}  # fmt: skip
