"""What the notebooks on Jina's posts need beyond a cell: tables, counts and figures."""

from chunkstudy.studies.jina.posts import (
    AS_COMPARISONS,
    AS_CORRELATIONS,
    AS_COSINES,
    AS_PRINTS,
    agreement,
    arms,
    berlin,
    comparisons,
    figure_gain_by_length,
    gains,
    length,
    prints,
)
