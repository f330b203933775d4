"""Paired differences over documents: questions asked of one document share its text, so where
documents are many they are what is drawn, each with all its questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.paired import Pair, differences, shown
from chunkstudy.statistics.clusters import clustered_mean

FEWEST = 20
"""Documents below which an interval over them would rest on too few, and questions are drawn."""
BOOTSTRAP = f"percentile bootstrap over documents, {statistics.RESAMPLES:,} resamples"
Keys = Mapping[str, object]


def differences_by_document(
    pairs: Sequence[Pair],
    documents: Sequence[pd.Series],
    family: Callable[[Keys], str],
    first: str,
    second: str,
) -> pd.DataFrame:
    """:func:`differences`, whose interval and both p are over documents where a pair has
    ``FEWEST`` of them or more; ``documents`` counts them and ``interval`` says which it is.

    Args:
        pairs: the comparisons.
        documents: of each pair, by query id the document that the question is asked of.
        family: which question a pair with these keys answers.
        first: name of the column of the first system's mean; ``second`` likewise.
    """
    table = differences(pairs, family, first, second)
    if table.empty:
        return table
    counts = []
    margins = table["margin"].tolist()
    for row, pair, asked in zip(table.index, pairs, documents, strict=True):
        change = (pair.first - pair.second).dropna().sort_index()
        groups = asked.loc[change.index]
        counts.append(groups.nunique())
        if counts[-1] < FEWEST:
            continue
        found = clustered_mean(change, groups)
        equal = statistics.two_one_sided(
            found.mean, found.error, found.groups - 1, margins[len(counts) - 1]
        )
        table.loc[row, ["low", "high", "p", "p_equivalent"]] = [*found.interval, found.p, equal]
        table.loc[row, "interval"] = BOOTSTRAP
    families = table.groupby("family", sort=False)
    for p in ("p", "p_equivalent"):
        table[f"{p}_holm"] = families[p].transform(statistics.holm)
    table["shown"] = shown(table)
    return table.assign(documents=counts)
