"""What the notebook on baselines needs beyond a cell."""

from chunkstudy.studies.baselines.arms import BOTH, SENTENCES, TITLE, WORDS
from chunkstudy.studies.baselines.figures import figure_gains
from chunkstudy.studies.baselines.gains import (
    beside_records,
    costs,
    first_measure,
    gains,
    make,
    over_words,
    scores,
    what_was_run,
)
