"""The built-in collection run live, compared with its stored scores."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from chunkstudy.grid import grids, records
from chunkstudy.grid.run import run
from chunkstudy.places import Places

TOLERANCE = 0.005
"""Of a mean over queries: another machine's rounding may swap two neighbours in a ranking."""


def compare_with_stored(places: Places) -> str:
    """Run every stage on the built-in collection into ``build`` and compare the means.

    Raises:
        RecordError: if a mean is further from its stored value than the tolerance.
    """
    worst = 0.0
    grid = grids.live_grid()
    for condition in grid:
        run(condition, places.vectors, places.build / "runs", places.build / "rankings")
        live = _means(places.build / "runs" / condition.path)
        stored_folder = places.runs / condition.path
        if not (stored_folder / "run.json").exists():
            raise records.RecordError(
                f"there is no stored record of {condition}; run "
                "`chunkstudy run --only 'builtin/*'` once and commit it"
            )
        difference = (live - _means(stored_folder))[lambda s: ~s.index.str.startswith("Tokens")]
        worst = max(worst, float(difference.abs().max()))
        if worst > TOLERANCE:
            raise records.RecordError(
                f"{condition} gives scores that differ by {worst:.4f} from the stored ones; "
                "check that requirements.lock is installed as it stands"
            )
    return f"{len(grid)} conditions, largest difference from the stored means {worst:.6f}"


def _means(folder: Path) -> pd.Series:
    means: pd.Series = records.read_scores(folder).mean()
    return means
