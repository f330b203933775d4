"""Two controls of chunking: boundaries at random, and reading at an equal budget."""

from chunkstudy.studies.controls.equal_budget import MEAN, overlaps, sizes
from chunkstudy.studies.controls.figures import figure_boundaries, figure_sizes
from chunkstudy.studies.controls.random_boundaries import against_chance
