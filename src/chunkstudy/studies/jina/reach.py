"""Which models have what late chunking asks for, and how far a late chunk's vector moves.

The unit is a model's own: the mean distance between two neighbouring chunks that are read alone,
as plain chunking reads them, since models spread their vectors over spaces of different width.
"""

from __future__ import annotations

import pandas as pd

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.intervals import percentile_interval, resampled_sums
from chunkstudy.studies.jina import checklist
from chunkstudy.studies.jina.bidirectionality import APART, HALF

TEXT = ["collection", "document", "start"]
MOVED, UNIT = "cosine distance", "of the next chunk"
OVER_TEXTS = f"percentile bootstrap over texts, {statistics.RESAMPLES:,} resamples"


def checked() -> pd.DataFrame:
    """The registered models by the checklist of Jina's second post, a row each; what nobody says is
    unknown."""
    rows = [checklist.row(spec) for spec in checklist.every()]
    for row in rows:
        for length in ("tuned on", "pre-trained on"):
            row[length] = checklist.UNKNOWN if row[length] is None else f"{row[length]:,}"
    return pd.DataFrame(rows)


def reach(movements: pd.DataFrame) -> pd.DataFrame:
    """By model and direction, how far vectors move when all text on that side is replaced.

    ``of the next chunk`` is the mean movement over the mean distance between two neighbours read
    alone, both over the same texts, which the bootstrap draws together.
    """
    rows: list[dict[str, object]] = []
    for model, part in movements.groupby("model", sort=False):
        # of each text the distance between two neighbours read alone, the mean of both its ends
        next_chunk = part[part["replaced"] == APART].groupby(TEXT)[MOVED].mean()
        for way, of_way in part[part["replaced"] == HALF].groupby("direction", sort=False):
            moved = of_way.set_index(TEXT)[MOVED]
            unit = next_chunk.loc[moved.index]
            drawn = resampled_sums([moved, unit])
            interval = statistics.bootstrap_interval(moved)
            ratio = percentile_interval(drawn[0] / drawn[1])
            rows.append(
                {
                    "model": model,
                    "direction": way,
                    "texts": len(moved),
                    **statistics.with_interval(MOVED, moved.mean(), interval),
                    **statistics.with_interval(UNIT, moved.sum() / unit.sum(), ratio),
                    "interval": OVER_TEXTS,
                }
            )
    return pd.DataFrame(rows)
