"""What the notebooks on Jina's posts need beyond a cell: tables, counts and figures."""

from chunkstudy.studies.jina.figures import figure_combinations, figure_gain_by_length
from chunkstudy.studies.jina.first_post import (
    AS_CORRELATIONS,
    AS_COSINES,
    arms,
    berlin,
    gains,
    length,
)
from chunkstudy.studies.jina.second_post import (
    AS_PRINTS,
    agreement,
    combinations,
    comparisons,
    prints,
)
