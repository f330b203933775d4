"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""

from chunkstudy.studies.chroma import (
    all_occurrences,
    claims,
    computed_claims,
    corrected,
    explained,
    models,
    questions,
    search,
)
from chunkstudy.studies.chroma.explained import (
    corpora,
    one_question_of_pubmed,
    reach,
    recalls,
    settings,
    sides,
    unexplained,
    yardstick,
)
from chunkstudy.studies.chroma.figures import (
    figure_beside_published,
    figure_chunk_sizes,
    figure_shares,
)
from chunkstudy.studies.chroma.tables import (
    CAPTION_QUERIES,
    REPEATED,
    WITHOUT_A_MODEL,
    agreement,
    as_rows,
    by_corpus,
    by_verdict,
    counts_beside_published,
    every_cut,
    lengths,
    minilm_table,
    printed_twice,
    rerun,
    sizes,
    token_unit,
)
