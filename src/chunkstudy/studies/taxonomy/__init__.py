"""What the notebooks on *Beyond Chunk-Then-Embed* need beyond a cell: tables and figures."""

from chunkstudy.published.chunk_size import by_code
from chunkstudy.studies.taxonomy.chunk_size import (
    AS_CORRELATIONS,
    SPREAD,
    by_text,
    correlations,
    points,
    published,
    side_by_side,
)
from chunkstudy.studies.taxonomy.claims import on_reproductions
from chunkstudy.studies.taxonomy.claims_questions import (
    on_chunk_size,
    on_contextualized,
    on_corpora,
    on_documents,
)
from chunkstudy.studies.taxonomy.figures import figure_correlations, figure_rankings
from chunkstudy.studies.taxonomy.methods import (
    AS_AVERAGES,
    AS_CHANGES,
    AS_PACKED,
    E5,
    JUDGED,
    STRUCTURE,
    agreement,
    agreement_of_orders,
    averages,
    ceilings,
    counted,
    gaps,
    leads,
    moved,
    structure_against_guided,
)
from chunkstudy.studies.taxonomy.tables import as_printed, changed, marked, means
