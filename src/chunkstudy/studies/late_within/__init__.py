"""What the notebook on late chunking within one document needs beyond a cell."""

from chunkstudy.studies.late_within import quoted
from chunkstudy.studies.late_within.book import BY_SMALL_MODEL, RELEASED
from chunkstudy.studies.late_within.book import read as read_book
from chunkstudy.studies.late_within.book import scores as book_scores
from chunkstudy.studies.late_within.cut_chunks import CUT, FIT, TRUNCATED, WHOLE, by_cut
from chunkstudy.studies.late_within.figures import figure_by_window
from chunkstudy.studies.late_within.gains import (
    best,
    between_models,
    by_window,
    changes,
    changes_between_models,
    ends,
    held,
    lost_together,
    read_whole,
    read_whole_by_chunker,
)
from chunkstudy.studies.late_within.leaderboard import AS_WITNESSES, beside_leaderboard
from chunkstudy.studies.late_within.quoted import at
from chunkstudy.studies.late_within.reading import E5, EVERY, MINILM, MPNET, SHORT, read
