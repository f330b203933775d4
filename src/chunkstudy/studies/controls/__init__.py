"""Two controls of chunking: boundaries at random, and reading at an equal budget."""

from chunkstudy.studies.controls.budget import MEAN, overlaps, sizes
from chunkstudy.studies.controls.chance import against_chance
from chunkstudy.studies.controls.figures import figure_boundaries, figure_overlap, figure_sizes
