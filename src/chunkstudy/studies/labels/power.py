"""Tables of how many queries it takes to see a difference between two chunkers."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from chunkstudy.evaluation.statistics import power
from chunkstudy.evaluation.statistics.differences import Pair, differences
from chunkstudy.runs.study_results import StudyError

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
"""What a study of chunking asks: the next size, overlap or none, one family or the other; of
chunkers of which none is here, all pairs."""


def queries_needed(records: pd.DataFrame) -> pd.DataFrame:
    """Paired differences in recall, and the queries it takes to see them, or a
    given difference of the same spread, four times in five; infinitely many for no difference.

    Corrected within each of the two measures.

    Args:
        records: of :func:`averages.read`.

    Raises:
        StudyError: if they are of one chunker only.
    """
    of_each = {
        str(name): rows.reset_index(drop=True)  # in the order of the collection, as draws have it
        for name, rows in records.groupby("chunker", sort=False)
    }
    if len(of_each) < 2:
        raise StudyError("one chunker cannot be told apart from another; name two or more")
    known = [pair for pair in PAIRS if of_each.keys() >= {*pair}]
    pairs = [
        Pair(
            {"a": first, "b": second, "measure": measure},
            of_each[first][measure],
            of_each[second][measure],
        )
        for first, second in known or combinations(of_each, 2)
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
