"""What the notebook on baselines needs beyond a cell."""

from chunkstudy.studies.baselines.arms import BOTH, SEARCHED, TITLE, VECTORS, WORDS
from chunkstudy.studies.baselines.figures import figure_gains
from chunkstudy.studies.baselines.gains import as_recorded, costs, gains, make, over_words, scores
