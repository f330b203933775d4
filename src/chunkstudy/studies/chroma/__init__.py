"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""

from chunkstudy.studies.chroma import corrected
from chunkstudy.studies.chroma.figures import figure_beside_published, figure_shares
from chunkstudy.studies.chroma.tables import (
    CAPTION_QUERIES,
    REPEATED,
    Reproduction,
    by_verdict,
    counts_beside_published,
    minilm_table,
    reproduction,
    sizes,
)

__all__ = [
    "CAPTION_QUERIES",
    "REPEATED",
    "Reproduction",
    "by_verdict",
    "corrected",
    "counts_beside_published",
    "figure_beside_published",
    "figure_shares",
    "minilm_table",
    "reproduction",
    "sizes",
]
