"""What the notebook on the moderators of late chunking needs beyond a cell."""

from chunkstudy.studies.moderators.figures import figure_moderators
from chunkstudy.studies.moderators.regression import (
    ALL,
    IN_THE_PAPER,
    TUNED,
    early,
    effects,
    predictions,
    ranges,
)
from chunkstudy.studies.moderators.rows import AMID, NEAR, TRUNCATED, rows
from chunkstudy.studies.moderators.texts import tables
