"""What the notebook on late chunking needs beyond a cell: the registered comparisons within
documents, layouts of windows, and whole documents."""

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.late_chunking.figures import figure_forest
from chunkstudy.studies.late_chunking.gains import (
    RULES,
    SEEN,
    answers,
    comparisons,
    gains,
    together,
)
from chunkstudy.studies.late_chunking.leaderboard import beside_leaderboard
from chunkstudy.studies.late_chunking.reading import (
    COLUMNS,
    IN_THE_PAPER,
    LENGTHS,
    OF_LENGTHS,
    SHORTER,
    by_collection,
    compared,
    count,
    sentence,
    shared,
    where,
)
from chunkstudy.studies.late_chunking.systems import AVERAGED, late, left_out, read, registered
