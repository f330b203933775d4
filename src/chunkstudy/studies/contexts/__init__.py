"""A context before each chunk: what it gains, and whether late chunking does the same."""

from chunkstudy.studies.contexts.figures import figure_gains
from chunkstudy.studies.contexts.gains import Way, alike, gains, read
