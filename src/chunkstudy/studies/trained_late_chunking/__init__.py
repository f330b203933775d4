"""What the notebook on trained late chunking needs beyond a cell."""

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.trained_late_chunking.comparisons import (
    IN_THE_PAPER,
    again,
    arms,
    by_fold,
    costs,
    longer,
    on_others,
    other_windows,
    seeds,
    trained,
    triples,
)
from chunkstudy.studies.trained_late_chunking.figures import figure_costs, figure_triples
from chunkstudy.studies.trained_late_chunking.parts import LONGER
from chunkstudy.studies.trained_late_chunking.scores import COST, LATE, PLAIN, scored
