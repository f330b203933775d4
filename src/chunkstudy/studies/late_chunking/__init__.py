"""What the notebooks on late chunking need beyond a cell: within one document, by layout of windows
and where whole documents are looked for."""

from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.studies.late_chunking.choosing import choices
from chunkstudy.studies.late_chunking.cut_chunks import CUT, TRUNCATED, WHOLE, by_cut
from chunkstudy.studies.late_chunking.figures import figure_by_window
from chunkstudy.studies.late_chunking.gains import (
    best,
    between_models,
    by_chunker,
    by_layout,
    by_window,
    changes,
    confirmed,
    lost_together,
    lost_with_tails,
    read_whole_by_chunker,
    without_tails,
)
from chunkstudy.studies.late_chunking.leaderboard import beside_leaderboard
from chunkstudy.studies.late_chunking.quoted import paper_table_cut, paper_table_within, quote
from chunkstudy.studies.late_chunking.systems import (
    AVERAGED,
    E5,
    EVERY,
    MINILM,
    MPNET,
    SHORT,
    TODAY,
    WHOLE_DOCUMENTS,
    Systems,
    read,
)
