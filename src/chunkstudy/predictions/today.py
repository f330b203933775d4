"""What is known today, from which predictions are made and by which they are decided."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from chunkstudy.analysis import chunk_size
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.predictions import experience, outcomes, proposing, register, rules
from chunkstudy.predictions.outcomes import Evidence
from chunkstudy.published import cells as published
from chunkstudy.published import side_by_side
from chunkstudy.published.cells import Cell
from chunkstudy.studies import results


def evidence(
    places: Places,
    library: Library,
    cells: Sequence[Cell],
    comparison: pd.DataFrame,
    correlations: pd.DataFrame,
) -> Evidence:
    """What decides, where the tables were derived already."""
    lengths = results.read(places, "document-lengths")
    if lengths.empty:
        lengths = pd.DataFrame(columns=["collection", "mean characters"])
    lengths = lengths.rename(columns={"mean characters": "characters"})
    return Evidence(cells, comparison, library, correlations, lengths)


def gathered(places: Places) -> Evidence:
    """The same from the records."""
    library = Library(places)
    cells = published.read(places)
    comparison = side_by_side.compare(places, library)
    correlations = chunk_size.correlations(library, places, published.frame(cells))
    return evidence(places, library, cells, comparison, correlations)


def predict(places: Places, date: datetime.date) -> tuple[Path, int, int]:
    """Register what the rules say of cells that no record decides yet.

    Returns:
        The file, how many predictions it holds, and how many were left out as decided already.

    Raises:
        PredictionError: if there is nothing new, or something was registered on that day.
    """
    found = gathered(places)
    known = experience.Known(found.prints.frame, found.comparison, found.library, found.lengths)
    learned = experience.gather(known)
    every = rules.read()
    proposed = proposing.propose(every, found.cells, learned)
    decided = outcomes.decided(proposed, found)
    open_ones = [one for one in proposed if one.id not in decided]
    new = register.unregistered(open_ones, register.read(places))
    return register.add(places, new, found, every, learned, date), len(new), len(decided)
