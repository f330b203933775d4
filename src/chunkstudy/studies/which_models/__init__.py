"""What the notebook on which models late chunking suits needs beyond a cell."""

from chunkstudy.studies.which_models.bidirectionality import COLLECTIONS, HALF, tables
from chunkstudy.studies.which_models.figures import figure_reach
from chunkstudy.studies.which_models.reach import checked, reach, yardsticks

__all__ = [
    "COLLECTIONS",
    "HALF",
    "checked",
    "figure_reach",
    "reach",
    "tables",
    "yardsticks",
]
