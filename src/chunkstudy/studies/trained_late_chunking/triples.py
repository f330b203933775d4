"""The learning curve of trained late chunking: by how many triples a model saw, on the folds that
all shares of the triples have."""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.trained_late_chunking.scores import (
    LATE,
    PLAIN,
    WITHIN,
    Models,
    chosen,
    family_of,
    places,
)
from chunkstudy.studies.trained_late_chunking.training.recipe import CONTEXT, STEPS, UNTRAINED


def triples(models: Models, parts: pd.DataFrame) -> pd.DataFrame:
    """The arm pooled in context by how many triples it saw, on the folds that all shares have:
    late against plain chunking; none seen is the model as it was."""
    shares = sorted({key[2] for key in models if key[0] == CONTEXT})
    pairs = []
    for window, collection in places(models):
        asked = [(UNTRAINED, 1.0), *((CONTEXT, share) for share in shares)]
        curve = [models.get((arm, window, share, 0, collection)) for arm, share in asked]
        known = [one for one in curve if one]
        folds = set.intersection(*({*one.folds} for one in known[1:])) if known[1:] else set()
        if len(shares) < 2 or len(known) < len(asked) or not folds:
            continue
        seen = [0, *(_seen(parts, window, share, folds) for share in shares)]
        keys = {"measure": WITHIN, "collection": collection, "window": window, "folds": len(folds)}
        for count, one in zip(seen, known, strict=True):
            values = one.values[one.folds.isin(folds)]
            named = keys | {"triples": count}
            pairs.append(Pair(named, values[LATE], values[PLAIN], one.documents))
    return differences(pairs, family_of("by triples"), LATE, PLAIN)


def _seen(parts: pd.DataFrame, window: int, share: float, folds: set[int]) -> int:
    """Triples that a model trained in context on a share of them saw, the mean over folds."""
    parts = chosen(parts, window, STEPS, "")
    here = (parts["arm"] == CONTEXT) & (parts["test"] == "within") & parts["fold"].isin(folds)
    here &= (parts["share"] == share) & (parts["seed"] == 0)
    return round(float(parts.loc[here, "triples seen"].mean()))
