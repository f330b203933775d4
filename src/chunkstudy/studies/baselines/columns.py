"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named, one_of
from chunkstudy.show.formats import percent, whole
from chunkstudy.studies.baselines.arms import BOTH, SENTENCES, TITLE, VECTORS, WORDS

arm_named = one_of(
    {
        VECTORS: "vectors",
        WORDS: "BM25",
        BOTH: "BM25 and vectors",
        TITLE: "title before each chunk",
        SENTENCES: "best sentence",
    }
)
COLUMNS: Columns = {
    "arm": arm_named,
    "context": named("context"),
    "score of words": Column("score of BM25", percent),
    "same": Column("questions as recorded", whole),
    "half precision": percent,
    "float32": percent,
}
