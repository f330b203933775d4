"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""

from chunkstudy.studies.chroma import corrected
from chunkstudy.studies.chroma.figures import figure_beside_published, figure_shares
from chunkstudy.studies.chroma.printed import printed_twice, rerun
from chunkstudy.studies.chroma.search import (
    corpora,
    reach,
    recalls,
    search_again,
    settings,
    sides,
    unexplained,
    yardstick,
)
from chunkstudy.studies.chroma.tables import (
    CAPTION_QUERIES,
    REPEATED,
    WITHOUT_A_MODEL,
    Reproduction,
    by_verdict,
    counts_beside_published,
    every_cut,
    minilm_table,
    reproduction,
    sizes,
)
from chunkstudy.studies.chroma.windows import agreement, as_rows

__all__ = [
    "CAPTION_QUERIES",
    "REPEATED",
    "WITHOUT_A_MODEL",
    "Reproduction",
    "agreement",
    "as_rows",
    "by_verdict",
    "corpora",
    "corrected",
    "counts_beside_published",
    "every_cut",
    "figure_beside_published",
    "figure_shares",
    "minilm_table",
    "printed_twice",
    "reach",
    "recalls",
    "reproduction",
    "rerun",
    "search_again",
    "settings",
    "sides",
    "sizes",
    "unexplained",
    "yardstick",
]
