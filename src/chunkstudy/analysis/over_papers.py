"""Paired differences beside which stands what they are over papers, where questions come in papers.

Questions of one paper share its text, so beside the interval over questions stands one over papers,
each drawn with all its questions; where the two disagree, that over papers is to be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.paired import Keys, Pair, differences, margin, shown
from chunkstudy.collections import covid_qa
from chunkstudy.statistics.clusters import clustered_mean

COLUMNS = ["papers drawn", "over papers low", "over papers high", "over papers p",
           "over papers p_equivalent"]  # fmt: skip
NONE = (0, np.nan, np.nan, np.nan, np.nan)


def differences_over_papers(
    pairs: Sequence[Pair],
    parts: pd.DataFrame,
    family: str | Callable[[Keys], str],
    first: str,
    second: str,
) -> pd.DataFrame:
    """The paired differences, beside each the interval and p over papers, and what these show.

    Args:
        pairs: the comparisons. Where their keys name a collection, only COVID-QA's have papers;
            what others show is decided over their questions.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty where no pair has
            papers.
    """
    table = differences(pairs, family, first, second)
    if table.empty:
        return table
    papers = parts.set_index("query_id")["part"] if len(parts) else pd.Series(dtype=str)
    beside = pd.DataFrame([_over_papers(one, papers) for one in pairs], table.index, COLUMNS)
    for p in ("p", "p_equivalent"):
        by_family = beside[f"over papers {p}"].groupby(table["family"], sort=False)
        beside[f"over papers {p}_holm"] = by_family.transform(statistics.holm)
    decisive = {
        p: beside[f"over papers {p}"].where(beside["papers drawn"] > 0, table[p])
        for p in ("p_holm", "p_equivalent_holm")
    }
    table["shown"] = shown(table.assign(**decisive))
    return pd.concat([table, beside], axis=1)


def _over_papers(pair: Pair, papers: pd.Series) -> tuple[float, ...]:
    if pair.keys.get("collection", covid_qa.WITHIN) not in (covid_qa.WITHIN, covid_qa.ALL):
        return NONE
    change = (pair.first - pair.second).dropna().sort_index()
    found = clustered_mean(change, papers.loc[change.index])
    allowed = margin(str(pair.keys.get("measure", "")))
    equal = statistics.two_one_sided(found.mean, found.error, found.groups - 1, allowed)
    return found.groups, *found.interval, found.p, equal
