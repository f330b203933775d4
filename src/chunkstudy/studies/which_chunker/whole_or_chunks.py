"""Whole documents against their best chunks, both by hybrid search."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

import pandas as pd

from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.pipeline.conditions import NONE
from chunkstudy.studies.which_chunker.ranking import BOTH, IN_CORPUS, MEASURES


def whole_or_chunks(
    searched: pd.DataFrame, encoders: Collection[str], collections: Collection[str]
) -> pd.DataFrame:
    """Compare documents in their best chunks with documents left whole, both by hybrid search.

    The best chunker is chosen by the scores that are compared, so that its lead is a little too
    large.

    Args:
        searched: of :func:`by_words`.
        encoders: hub ids.
        collections: names.

    Returns:
        A row per collection and model with the columns of :func:`differences` and ``chunker``.
    """
    rows = searched[(searched["system"] == BOTH) & (searched["measure"] == MEASURES[IN_CORPUS])]
    pairs = []
    for collection, encoder in product(collections, encoders):
        own = at(rows, collection=collection, model=encoder)
        wide = own.pivot(index="query_id", columns="chunker", values="value")
        if NONE in wide and len(wide.columns) > 1:
            best = str(wide.drop(columns=NONE).mean().idxmax())
            keys = {"collection": collection, "model": encoder, "measure": MEASURES[IN_CORPUS]}
            pairs.append(Pair(keys | {"chunker": best}, wide[best], wide[NONE]))
    return differences(pairs, "chunks against whole documents", "in chunks", "whole")
