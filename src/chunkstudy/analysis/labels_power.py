"""Tables of how many queries it takes to see a difference between two chunkers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.labels import LabelRecords, percent
from chunkstudy.statistics import power

SIZES_DRAWN = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 700, 1000)
MEASURES = ("recall", "SpanRecall")
GIVEN = (2, 5)
"""Differences in points for which the number of queries is asked."""
PAIRS = (
    *(
        (f"{family}-{larger}-0", f"{family}-{smaller}-0")
        for family in ("recursive", "token")
        for smaller, larger in ((50, 100), (100, 200), (200, 250), (250, 400))
    ),
    *((f"{family}-250-125", f"{family}-250-0") for family in ("recursive", "token")),
    *(
        (f"recursive-{size}", f"token-{size}")
        for size in ("50-0", "100-0", "200-0", "250-0", "250-125", "400-0")
    ),
)
"""What a study of chunking asks: the next size, overlap or none, one family or the other."""


def queries_needed(records: LabelRecords | None) -> pd.DataFrame:
    """Paired differences in recall at five chunks, in points, and the queries it takes to see
    them, or a given difference of the same spread, four times in five."""
    if records is None:
        return pd.DataFrame()
    rows = []
    for one, other in _pairs(records):
        for measure in MEASURES:
            a, b = records.values(one, measure), records.values(other, measure)
            found = statistics.paired_difference(a, b)
            std = float((a - b).std(ddof=1))
            rows.append(
                {
                    "a": one,
                    "b": other,
                    "measure": measure,
                    "a minus b": percent(found.mean),
                    "low": percent(found.interval.low),
                    "high": percent(found.interval.high),
                    "p": found.p,
                    "std": percent(std),
                    "queries": found.n,
                    "shown by them": percent(power.detectable(found.n, std)),
                    "needed": _whole(power.queries_needed(found.mean, std)),
                    **{
                        f"needed for {points} points": _whole(
                            power.queries_needed(points / 100, std)
                        )
                        for points in GIVEN
                    },
                }
            )
    table = pd.DataFrame(rows)
    table["p (Holm)"] = [f"{p:.2g}" for p in statistics.holm(table["p"])]
    table["p"] = [f"{p:.2g}" for p in table["p"]]
    return table


def power_curve(records: LabelRecords | None) -> pd.DataFrame:
    """Of samples of n queries, the share that shows a pair's difference, drawn and by formula."""
    if records is None:
        return pd.DataFrame()
    rows = []
    for one, other in _pairs(records):
        for measure in MEASURES:
            difference = records.values(one, measure) - records.values(other, measure)
            effect = abs(float(difference.mean() / difference.std(ddof=1)))
            for n, share in zip(
                SIZES_DRAWN, power.share_seen(difference, SIZES_DRAWN), strict=True
            ):
                rows.append(
                    {
                        "a": one,
                        "b": other,
                        "measure": measure,
                        "queries": n,
                        "seen": f"{share:.3f}",
                        "by formula": f"{power.power_of(n, effect):.3f}",
                    }
                )
    return pd.DataFrame(rows)


def _pairs(records: LabelRecords) -> list[tuple[str, str]]:
    known = set(records.chunkers)
    return [pair for pair in PAIRS if known.issuperset(pair)]


def _whole(number: float) -> str:
    return f"{number:.0f}" if np.isfinite(number) else "none would do"
