"""The study's scores without chunking beside a public leaderboard's.

What others measured judges no published cell; it tells whether encoder, collection and measure are
what others mean by their names. Its row says where the number stands: repository, commit, path,
place.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.runs.conditions import NONE
from chunkstudy.show.formats import percent_finely, points_finely
from chunkstudy.show.study import Study

AS_WITNESSES = {"witness": percent_finely, "score": percent_finely, "difference": points_finely}


AGREES = 0.004
"""How far a score may lie off: what another library's rounding and ties were seen to move."""


def read(places: Places) -> pd.DataFrame:
    """The witnesses, one score of one model on one collection each, every document read whole up to
    its window: ``collection``; ``encoder``, the study's id; ``model``, the hub id of what was
    measured, another than ``encoder`` where its weights were rounded; ``measure``; ``published``, a
    fraction; where the number stands, and which software measured it."""
    paths = sorted((places.published / "witnesses").glob("*.csv"))
    return pd.concat([pd.read_csv(path) for path in paths], ignore_index=True)


def beside_leaderboard(study: Study, encoders: list[str]) -> pd.DataFrame:
    """A row a score that the leaderboard has of one of these models, each at its own window: both
    as fractions, and whether they agree. Weights that are rounded here to four bits say what the
    rounding costs."""
    rows = []
    every = read(study.places)
    for one in every[every["encoder"].isin(encoders)].to_dict("records"):
        encoder, measure = one["encoder"], one["measure"]
        scores = study.runs(one["collection"], [NONE], encoder).by(measure)
        own = scores.of(NONE, measure).dropna()
        difference = float(own.mean()) - one["published"]
        rows.append(
            {
                "model": encoder,
                "window": models.spec(encoder).window,
                "collection": one["collection"],
                "measure": measure,
                "n": len(own),
                "witness": one["published"],
                "score": float(own.mean()),
                "difference": difference,
                "agrees": abs(difference) <= AGREES,
                "same_weights": one["model"] == encoder,
            }
        )
    return pd.DataFrame(rows)
