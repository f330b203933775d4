"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number, percent, whole
from chunkstudy.studies.baselines.arms import BOTH, SENTENCES, TITLE, VECTORS, WORDS

named = one_of(
    {
        VECTORS: "vectors",
        WORDS: "BM25",
        BOTH: "BM25 and vectors",
        TITLE: "title before each chunk",
        SENTENCES: "best sentence",
    }
)
COLUMNS: Columns = {
    "arm": named,
    "score of words": Column("score of BM25", percent),
    "vectors": Column("vectors kept, to those of chunks", number),
    "tokens": Column("tokens read, to those of chunks", number),
    "with a title": whole,
    "same": Column("questions as recorded", whole),
    "half precision": percent,
    "float32": percent,
}
