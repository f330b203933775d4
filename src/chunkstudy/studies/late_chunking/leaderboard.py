"""The study's scores without chunking beside a public leaderboard's.

What others measured judges no published cell; it tells whether encoder, collection and measure are
what others mean by their names. Its row says where the number stands: repository, commit, path,
place.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.runs.conditions import NONE
from chunkstudy.study.study import Study

AGREES = 0.004
"""How far a score may lie off: what another library's rounding and ties were seen to move."""


def read(places: Places) -> pd.DataFrame:
    """The witnesses, one score of one model on one collection each, every document read whole up to
    its window: ``collection``; ``encoder``, the study's id; ``model``, the hub id of what was
    measured, another than ``encoder`` where its weights were rounded; ``measure``; ``published``, a
    fraction; where the number stands, and which software measured it."""
    paths = sorted((places.published / "witnesses").glob("*.csv"))
    return pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)


def beside_leaderboard(study: Study, encoders: Sequence[str]) -> pd.DataFrame:
    """A row a score that the leaderboard has of one of these models, each at its own window: both
    as fractions, and whether they agree. Weights that are rounded here to four bits say what the
    rounding costs."""
    rows = []
    witnesses = read(study.places)
    for witness in witnesses[witnesses["encoder"].isin(encoders)].to_dict("records"):
        encoder, measure = witness["encoder"], witness["measure"]
        scores = study.runs(witness["collection"], [NONE], encoder).by(measure)
        values = scores.of(NONE, measure).dropna()
        difference = float(values.mean()) - witness["published"]
        rows.append(
            {
                "model": encoder,
                "window": models.spec(encoder).window,
                "collection": witness["collection"],
                "measure": measure,
                "n": len(values),
                "witness": witness["published"],
                "score": float(values.mean()),
                "difference": difference,
                "agrees": abs(difference) <= AGREES,
                "same_weights": witness["model"] == encoder,
            }
        )
    return pd.DataFrame(rows)
