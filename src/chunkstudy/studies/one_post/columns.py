"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import shown
from chunkstudy.show.columns import Column, Columns
from chunkstudy.show.formats import percent

PRINTED = {
    "SIMPLE_CHUNKING": "Small model, by structure",
    "COT_TOPIC_CHUNKING": "Small model, by topic",
    "SUMMARY_CHUNKING": "Small model, with summaries",
    "JINA-SEGMENTER-API": "Jina's segmenter, as published",
}


def segmentation(name: str) -> str:
    """A printed segmentation, or a chunker of ours."""
    return PRINTED.get(name) or shown("chunker", name)


COLUMNS: Columns = {
    "segmentation": segmentation,
    "reference": segmentation,
    "share kept": Column("share kept, %", percent),
}
