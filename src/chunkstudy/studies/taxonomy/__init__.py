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
from chunkstudy.studies.taxonomy.figures import figure_correlations, figure_points

__all__ = [
    "AS_CORRELATIONS",
    "AS_SENSITIVITY",
    "SPREAD",
    "by_code",
    "by_text",
    "correlations",
    "figure_correlations",
    "figure_points",
    "points",
    "published",
    "sensitivity",
    "side_by_side",
]
