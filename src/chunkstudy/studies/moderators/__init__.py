"""What the notebook on the moderators of late chunking needs beyond a cell."""

from chunkstudy.studies.moderators.figures import figure_moderators
from chunkstudy.studies.moderators.ranges import IN_THE_PAPER, TUNED, early, ranges
from chunkstudy.studies.moderators.regression import ALL, effects, predictions
from chunkstudy.studies.moderators.rows import AMID, NEAR, TRUNCATED, rows
from chunkstudy.studies.moderators.texts import tables
