"""How far the context of a late chunk reaches, and whether alike both ways, from the study of
bidirectionality.

The unit is a model's own: the mean distance between two neighbouring chunks that are read alone,
as plain chunking reads them, since models spread their vectors over spaces of different width.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.paired import HIGHER, LOWER, NOT_SHOWN, SIGNIFICANT
from chunkstudy.statistics.intervals import percentile_interval, resampled_sums
from chunkstudy.studies.bidirectionality import (
    ALONE,
    APART,
    BEYOND,
    DISTANCES,
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
DIFFERENCE = "later minus earlier"
OVER_TEXTS = f"percentile bootstrap over texts, {statistics.RESAMPLES:,} resamples"
FAMILY = "later against earlier text"
"""A family for each kind of replacement, over models and distances."""


def tables(movements: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table, empty where the study was not run.

    Args:
        movements: the study's table.
    """
    if movements.empty:
        names = ("context_reach", "context_yardsticks", "context_both_ways")
        return dict.fromkeys(names, pd.DataFrame())
    return {
        "context_reach": reach(movements),
        "context_yardsticks": yardsticks(movements),
        "context_both_ways": both_ways(movements),
    }


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


def both_ways(movements: pd.DataFrame) -> pd.DataFrame:
    """By model, distance and what is replaced: movement by later text minus that by earlier text of
    the same document, and the one over the other.

    Where later text moves nothing at all, as in a causal model, there is nothing to test.
    """
    rows: list[dict[str, object]] = []
    for model, part in movements.groupby("model", sort=False):
        for what in (HALF, BEYOND, FEW):
            for distance, of in part[part["replaced"] == what].groupby("distance"):
                if (what, distance) == (FEW, DISTANCES[-1]):
                    continue  # all that is left beyond it, tested above
                ways = of.pivot_table(index=TEXT, columns="direction", values=MOVED)
                found = statistics.paired_difference(ways[LATER], ways[EARLIER])
                rows.append(
                    {
                        "model": model,
                        "replaced": what,
                        "distance": distance,
                        "texts": found.n,
                        LATER: ways[LATER].mean(),
                        EARLIER: ways[EARLIER].mean(),
                        DIFFERENCE: found.mean,
                        f"{DIFFERENCE} low": found.interval.low,
                        f"{DIFFERENCE} high": found.interval.high,
                        "later over earlier": ways[LATER].mean() / ways[EARLIER].mean(),
                        "p": found.p if ways[LATER].any() else math.nan,
                        "p_holm": math.nan,
                        "family": f"{FAMILY}, {what}",
                        "interval": OVER_TEXTS,
                    }
                )
    table = pd.DataFrame(rows)
    families = table.groupby("family")["p"]
    table["p_holm"] = families.transform(statistics.holm)
    table["family_size"] = families.transform("count")
    sign = np.where(table[DIFFERENCE] > 0, HIGHER, LOWER)
    table["shown"] = np.where(table["p_holm"] < SIGNIFICANT, sign, NOT_SHOWN)
    table.loc[table["p"].isna(), "shown"] = ""
    return table


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
