"""Late chunking in each window against plain chunks that are read whole, one model at a time.

Late against plain at one window is not the choice that a user has: where the window is narrow,
plain chunks are cut there, and nobody has to cut them. Here the plain side is read in the widest
window, so that a window needs no plain chunks of its own.

Families, each for one collection, measure and model: the windows, for the mean over chunkers; all
chunkers at all windows, for these one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from chunkstudy.analysis import model_gains
from chunkstudy.analysis.model_gains import Cell
from chunkstudy.analysis.paired import Keys, Pair, differences
from chunkstudy.analysis.papers import with_papers
from chunkstudy.grid.library import Library

WHOLE = 512
"""Tokens; no chunk of these chunkers but a long paragraph is longer."""


def table(library: Library, papers: pd.DataFrame) -> pd.DataFrame:
    """A row per collection, measure, model, window and chunker, and of the mean over the chunkers
    that all models have.

    Args:
        library: the records.
        papers: ``query_id`` and ``part``, the paper of every query of COVID-QA.
    """
    pairs = [
        pair
        for collection in model_gains.LONG
        for measure in model_gains.MEASURES[collection]
        for pair in _pairs(library, collection, measure)
    ]
    return differences(with_papers(pairs, papers), _family, "contextualized", "plain")


def _pairs(library: Library, collection: str, measure: str) -> Iterator[Pair]:
    found = model_gains.arms(library, collection, measure)
    late = model_gains.late(library, collection, measure)
    cells, common = model_gains.shared(found)
    for model, window in _with_late_alone(cells, common, late):
        plain, here = found.get((model, WHOLE), {}), late[model, window]
        if not common or any(one not in plain for one in common):
            continue
        keys = {"collection": collection, "measure": measure, "model": model, "window": window}
        yield Pair(
            {**keys, "chunker": model_gains.EVERY, "chunkers": len(common)},
            model_gains.mean(here[one] for one in common),
            model_gains.mean(plain[one].plain for one in common),
        )
        for one in common:
            yield Pair({**keys, "chunker": one, "chunkers": 1}, here[one], plain[one].plain)


def _with_late_alone(
    cells: Sequence[Cell], common: Sequence[str], late: Mapping[Cell, Mapping[str, pd.Series]]
) -> list[Cell]:
    """The same models also in windows where only late chunking was run, if by all these chunkers,
    each model's windows in order."""
    known = dict.fromkeys(model for model, _ in cells)
    return [
        (model, window)
        for model in known
        for window in sorted(window for name, window in late if name == model)
        if all(one in late[model, window] for one in common)
    ]


def _family(keys: Keys) -> str:
    who = ", ".join(str(keys[name]) for name in ("collection", "measure", "model"))
    asked = "the windows" if keys["chunker"] == model_gains.EVERY else "the chunkers and windows"
    return f"{asked}, against plain chunks read whole, {who}"
