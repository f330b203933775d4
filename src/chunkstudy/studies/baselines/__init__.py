"""What the notebook on baselines needs beyond a cell."""

from chunkstudy.studies.baselines.arms import BOTH, SENTENCES, TITLE, WORDS
from chunkstudy.studies.baselines.contexts import context_gains
from chunkstudy.studies.baselines.figures import figure_contexts, figure_gains
from chunkstudy.studies.baselines.gains import (
    beside_records,
    first_measure,
    gains,
    make,
    scores,
)
