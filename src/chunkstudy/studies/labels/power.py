"""Tables of how many queries it takes to see a difference between two chunkers."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.labels.averages import LabelRecords

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
    pairs = [
        Pair(
            {"a": first, "b": second, "measure": measure},
            records.recall(first, measure),
            records.recall(second, measure),
        )
        for first, second in _pairs(records)
        for measure in MEASURES
    ]
    table = differences(pairs, "chunkers by {measure}", "recall of a", "recall of b")
    table["std"] = [(pair.first - pair.second).std() for pair in pairs]
    table["shown by them"] = [
        power.detectable(n, std) for n, std in zip(table["n"], table["std"], strict=True)
    ]
    table["needed"] = list(map(power.queries_needed, table["difference"], table["std"]))
    for points in GIVEN:
        needed = [power.queries_needed(points / 100, std) for std in table["std"]]
        table[f"needed for {points} points"] = needed
    return table.rename(columns={"difference": "a minus b", "n": "queries"})


def overlapping(needed: pd.DataFrame) -> pd.DataFrame:
    """Token windows of 250 with an overlap of 125 minus those without, a row a measure, as
    comparisons have them; empty cells where these are not compared."""
    pair = needed[(needed["a"] == "token-250-125") & (needed["b"] == "token-250-0")]
    pair = pair.rename(columns={"a minus b": "difference", "queries": "n"})
    return pair.set_index("measure").reindex(MEASURES)


def _pairs(records: LabelRecords) -> list[tuple[str, str]]:
    """Of two chunkers each: those that a study asks of, where there are such."""
    known = set(records.chunkers)
    if len(known) < 2:
        raise StudyError("one chunker cannot be told apart from another; name two or more")
    chosen = [pair for pair in PAIRS if known.issuperset(pair)]
    return chosen or list(combinations(records.chunkers, 2))
