"""Do the moderators of late chunking differ between models?

The same question, chunk and window by two models: the gain by one minus the gain by the other is
regressed on the moderators, as the reference sees them (moderators.py). Both read the same chunks;
a chunker that asks a model for its boundaries is left out, since these differ.

Families, each corrected by itself: the moderators, of two models.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from chunkstudy.analysis.moderators import ALL, effects, grouped, with_words
from chunkstudy.analysis.moderators_rows import in_order
from chunkstudy.chunkers import catalogue

SHARED = ["collection", "chunker", "window", "query_id"]
SCORES = ["plain", "late", "gain"]


def between(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per moderator and two models: by how much more the gain of late chunking changes per
    step with ``model`` than with ``other model``, in ``gain per step``; ``plain per step`` and
    ``late per step`` are differences between the models too.

    Args:
        rows: as :func:`moderators_rows.rows` makes them; may be empty.
    """
    if rows.empty:
        return rows
    alike = rows[[not catalogue.parse(one).needs_encoder for one in rows["chunker"]]]
    models = list(in_order(alike)["model"].unique())
    found = []
    for against, model in combinations(models, 2):
        own, other = (alike[alike["model"] == one] for one in (model, against))
        both = other.merge(own[[*SHARED, *SCORES]], on=SHARED, suffixes=("", " of one"))
        if both.empty:
            continue
        for name in SCORES:
            both[name] = both[f"{name} of one"] - both[name]
        keys = {"model": model, "other model": against, "collection": ALL}
        question = f"what moderates the gain, {model} against {against}"
        found += [{**one, "family": question} for one in effects(grouped(both), keys)]
    return with_words(found)
