"""What the notebook on which chunker to use needs beyond a cell."""

from chunkstudy.studies.which_chunker.advice import (
    ADVISED,
    AS_GOOD,
    COLUMNS,
    GROUP,
    IN_THE_PAPER,
    advice,
    trails,
    whole_documents,
)
from chunkstudy.studies.which_chunker.figures import figure_best
from chunkstudy.studies.which_chunker.ranking import READ, chunking_seconds, ranking
