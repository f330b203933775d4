"""What was run with each of the models that read here, and so what is open."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from chunkstudy.analysis import windows
from chunkstudy.analysis.model_gains import REFERENCE, SECOND
from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import FOUR_BITS
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import BEIR_AT_HAND
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED

COLLECTIONS = (
    "chroma-within", covid_qa.WITHIN, "gutenqa-emma", "chroma", covid_qa.ALL, *BEIR_AT_HAND,
)  # fmt: skip
MODELS = (REFERENCE, SECOND, windows.model(FOUR_BITS))
WINDOWS = (128, 256, 384, 512)


def table(library: Library) -> pd.DataFrame:
    """A row per collection and model: how many chunkers were run under the corrected protocol,
    plain and late, at each window; late at positions in order and without separators."""
    run: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for one in library:
        if one.protocol != CORRECTED.name or one.collection not in COLLECTIONS:
            continue
        if one.ordering == PRE_EMBEDDING:
            way = f"plain, {windows.reach(one.encoder)}"
        elif windows.contextualized(one):
            way = f"late, {windows.window(one.ordering)}"
        else:
            continue
        run[one.collection, windows.model(one.encoder), way].add(one.chunker)
    ways = [f"{way}, {window}" for window in WINDOWS for way in ("plain", "late")]
    rows = [
        {"collection": collection, "model": model}
        | {way: len(run[collection, model, way]) for way in ways}
        for collection in COLLECTIONS
        for model in MODELS
    ]
    return pd.DataFrame(rows)
