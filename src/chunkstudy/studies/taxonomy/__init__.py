"""What the notebooks on *Beyond Chunk-Then-Embed* need beyond a cell: tables and figures."""

from chunkstudy.analysis.chunk_size import by_code, by_text, published
from chunkstudy.studies.taxonomy.chunk_size import (
    AS_CORRELATIONS,
    AS_SENSITIVITY,
    SPREAD,
    correlations,
    points,
    sensitivity,
    side_by_side,
)
from chunkstudy.studies.taxonomy.figures import (
    figure_correlations,
    figure_points,
    figure_rankings,
)
from chunkstudy.studies.taxonomy.methods import (
    JUDGED,
    STRUCTURE,
    agreement,
    as_printed,
    ceilings,
    marked,
    several_paragraphs,
    structure_against_guided,
)

__all__ = [
    "AS_CORRELATIONS",
    "AS_SENSITIVITY",
    "JUDGED",
    "SPREAD",
    "STRUCTURE",
    "agreement",
    "as_printed",
    "by_code",
    "by_text",
    "ceilings",
    "correlations",
    "figure_correlations",
    "figure_points",
    "figure_rankings",
    "marked",
    "points",
    "published",
    "sensitivity",
    "several_paragraphs",
    "side_by_side",
    "structure_against_guided",
]
