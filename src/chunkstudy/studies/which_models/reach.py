"""Which models have what late chunking asks for, and how far the context of a late chunk reaches.

The unit is a model's own: the mean distance between two neighbouring chunks that are read alone,
as plain chunking reads them, since models spread their vectors over spaces of different width.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.intervals import percentile_interval, resampled_sums
from chunkstudy.studies.which_models import checklist
from chunkstudy.studies.which_models.bidirectionality import APART, CUTS, NEIGHBOUR, WAYS

TEXT = ["collection", "document", "start"]
MOVED, UNIT = "cosine distance", "of the next chunk"
OVER_TEXTS = f"percentile bootstrap over texts, {statistics.RESAMPLES:,} resamples"
IN_THE_PAPER: dict[str, Any] = {
    "heads": {"model": "model", "window": "window", "tuned on": "tuned on",
              "pre-trained on": "pre-trained", "late chunking suits": "suits"},
    "caption": "Embedding models that the works name or that we ran: the window they claim, on how "
    "long texts they were tuned and pre-trained according to public sources, in tokens, and "
    "whether they have what Jina's second post asks of a model for late chunking: a long window "
    "and a mean over tokens. Those named text-embedding are OpenAI's.",
    "shorter": {" in four bits": "", "OpenAI ": ""},
}  # fmt: skip
"""How the paper sets the checklist."""


def checked() -> pd.DataFrame:
    """The registered models by the checklist of Jina's second post, a row each; what nobody says is
    unknown."""
    rows = [checklist.row(one) for one in checklist.every()]
    for row in rows:
        for length in ("tuned on", "pre-trained on"):
            row[length] = checklist.UNKNOWN if row[length] is None else f"{row[length]:,}"
    return pd.DataFrame(rows)


def reach(movements: pd.DataFrame) -> pd.DataFrame:
    """By model, direction, distance and what is replaced: how far vectors move.

    ``of the next chunk`` is the mean movement over the mean distance between two neighbours read
    alone, both over the same texts, which the bootstrap draws together.
    """
    return _moves(movements, tuple(CUTS))


def yardsticks(movements: pd.DataFrame) -> pd.DataFrame:
    """By model: the distance between neighbours, read alone and in the text."""
    moves = _moves(movements, (APART, NEIGHBOUR)).drop(columns="distance")
    return moves.rename(columns={"replaced": "against"})


def _moves(movements: pd.DataFrame, kinds: Sequence[str]) -> pd.DataFrame:
    """A row per model, kind of replacement, direction and distance, over the texts of each."""
    rows: list[dict[str, object]] = []
    for model, part in movements.groupby("model", sort=False):
        # of each text the distance between two neighbours read alone, the mean of both its ends
        next_chunk = part[part["replaced"] == APART].groupby(TEXT)[MOVED].mean()
        for kind, way in product(kinds, WAYS):
            of_way = part[(part["replaced"] == kind) & (part["direction"] == way)]
            for distance, of in of_way.groupby("distance"):
                moved = of.set_index(TEXT)[MOVED]
                unit = next_chunk.loc[moved.index]
                drawn = resampled_sums([moved, unit])
                moves = statistics.bootstrap_interval(moved)
                ratio = percentile_interval(drawn[0] / drawn[1])
                rows.append(
                    {
                        "model": model,
                        "replaced": kind,
                        "direction": way,
                        "distance": distance,
                        "texts": len(moved),
                        **statistics.with_interval(MOVED, moved.mean(), moves),
                        "relative distance": of["relative distance"].mean(),
                        **statistics.with_interval(UNIT, moved.sum() / unit.sum(), ratio),
                        "interval": OVER_TEXTS,
                    }
                )
    return pd.DataFrame(rows)
