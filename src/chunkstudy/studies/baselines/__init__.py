"""What the notebook on baselines needs beyond a cell."""

from chunkstudy.studies.baselines.figures import figure_contexts, figure_gains
from chunkstudy.studies.baselines.gains import context_gains, first_measure, gains
from chunkstudy.studies.baselines.systems import BOTH, SENTENCES, TITLE, WORDS, read
