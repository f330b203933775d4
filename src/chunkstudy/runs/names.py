"""The parts of a condition under the names that ``commands/evaluate`` still imports them by."""

from chunkstudy.runs.conditions import CONTEXTUALIZED as CONTEXTUALIZED
from chunkstudy.runs.conditions import PRE_EMBEDDING as PRE_EMBEDDING
from chunkstudy.runs.conditions import PREPENDED as PREPENDED
from chunkstudy.runs.conditions import ChunkerSpec as ChunkerSpec
from chunkstudy.runs.conditions import EmbeddingMethod as Ordering
from chunkstudy.runs.conditions import EncoderName as EncoderName
from chunkstudy.runs.conditions import parse_chunker as parse_chunker
from chunkstudy.runs.conditions import parse_encoder as parse_encoder
from chunkstudy.runs.conditions import parse_method as parse_ordering

__all__ = ["Ordering", "parse_ordering"]
