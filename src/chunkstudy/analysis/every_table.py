"""Every table of the study by name, from records, published cells and studies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.analysis import (
    chroma,
    chunk_size,
    jina,
    labels,
    labels_power,
    late_chunking,
    published_facts,
    reproduction,
    taxonomy,
    which_chunker,
)
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import consistency
from chunkstudy.published.cells import Cell, frame
from chunkstudy.studies import results

VERDICTS = ("exact", "within_noise", "deviates", "not_run")
