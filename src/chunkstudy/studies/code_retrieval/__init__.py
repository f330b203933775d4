"""What the notebook on retrieving source code needs beyond a cell."""

from chunkstudy.studies.code_retrieval.chunks import BOTH, CHUNKERS, CONTEXTS, GUIDE, PATH, PLAIN
from chunkstudy.studies.code_retrieval.systems import (
    LARGE,
    MEASURES,
    NAME,
    SMALL,
    WORDS,
    gains,
    make,
)
