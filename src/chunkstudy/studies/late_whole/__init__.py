"""What the notebook on late chunking where whole documents are looked for needs beyond a cell."""

from chunkstudy.studies.late_whole.figures import figure_alike, figure_gains
from chunkstudy.studies.late_whole.gains import (
    AS_SIMILARITY,
    LENGTHS,
    SHORTER,
    at,
    gains,
    left_of_gains,
    quote,
    without_tails,
)
from chunkstudy.studies.late_whole.reading import WHOLE, read
from chunkstudy.studies.late_whole.similarity import tables as alike
