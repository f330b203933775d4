"""What the notebook on which chunker to use needs beyond a cell."""

from chunkstudy.studies.which_chunker.advice import ADVISED, AS_GOOD, GROUP, advice, against_best
from chunkstudy.studies.which_chunker.cost import ENCODED, OPERATIONS, READ
from chunkstudy.studies.which_chunker.ranking import ITSELF, Known, ranking

__all__ = [
    "ADVISED",
    "AS_GOOD",
    "ENCODED",
    "GROUP",
    "ITSELF",
    "OPERATIONS",
    "READ",
    "Known",
    "advice",
    "against_best",
    "ranking",
]
