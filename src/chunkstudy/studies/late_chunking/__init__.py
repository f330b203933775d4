"""What the notebook on late chunking needs beyond a cell: the registered comparisons within
documents, layouts of windows, and whole documents."""

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.late_chunking.figures import figure_forest
from chunkstudy.studies.late_chunking.gains import (
    RULES,
    SEEN,
    answers,
    comparisons,
    system_gains,
    together,
)
from chunkstudy.studies.late_chunking.reading import (
    COLUMNS,
    by_collection,
    compared,
    count,
    sentence,
)
from chunkstudy.studies.late_chunking.systems import (
    AVERAGED,
    PLAIN,
    late,
    left_out,
    read,
    registered,
)
