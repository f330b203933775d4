"""What the notebook on which chunker to use needs beyond a cell."""

from chunkstudy.studies.which_chunker.advice import (
    AS_GOOD,
    COLUMNS,
    GROUP,
    IN_THE_PAPER,
    advice,
    by_model,
    called,
    figure_best,
)
from chunkstudy.studies.which_chunker.ranking import READ, chunking_seconds, ranking
from chunkstudy.studies.which_chunker.words import by_words
