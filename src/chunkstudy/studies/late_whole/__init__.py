"""What the notebook on late chunking where whole documents are looked for needs beyond a cell."""

from chunkstudy.studies.late_whole.figures import figure_alike, figure_gains
from chunkstudy.studies.late_whole.gains import (
    AS_SIMILARITY,
    LENGTHS,
    SHORTER,
    WHOLE,
    at,
    gains,
    left_of_gains,
    quote,
    read,
    without_tails,
)
from chunkstudy.studies.late_whole.similarity import tables as alike
