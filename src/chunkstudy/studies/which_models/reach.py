"""Which models have what late chunking asks for, and how far the context of a late chunk reaches.

The unit is a model's own: the mean distance between two neighbouring chunks that are read alone,
as plain chunking reads them, since models spread their vectors over spaces of different width.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.intervals import percentile_interval, resampled_sums
from chunkstudy.runs import checklist
from chunkstudy.studies.which_models.bidirectionality import (
    ALONE,
    APART,
    BEYOND,
    EARLIER,
    FEW,
    HALF,
    LATER,
    NEIGHBOUR,
    SAME,
)

TEXT = ["collection", "document", "start"]
MOVED = "cosine distance"
AGAINST = {ALONE: "itself, read alone", SAME: "itself, the same text again"}
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
    return pd.DataFrame(
        {
            "model": model,
            "replaced": what,
            "direction": way,
            "distance": distance,
            "texts": len(moved),
            MOVED: moved.mean(),
            f"{MOVED} low": interval.low,
            f"{MOVED} high": interval.high,
            "relative distance": of["relative distance"].mean(),
            **_ratio(moved, next_chunk.loc[moved.index]),
            "interval": OVER_TEXTS,
        }
        for model, part in movements.groupby("model", sort=False)
        for next_chunk in [_next_chunk(part)]
        for (what, way, distance), of in _moved(part)
        for moved in [of[MOVED]]
        for interval in [statistics.bootstrap_interval(moved)]
    )


def yardsticks(movements: pd.DataFrame) -> pd.DataFrame:
    """By model: the distance between neighbours, read alone and in the text, of a chunk to itself
    read alone, and to itself in the same text read again, which must be 0."""
    rows = []
    for model, part in movements.groupby("model", sort=False):
        unit = _next_chunk(part)
        for what in (APART, NEIGHBOUR, ALONE, SAME):
            for way in (LATER, EARLIER):
                of = part[(part["replaced"] == what) & (part["direction"] == way)]
                here = of.set_index(TEXT)
                interval = statistics.bootstrap_interval(here[MOVED])
                rows.append(
                    {
                        "model": model,
                        "against": AGAINST.get(what, what),
                        "direction": way,
                        "texts": len(here),
                        MOVED: here[MOVED].mean(),
                        f"{MOVED} low": interval.low,
                        f"{MOVED} high": interval.high,
                        "relative distance": here["relative distance"].mean(),
                        **_ratio(here[MOVED], unit.loc[here.index]),
                        "largest": here[MOVED].max(),
                        "interval": OVER_TEXTS,
                    }
                )
    return pd.DataFrame(rows)


def _moved(part: pd.DataFrame) -> Iterator[tuple[tuple[str, str, int], pd.DataFrame]]:
    """What was replaced, which way and from where on, with a row per text."""
    for what in (BEYOND, FEW, HALF):
        for way in (LATER, EARLIER):
            here = part[(part["replaced"] == what) & (part["direction"] == way)]
            for distance, of in here.groupby("distance"):
                yield (what, way, int(str(distance))), of.set_index(TEXT)


def _next_chunk(part: pd.DataFrame) -> pd.Series:
    """Of each text the distance between two neighbours read alone, the mean of both its ends."""
    mean: pd.Series = part[part["replaced"] == APART].groupby(TEXT)[MOVED].mean()
    return mean


def _ratio(moved: pd.Series, unit: pd.Series) -> dict[str, float]:
    drawn = resampled_sums([moved, unit])
    interval = percentile_interval(drawn[0] / drawn[1])
    name = "of the next chunk"
    return {
        name: float(moved.sum() / unit.sum()),
        f"{name} low": interval.low,
        f"{name} high": interval.high,
    }
