"""The learning curve of trained late chunking: by how many triples a model saw, on the folds that
all shares of the triples have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.studies.trained_late_chunking.scores import (
    LATE,
    PLAIN,
    WITHIN,
    Models,
    Scored,
    chosen,
    family_of,
    places,
)
from chunkstudy.studies.trained_late_chunking.training.recipe import CONTEXT, STEPS, UNTRAINED


def triples(models: Models, parts: pd.DataFrame) -> pd.DataFrame:
    """The arm pooled in context by how many triples it saw, on the folds that all shares have:
    late against plain chunking; none seen is the model as it was."""
    pairs = [
        Pair(keys | {"triples": seen}, one.values[LATE], one.values[PLAIN], one.documents)
        for keys, curve in _curves(models, parts)
        for seen, one in curve.items()
    ]
    return differences(pairs, family_of("by triples"), LATE, PLAIN)


def _curves(
    models: Models, parts: pd.DataFrame
) -> Iterator[tuple[dict[str, object], dict[int, Scored]]]:
    """Each learning curve: the models by triples seen, on the folds that all shares have."""
    shares = {key[2] for key in models if key[0] == CONTEXT}
    for window, collection in places(models):
        untrained = models.get((UNTRAINED, window, 1.0, 0, collection))
        known = {share: models.get((CONTEXT, window, share, 0, collection)) for share in shares}
        if len(shares) < 2 or untrained is None or not all(known.values()):
            continue
        folds = set.intersection(*(set(of.folds) for of in known.values() if of))
        if not folds:
            continue
        keys: dict[str, object] = {"measure": WITHIN, "collection": collection, "window": window}
        curve = {0: untrained.within(folds)}
        for share in sorted(shares):
            seen = _seen(parts, window, share, folds)
            curve[seen] = cast(Scored, known[share]).within(folds)
        yield keys | {"folds": len(folds)}, curve


def _seen(parts: pd.DataFrame, window: int, share: float, folds: set[int]) -> int:
    """Triples that a model trained in context on a share of them saw, the mean over folds."""
    parts = chosen(parts, window, STEPS, "")
    here = (parts["arm"] == CONTEXT) & (parts["test"] == "within") & parts["fold"].isin(folds)
    here &= (parts["share"] == share) & (parts["seed"] == 0)
    return round(float(parts.loc[here, "triples seen"].mean()))
