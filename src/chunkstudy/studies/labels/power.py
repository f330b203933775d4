"""Tables of how many queries it takes to see a difference between two chunkers."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.labels.averages import Floats, LabelRecords

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
IN_THE_PAPER: dict[str, Any] = {
    "heads": {
        "a": "first",
        "b": "second",
        "a minus b": "difference",
        "low": "95% interval",
        "shown": "shown",
        "needed for 5 points": "questions for 5 points",
    },
    "caption": (
        "Pairs of chunkers on Chroma's corpora with all-MiniLM-L6-v2: recall of excerpts at five, "
        r"first minus second, in points, \val{collections/questions} questions; and how many "
        "questions it takes to show a true difference of 5 points four times in five. Shown is "
        "after Holm's correction over the pairs, the intervals are before it. Sizes are in tokens."
    ),
    "span": "page",
    "shorter": {" tokens": ""},
}
"""How the paper sets the pairs by recall of excerpts."""


def queries_needed(records: LabelRecords) -> pd.DataFrame:
    """Paired differences in recall, and the queries it takes to see them, or a
    given difference of the same spread, four times in five; infinitely many for no difference.

    Corrected within each of the two measures.
    """
    keyed = [
        ({"a": one, "b": other, "measure": measure}, _arms(records, one, other, measure))
        for one, other in _pairs(records)
        for measure in MEASURES
    ]
    pairs = [Pair(keys, *map(pd.Series, arms)) for keys, arms in keyed]
    table = differences(pairs, "chunkers by {measure}", "recall of a", "recall of b")
    stds = [float((a - b).std(ddof=1)) for _, (a, b) in keyed]
    found = list(zip(table["n"], table["difference"], stds, strict=True))
    asked = {f"needed for {points} points": points / 100 for points in GIVEN}
    return table.rename(columns={"difference": "a minus b", "n": "queries"}).assign(
        std=stds,
        **{
            "shown by them": [power.detectable(n, std) for n, _, std in found],
            "needed": [power.queries_needed(change, std) for _, change, std in found],
            **{
                name: [power.queries_needed(change, std) for std in stds]
                for name, change in asked.items()
            },
        },
    )


def overlapping(needed: pd.DataFrame) -> pd.DataFrame:
    """Token windows of 250 with an overlap of 125 minus those without, a row a measure, as
    comparisons have them; empty cells where these are not compared."""
    pair = needed[(needed["a"] == "token-250-125") & (needed["b"] == "token-250-0")]
    pair = pair.rename(columns={"a minus b": "difference", "queries": "n"})
    return pair.set_index("measure").reindex(MEASURES)


def power_curve(records: LabelRecords) -> pd.DataFrame:
    """Of samples of n queries, the share that shows a pair's difference, drawn and by formula."""
    rows = []
    for one, other in _pairs(records):
        for measure in MEASURES:
            a, b = _arms(records, one, other, measure)
            difference = a - b
            effect = abs(float(difference.mean() / difference.std(ddof=1)))
            shares = power.share_seen(difference, SIZES_DRAWN)
            rows += [
                {
                    "a": one,
                    "b": other,
                    "measure": measure,
                    "queries": n,
                    "seen": share,
                    "by formula": power.power_of(n, effect),
                }
                for n, share in zip(SIZES_DRAWN, shares, strict=True)
            ]
    return pd.DataFrame(rows)


def _arms(records: LabelRecords, one: str, other: str, measure: str) -> tuple[Floats, Floats]:
    return records.values(one, measure), records.values(other, measure)


def _pairs(records: LabelRecords) -> list[tuple[str, str]]:
    """Of two chunkers each: those that a study asks of, where there are such."""
    known = set(records.chunkers)
    if len(known) < 2:
        raise StudyError("one chunker cannot be told apart from another; name two or more")
    asked = [pair for pair in PAIRS if known.issuperset(pair)]
    return asked or list(combinations(records.chunkers, 2))
