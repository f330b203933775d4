"""Two controls of chunking: boundaries at random, and reading at an equal budget."""

from chunkstudy.studies.controls.comparisons import MEAN, against_chance, overlaps, sizes
from chunkstudy.studies.controls.figures import figure_boundaries, figure_overlap, figure_sizes
