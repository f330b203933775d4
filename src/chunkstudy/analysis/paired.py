"""The one builder of paired differences: systems over the same queries, corrected by family.

A family is the comparisons that together answer one question; Holm's correction is taken within
it and never over two of them, for the tests of a difference as for those of equivalence. Every
figure is an unrounded float, so that what is decided by it (``p_holm < 0.05``, ``low > 0``) does
not hang on how it is printed.

A comparison ends in one of four words (``shown``): the first system is *higher* or *lower*, the
two are *equivalent*, which is to differ by less than a margin, or it is *not shown* which.

Questions asked of one document share its text. Where a pair says which they are and they are many,
documents are what is drawn, each with all its questions; otherwise questions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy import statistics
from chunkstudy.statistics.clusters import clustered_mean

SIGNIFICANT = 0.05
"""p below it, corrected within its family, is spoken of as shown."""
POINT = 0.01
"""The margin of equivalence: a point of a hundred, half of the mean gain over five collections
that Jina prints for late chunking, so that what passes is smaller than what the works speak of."""
TENTH = 0.001
"""The margin of a score that cannot come near 1, as :func:`margin` says: a tenth of a point."""
FEWEST_DOCUMENTS = 20
"""Documents below which an interval over them would rest on too few, and questions are drawn."""
OF_ALL_RETRIEVED = ("SpanPrecision", "SpanIoU")
HIGHER, LOWER, EQUIVALENT, NOT_SHOWN = "higher", "lower", "equivalent", "not shown"
BOOTSTRAP = f"percentile bootstrap over queries, {statistics.RESAMPLES:,} resamples"
STRATIFIED = f"percentile bootstrap within each collection, {statistics.RESAMPLES:,} resamples"
OVER_DOCUMENTS = (
    f"percentile bootstrap over documents where they are {FEWEST_DOCUMENTS} or more, "
    f"{statistics.RESAMPLES:,} resamples"
)
FIGURES = ("difference", "low", "high", "p", "p_holm", "family", "family_size", "interval",
           "effect", "margin", "p_equivalent", "p_equivalent_holm", "shown")  # fmt: skip
Keys = Mapping[str, object]


@dataclass(frozen=True)
class Pair:
    """Two systems to compare.

    Attributes:
        keys: what tells this comparison from the others: the row's leading columns. ``measure``,
            where it is one of them, decides the margin.
        first: a score per query, indexed by query id; NaN where a query has none.
        second: the same of the other system. Only queries of both are compared. Where both are
            indexed by (collection, query), the mean is one of the collections' means.
        documents: by query id, the document that each question is asked of, where it is one.
    """

    keys: Keys
    first: pd.Series
    second: pd.Series
    documents: pd.Series | None = None


def differences(
    pairs: Iterable[Pair],
    family: str | Callable[[Keys], str],
    first: str,
    second: str,
    *,
    seed: int = 0,
) -> pd.DataFrame:
    """First minus second, a row per pair, in the unit of the scores, which are fractions.

    Args:
        pairs: the comparisons, all with the same keys.
        family: the question that they answer, or which question a pair with these keys answers.
        first: name of the column of the first system's mean; ``second`` likewise.
        seed: of the resamples behind the intervals.

    Returns:
        The keys, then ``n`` common queries, ``documents`` that they are asked of where a pair names
        them, both means, ``difference``, its 95% interval ``low`` to ``high`` (``interval`` names
        the method), ``p`` of a paired t-test (Welch's of the collections' means, where there are
        several), ``p_holm`` within ``family`` of ``family_size`` comparisons, ``effect`` (dz),
        ``p_equivalent`` of two one-sided tests that the difference is less than ``margin``,
        ``p_equivalent_holm``, and in a word what is ``shown``. What one query cannot tell is NaN.
        Interval and both p are over documents where there are ``FEWEST_DOCUMENTS`` or more.

    Raises:
        ValueError: for query ids that stand twice, so that no query has one score, and for a query
            without its document where documents are named.
    """
    rows = []
    for pair in pairs:
        name = family if isinstance(family, str) else family(pair.keys)
        rows.append({**pair.keys, **_compared(pair, first, second, seed), "family": name})
    if not rows:
        return pd.DataFrame(columns=["n", first, second, *FIGURES])
    table = corrected(pd.DataFrame(rows))
    counts = ["n"]
    if "documents" in table:
        table["documents"] = table["documents"].astype("Int64")
        counts.append("documents")
    keys = [name for name in rows[0] if name not in (*counts, first, second, *FIGURES)]
    return table[[*keys, *counts, first, second, *FIGURES]]


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """The table with both p corrected by Holm within ``family``, its ``family_size``, and what is
    then ``shown``."""
    families = table.groupby("family", sort=False)
    adjusted = {f"{p}_holm": families[p].transform(statistics.holm) for p in ("p", "p_equivalent")}
    size = families["p"].transform("count").astype(int)
    table = table.assign(**adjusted, family_size=size)
    return table.assign(shown=shown(table))


def documents_of(parts: pd.DataFrame) -> pd.Series | None:
    """By query id the document that it is asked of, as a pair takes it; None where nobody knows.

    Args:
        parts: ``query_id`` and ``part``; may be empty.
    """
    return parts.set_index("query_id")["part"] if len(parts) else None


def margin(measure: str) -> float:
    """Below which difference two systems count as equal by this measure, as a fraction.

    A share of all that was retrieved stays below a tenth at five chunks, however good a system is,
    so that a point would be much there.
    """
    return TENTH if measure.partition("@")[0].partition("(")[0] in OF_ALL_RETRIEVED else POINT


def shown(table: pd.DataFrame) -> pd.Series:
    """What each row shows in a word; a sure difference is one even where it is below the margin."""
    differs = table["p_holm"] < SIGNIFICANT
    words = np.select(
        [differs & (table["difference"] > 0), differs, table["p_equivalent_holm"] < SIGNIFICANT],
        [HIGHER, LOWER, EQUIVALENT],
        NOT_SHOWN,
    )
    return pd.Series(words, index=table.index)


def _compared(pair: Pair, first: str, second: str, seed: int) -> dict[str, object]:
    for scores in (pair.first, pair.second):
        if not scores.index.is_unique:
            twice = scores.index[scores.index.duplicated()][0]
            raise ValueError(
                f"query {twice!r} of {dict(pair.keys)} has two scores; give one row per query"
            )
    both = pd.concat({first: pair.first, second: pair.second}, axis=1, join="inner").dropna()
    allowed = margin(str(pair.keys.get("measure", "")))
    if both.index.nlevels > 1:
        return {"n": len(both), "margin": allowed, **_over_collections(both, allowed, seed)}
    both = both.sort_index()  # so that the order of the rows cannot move the interval
    found = statistics.paired_difference(both[first], both[second], seed=seed)
    row = {
        "n": found.n,
        first: statistics.mean(both[first]),
        second: statistics.mean(both[second]),
        "difference": found.mean,
        "low": found.interval.low,
        "high": found.interval.high,
        "p": found.p,
        "interval": BOOTSTRAP,
        "effect": found.effect,
        "margin": allowed,
        "p_equivalent": statistics.equivalence(both[first], both[second], allowed).p,
    }
    if pair.documents is None:
        return row
    return row | _over_documents(both[first] - both[second], pair, allowed, seed)


def _over_documents(change: pd.Series, pair: Pair, allowed: float, seed: int) -> dict[str, object]:
    """Their number and, where they are many enough, what is drawn over them."""
    assert pair.documents is not None
    if len(unknown := change.index.difference(pair.documents.index)):
        raise ValueError(
            f"query {unknown[0]!r} of {dict(pair.keys)} has no document; name one for every query"
        )
    groups = pair.documents.loc[change.index]
    if groups.nunique() < FEWEST_DOCUMENTS:
        return {"documents": groups.nunique()}
    found = clustered_mean(change, groups, seed=seed)
    return {
        "documents": found.groups,
        "low": found.interval.low,
        "high": found.interval.high,
        "p": found.p,
        "interval": OVER_DOCUMENTS,
        "p_equivalent": statistics.two_one_sided(
            found.mean, found.error, found.groups - 1, allowed
        ),
    }


def _over_collections(both: pd.DataFrame, allowed: float, seed: int) -> dict[str, object]:
    first, second = both.columns
    change = both[first] - both[second]
    groups = [one for _, one in change.groupby(level=0, sort=False)]
    found = statistics.over_collections(groups, seed=seed)
    means = both.groupby(level=0).mean().mean()
    return {
        first: float(means[first]),
        second: float(means[second]),
        "difference": found.mean,
        "low": found.interval.low,
        "high": found.interval.high,
        "p": found.p,
        "interval": STRATIFIED,
        "effect": np.nan,
        "p_equivalent": statistics.two_one_sided(found.mean, found.error, found.freedom, allowed),
    }
