"""What the notebook on which models late chunking suits needs beyond a cell."""

from chunkstudy.studies.which_models.bidirectionality import HALF, tables
from chunkstudy.studies.which_models.reach import MOVED, UNIT, checked, reach
