"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""

from chunkstudy.studies.chroma import claims, computed_claims, corrected, search
from chunkstudy.studies.chroma.search import (
    one_question_of_pubmed,
    reach,
    recalls,
    sides,
    unexplained,
)
from chunkstudy.studies.chroma.tables import (
    CAPTION_QUERIES,
    CHUNKERS,
    REPEATED,
    WITHOUT_A_MODEL,
    agreement,
    as_rows,
    by_verdict,
    counts_beside_published,
    every_cut,
    lengths,
    minilm_table,
    printed_twice,
    sizes,
    token_unit,
)
