"""The study's scores without chunking beside a public leaderboard's."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.protocols import CORRECTED
from chunkstudy.published.witnesses import AGREES, Witness

COLUMNS = [
    "encoder", "window", "collection", "measure", "n", "witness", "score", "difference", "agrees",
    "same_weights", "model", "benchmark", "repository", "commit", "path",
]  # fmt: skip


def table(witnesses: Iterable[Witness], library: Library) -> pd.DataFrame:
    """A row per witness that has a record: scores as fractions, and whether they agree.

    Those of weights that are rounded here to four bits say what the rounding costs.
    """
    rows = []
    for one in witnesses:
        encoder = models.slug(one.encoder)
        record = library.get(
            Condition(one.collection, "none", encoder, PRE_EMBEDDING, CORRECTED.name)
        )
        if record is None:
            continue
        values = library.values(record, one.measure).dropna()
        difference = float(values.mean()) - one.value
        rows.append(
            {
                "encoder": encoder,
                "window": models.spec(one.encoder).window,
                "collection": one.collection,
                "measure": one.measure,
                "n": len(values),
                "witness": one.value,
                "score": float(values.mean()),
                "difference": difference,
                "agrees": abs(difference) <= AGREES,
                "same_weights": one.same_weights,
                "model": one.model,
                "benchmark": one.benchmark,
                "repository": one.repository,
                "commit": one.commit,
                "path": one.path,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)
