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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from chunkstudy.evaluation import measures, statistics
from chunkstudy.evaluation.statistics.testing import clustered_means

SIGNIFICANT = 0.05
"""p below it, corrected within its family, is spoken of as shown."""
FEWEST_DOCUMENTS = 20
"""Documents below which an interval over them would rest on too few, and questions are drawn."""
HIGHER, LOWER, EQUIVALENT, NOT_SHOWN = ("higher", "lower", "equivalent", "not shown")
BOOTSTRAP = f"percentile bootstrap over queries, {statistics.RESAMPLES:,} resamples"
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
        second: the same of the other system. Only queries of both are compared.
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
        family: the question that they answer, with keys in braces where pairs answer several, or
            what names it by a pair's keys.
        first: name of the column of the first system's mean; ``second`` likewise.
        seed: of the resamples behind the intervals.

    Returns:
        The keys, then ``n`` common queries, ``documents`` that they are asked of where a pair names
        them, both means, ``difference``, its 95% interval ``low`` to ``high`` (``interval`` names
        the method), ``p`` of a paired t-test, ``p_holm`` within ``family`` of ``family_size``
        comparisons, ``effect`` (dz), ``p_equivalent`` of two one-sided tests that the difference is
        less than ``margin``, ``p_equivalent_holm``, and in a word what is ``shown``. What one query
        cannot tell is NaN.
        Interval and both p are over documents where there are ``FEWEST_DOCUMENTS`` or more.

    Raises:
        ValueError: for query ids that stand twice, so that no query has one score, and for a query
            without its document where documents are named.
    """
    given = list(pairs)
    if not given:
        return pd.DataFrame(columns=["n", first, second, *FIGURES])
    common = [_common(pair) for pair in given]
    changes = [(both[0] - both[1]).to_numpy() for both in common]
    counts_of = [both["document"].nunique() if "document" in both else 0 for both in common]
    many = [is_unit(both.get("document")) for both in common]
    grouped = [
        (change, both["document"])
        for change, both, is_many in zip(changes, common, many, strict=True)
        if is_many
    ]
    single = [change for change, is_many in zip(changes, many, strict=True) if not is_many]
    tested = {
        True: iter(clustered_means(grouped, seed)),
        False: iter(statistics.mean_differences(single, seed)),
    }
    rows = []
    for pair, both, change, documents, is_many in zip(
        given, common, changes, counts_of, many, strict=True
    ):
        test = next(tested[is_many])
        margin = measures.find(str(pair.keys.get("measure", ""))).margin
        rows.append(
            {
                **pair.keys,
                "n": len(change),
                first: statistics.mean(both[0]),
                second: statistics.mean(both[1]),
                "margin": margin,
                "family": family.format_map(pair.keys)
                if isinstance(family, str)
                else family(pair.keys),
                "interval": OVER_DOCUMENTS if is_many else BOOTSTRAP,
                **({"documents": documents} if "document" in both else {}),
                "difference": test.mean,
                "low": test.interval.low,
                "high": test.interval.high,
                "p": test.p,
                "effect": statistics.effect(change),
                "p_equivalent": statistics.two_one_sided(
                    test.mean, test.error, test.freedom, margin
                ),
            }
        )
    table = corrected(pd.DataFrame(rows))
    counts = ["n"]
    if "documents" in table:
        table["documents"] = table["documents"].astype("Int64")
        counts.append("documents")
    keys = [name for name in rows[0] if name not in (*counts, first, second, *FIGURES)]
    return table[[*keys, *counts, first, second, *FIGURES]]


def is_unit(documents: pd.Series | None) -> bool:
    """Return True if documents are the unit of tests and intervals: there are 20 or more.

    Questions of one document share its text and are not independent. With fewer documents the
    question is the unit. Every page and ``chunkstudy evaluate`` decide by this function. It is for
    passages: where documents are looked for the query is the unit, and no documents are named.

    Args:
        documents: the document that each question is asked of; None if it is not one.
    """
    return documents is not None and documents.nunique() >= FEWEST_DOCUMENTS


def mean_intervals(
    columns: Sequence[pd.Series], documents: pd.Series | None
) -> list[statistics.Interval]:
    """The 95% interval of each column's mean over queries: over documents, by query id, where there
    are ``FEWEST_DOCUMENTS`` or more."""
    if documents is None or not is_unit(documents):
        return statistics.bootstrap_intervals(columns)
    means = clustered_means((column, documents.loc[column.index]) for column in columns)
    return [mean.interval for mean in means]


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """The table with both p corrected by Holm within ``family``, its ``family_size``, and what is
    then ``shown``."""
    families = table.groupby("family", sort=False)
    adjusted = {f"{p}_holm": families[p].transform(statistics.holm) for p in ("p", "p_equivalent")}
    size = families["p"].transform("count").astype(int)
    table = table.assign(**adjusted, family_size=size)
    return table.assign(shown=shown(table))


def at(table: pd.DataFrame, /, **keys: object) -> pd.DataFrame:
    """The rows with these keys."""
    if table.empty:
        return table
    return table[(table[list(keys)] == list(keys.values())).all(axis=1)]


def documents_of(parts: pd.DataFrame) -> pd.Series | None:
    """By query id the document that it is asked of, as a pair takes it; None where nobody knows.

    Args:
        parts: ``query_id`` and ``part``; may be empty.
    """
    return parts.set_index("query_id")["part"] if len(parts) else None


def shown(table: pd.DataFrame) -> pd.Series:
    """What each row shows in a word; a sure difference is one even where it is below the margin."""
    differs = table["p_holm"] < SIGNIFICANT
    words = np.select(
        [differs & (table["difference"] > 0), differs, table["p_equivalent_holm"] < SIGNIFICANT],
        [HIGHER, LOWER, EQUIVALENT],
        NOT_SHOWN,
    )
    return pd.Series(words, index=table.index)


def _common(pair: Pair) -> pd.DataFrame:
    """A row per query that both systems score, sorted: the two scores and, where the pair names
    them, the document."""
    for scores in (pair.first, pair.second):
        if not scores.index.is_unique:
            twice = scores.index[scores.index.duplicated()][0]
            raise ValueError(
                f"query {twice!r} of {dict(pair.keys)} has two scores; give one row per query"
            )
    both = pd.DataFrame({0: pair.first, 1: pair.second}).dropna()
    both = both.sort_index()  # so that the order of the rows cannot move the interval
    if pair.documents is None:
        return both
    both = both.assign(document=pair.documents.reindex(both.index))
    if both["document"].hasnans:
        raise ValueError(
            f"query {both.index[both['document'].isna()][0]!r} of {dict(pair.keys)} has no "
            "document; name one for every query"
        )
    return both
