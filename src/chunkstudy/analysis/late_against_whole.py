"""Late chunking in each window against plain chunks that are read whole, one model at a time.

Late against plain at one window is not the choice that a user has: where the window is narrow,
plain chunks are cut there, and nobody has to cut them. Here the plain side is read in the widest
window.

Families, each for one collection, measure and model: the windows, for the mean over chunkers; all
chunkers at all windows, for these one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from chunkstudy.analysis import model_gains
from chunkstudy.analysis.model_gains import Arms
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
        for pair in _pairs(collection, measure, model_gains.arms(library, collection, measure))
    ]
    return differences(with_papers(pairs, papers), _family, "contextualized", "plain")


def _pairs(collection: str, measure: str, found: Arms) -> Iterator[Pair]:
    cells, common = model_gains.shared(found)
    for cell in cells:
        model, window = cell
        plain = found.get((model, WHOLE), {})
        if not common or any(one not in plain for one in common):
            continue
        keys = {"collection": collection, "measure": measure, "model": model, "window": window}
        late = found[cell]
        yield Pair(
            {**keys, "chunker": model_gains.EVERY, "chunkers": len(common)},
            model_gains.mean(late[one].late for one in common),
            model_gains.mean(plain[one].plain for one in common),
        )
        for one in common:
            yield Pair({**keys, "chunker": one, "chunkers": 1}, late[one].late, plain[one].plain)


def _family(keys: Keys) -> str:
    who = ", ".join(str(keys[name]) for name in ("collection", "measure", "model"))
    asked = "the windows" if keys["chunker"] == model_gains.EVERY else "the chunkers and windows"
    return f"{asked}, against plain chunks read whole, {who}"
