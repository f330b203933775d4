"""The study's scores without chunking beside a public leaderboard's.

What others measured judges no published cell; it tells whether encoder, collection and measure are
what others mean by their names. Its row says where the number stands: repository, commit, path,
place.
"""

from __future__ import annotations

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from chunkstudy.base.places import Places
from chunkstudy.encoders import models
from chunkstudy.published.cells import by_key
from chunkstudy.runs.conditions import NONE
from chunkstudy.show.formats import percent_finely, points_finely
from chunkstudy.show.study import Study

AS_WITNESSES = {"witness": percent_finely, "score": percent_finely, "difference": points_finely}


AGREES = 0.004
"""How far a score may lie off: what another library's rounding and ties were seen to move."""


class Witness(BaseModel):
    """One score of one model on one collection, every document read whole up to its window."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    collection: str
    encoder: str
    """The study's id; the window is the model's own."""
    model: str
    """The hub id of what was measured: another than ``encoder`` where its weights were rounded."""
    measure: str
    published: str = Field(pattern=r"^0\.[0-9]+$")
    """A fraction, as it stands in the file."""
    repository: str = Field(pattern=r"^[^/]+/[^/]+$")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    path: str
    place: str
    """Keys down to the number."""
    benchmark: str
    """Which software measured it, with its version."""

    @property
    def same_weights(self) -> bool:
        """Whether the very weights were measured that the study runs."""
        return self.model == self.encoder


def read(places: Places) -> list[Witness]:
    """The witnesses, in the order of their files.

    Raises:
        CellError: for a row that is not a witness, or two of the same score.
    """
    paths = sorted((places.published / "witnesses").glob("*.csv"))
    return by_key(paths, Witness, lambda one: (one.collection, one.encoder, one.measure))


def beside_leaderboard(study: Study, encoders: list[str]) -> pd.DataFrame:
    """A row a score that the leaderboard has of one of these models, each at its own window: both
    as fractions, and whether they agree. Weights that are rounded here to four bits say what the
    rounding costs."""
    rows = []
    for one in read(study.places):
        if one.encoder in encoders:
            scores = study.runs(one.collection, [NONE], one.encoder).scores(
                k=10, measures=[one.measure]
            )
            own = scores.of(NONE, one.measure).dropna()
            row = {"model": one.encoder, "window": models.spec(one.encoder).window}
            row |= {"collection": one.collection, "measure": one.measure, "n": len(own)}
            value = float(one.published)
            difference = float(own.mean()) - value
            row |= {"witness": value, "score": float(own.mean()), "difference": difference}
            row |= {"agrees": abs(difference) <= AGREES}
            rows.append(row | {"same_weights": one.same_weights})
    return pd.DataFrame(rows)
