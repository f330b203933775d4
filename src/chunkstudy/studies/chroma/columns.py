"""How the columns of these pages' tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import LENGTHS
from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number, percent, points, whole

COLUMNS: Columns = {
    "main": Column("main table", percent),
    "appendix - main": Column("difference, points", points),
    "chunking s/M tokens": Column("chunking: seconds per million tokens", number),
    "chunking's encoding s/M tokens": Column(
        "encoding for boundaries: seconds per million tokens", number
    ),
    "encoding s/M tokens": Column("encoding chunks: seconds per million tokens", number),
    "mean chunk tokens": Column("tokens per chunk", number),
    "of precision omega": Column("published, Precision Ω", whole),
    "exact of these": Column("exact, Precision Ω", whole),
    "of retrieval": Column("published, retrieval", whole),
    "exact of retrieval": Column("exact, retrieval", whole),
    "largest difference": number,
    "second model": Column("all-mpnet-base-v2", points),
    "second model difference": Column("all-mpnet-base-v2: difference, points", points),
    "second model shown": Column("all-mpnet-base-v2: shown", str),
    "SpanRecall@5 difference": Column("difference, points", points),
    "length function": one_of({**LENGTHS, "cl100k": "OpenAI's tokens"}),
    "published size": whole,
    **dict.fromkeys(
        ("size in cl100k", "size in WordPiece", "size in WordPiece with special tokens"), number
    ),
}
