"""What is known today, by which predictions are decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.published import cells as published
from chunkstudy.published import chunk_size, side_by_side
from chunkstudy.published.cells import Cell
from chunkstudy.published.predictions.cells import cell_id, ids
from chunkstudy.runs import study_results
from chunkstudy.runs.library import Library


@dataclass(frozen=True)
class Evidence:
    """Where the numbers that decide are read.

    Attributes:
        cells: the published cells.
        comparison: what became of them, see `published.side_by_side`.
        library: the records.
        correlations: as ``published.chunk_size`` finds them in the records.
        lengths: the mean number of ``characters`` of a ``collection``'s documents, as measured.
    """

    cells: Sequence[Cell]
    comparison: pd.DataFrame
    library: Library
    correlations: pd.DataFrame
    lengths: pd.DataFrame

    @cached_property
    def by_id(self) -> dict[str, Cell]:
        """The published cells by id."""
        return {cell_id(cell): cell for cell in self.cells}

    @cached_property
    def numbers(self) -> dict[str, dict[str, float]]:
        """``reproduced`` and ``corrected``, by cell id."""
        names = ids(self.comparison)
        return {
            column: dict(zip(names, self.comparison[column], strict=True))
            for column in ("reproduced", "corrected")
        }


def from_records(places: Places) -> Evidence:
    """What the records and the published cells say."""
    library = Library(places)
    cells = published.read(places)
    lengths = study_results.read(places, "document-lengths")
    if lengths.empty:
        lengths = pd.DataFrame(columns=["collection", "mean characters"])
    return Evidence(
        cells,
        side_by_side.compare(places, library),
        library,
        chunk_size.correlations(library, places),
        lengths.rename(columns={"mean characters": "characters"}),
    )
