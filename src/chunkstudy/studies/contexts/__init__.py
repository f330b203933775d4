"""A context before each chunk: what it gains, and whether late chunking does the same."""

from chunkstudy.studies.contexts.figures import AS_ALIKE, AS_PRICES, figure_gains
from chunkstudy.studies.contexts.gains import Way, alike, gains, read
