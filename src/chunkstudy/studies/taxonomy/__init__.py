"""What the notebooks on *Beyond Chunk-Then-Embed* need beyond a cell: tables and figures."""

from chunkstudy.published.chunk_size import by_code
from chunkstudy.studies.taxonomy.chunk_size import (
    AS_CORRELATIONS,
    AS_SENSITIVITY,
    SPREAD,
    by_text,
    correlations,
    points,
    published,
    sensitivity,
    side_by_side,
)
from chunkstudy.studies.taxonomy.claims import on_reproductions
from chunkstudy.studies.taxonomy.claims_contextualized import on_chunk_size, on_contextualized
from chunkstudy.studies.taxonomy.claims_methods import on_corpora, on_documents
from chunkstudy.studies.taxonomy.figures import (
    figure_changes,
    figure_correlations,
    figure_points,
    figure_rankings,
)
from chunkstudy.studies.taxonomy.methods import (
    AS_AVERAGES,
    AS_CHANGES,
    AS_PACKED,
    E5,
    JUDGED,
    STRUCTURE,
    agreement,
    averages,
    ceilings,
    counted,
    moved,
    structure_against_guided,
)
from chunkstudy.studies.taxonomy.printed import as_printed
from chunkstudy.studies.taxonomy.tables import changed, marked, means
