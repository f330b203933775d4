"""The study's scores without chunking beside a public leaderboard's."""

from __future__ import annotations

import pandas as pd

from chunkstudy.encoders import models
from chunkstudy.published import witnesses
from chunkstudy.runs.conditions import NONE
from chunkstudy.show.formats import percent_finely, points_finely
from chunkstudy.show.study import Study

AS_WITNESSES = {"witness": percent_finely, "score": percent_finely, "difference": points_finely}


def beside_leaderboard(study: Study, encoders: list[str]) -> pd.DataFrame:
    """A row a score that the leaderboard has of one of these models, each at its own window: both
    as fractions, and whether they agree. Weights that are rounded here to four bits say what the
    rounding costs."""
    rows = []
    for one in witnesses.read(study.places):
        if one.encoder in encoders:
            scores = study.runs(one.collection, [NONE], one.encoder).scores(
                k=10, measures=[one.measure]
            )
            own = scores.of(NONE, one.measure).dropna()
            row = {"model": one.encoder, "window": models.spec(one.encoder).window}
            row |= {"collection": one.collection, "measure": one.measure, "n": len(own)}
            difference = float(own.mean()) - one.value
            row |= {"witness": one.value, "score": float(own.mean()), "difference": difference}
            row |= {"agrees": abs(difference) <= witnesses.AGREES}
            rows.append(row | {"same_weights": one.same_weights})
    return pd.DataFrame(rows)
