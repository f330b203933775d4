"""What the notebook on layouts of windows needs beyond a cell."""

from chunkstudy.studies.layouts.figures import figure_by_layout
from chunkstudy.studies.layouts.gains import (
    best_layout,
    by_chunker,
    choices,
    over_layout,
    over_plain,
)
from chunkstudy.studies.layouts.reading import LAYOUTS, TODAY, Arms, read

__all__ = [
    "LAYOUTS",
    "TODAY",
    "Arms",
    "best_layout",
    "by_chunker",
    "choices",
    "figure_by_layout",
    "over_layout",
    "over_plain",
    "read",
]
