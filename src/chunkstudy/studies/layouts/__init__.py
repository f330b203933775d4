"""What the notebook on layouts of windows needs beyond a cell."""

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.layouts.figures import figure_by_layout
from chunkstudy.studies.layouts.gains import (
    by_chunker,
    choices,
    over_layout,
    over_plain,
    read_often,
)
from chunkstudy.studies.layouts.reading import AVERAGED, TODAY, read
