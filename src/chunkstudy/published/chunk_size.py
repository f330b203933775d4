"""Size of chunks against scores as the taxonomy's code correlates them, of any record: Figure 2.

Of ``plot_chunkcount_vs_performance.py``: points outside the 1.5 IQR fences of either axis are left
out, and then the logarithm of the size is taken; a query's size is the mean over its relevant
documents of their mean chunk sizes; within documents a point is the book, its mean chunk size
against the mean score of its queries, or the change of that mean; in-corpus queries of all
collections are pooled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.intervals import constant
from chunkstudy.runs.conditions import CONTEXTUALIZED, PRE_EMBEDDING, Condition
from chunkstudy.runs.library import Library

CHANGE = "relative change"
ARMS = (PRE_EMBEDDING, CONTEXTUALIZED, CHANGE)
BOOKS = ("gutenqa", "gutenqa-emma")
"""Collections in which a passage of a known document is looked for."""
LEAST = 5
"""Points without which the official code gives no r."""
BEFORE_ENCODER = "--"
"""Between a collection and a model, in the name of a table of sizes."""
NOTHING = pd.DataFrame(
    {name: pd.Series(dtype=str) for name in ("chunker", "protocol", "query_id")}
    | {name: pd.Series(dtype=float) for name in ("relevant", "document")}
)
"""The sizes of a collection of which no condition is recorded."""


def correlate(
    points: pd.DataFrame, outliers: bool = True, logarithm: bool = False
) -> dict[str, Any]:
    """``n, r, low, high, p`` of the correlation of ``size``, in tokens, and ``score``.

    Args:
        outliers: whether to keep what lies outside the 1.5 IQR fences of either axis.
        logarithm: whether to take the size's, of the points that are kept and have one.
    """
    x, y = points["size"].to_numpy(dtype=np.float64), points["score"].to_numpy(dtype=np.float64)
    if not outliers:
        inside = statistics.inside_fences(x) & statistics.inside_fences(y)
        x, y = x[inside], y[inside]
    if logarithm:
        x, y = np.log10(x[x > 0]), y[x > 0]
    row = {"n": len(x), "r": np.nan, "low": np.nan, "high": np.nan, "p": np.nan}
    if len(x) >= LEAST and not constant(x) and not constant(y):
        found = stats.pearsonr(x, y)
        low, high = found.confidence_interval()
        row |= {"r": float(found.statistic), "low": low, "high": high, "p": float(found.pvalue)}
    return row


def by_code(points: pd.DataFrame, method: str) -> pd.DataFrame:
    """``size, score, collection`` of queries in corpora and of books, each the mean of its queries;
    a book is what stands before ``-Query-`` in a query's id.

    Args:
        points: ``query_id, document, plain, late, collection``.
        arm: of ``ARMS``.
    """
    inside = points["collection"].isin(BOOKS)
    within = points[inside]
    of_books = within.groupby(within["query_id"].str.rsplit("-Query-", n=1).str[0])
    books = of_books[["document", "plain", "late"]].mean()
    parts = [points[~inside], books.assign(collection=of_books["collection"].first())]
    return scored(pd.concat(parts).rename(columns={"document": "size"}), method)


def scored(points: pd.DataFrame, method: str) -> pd.DataFrame:
    """The points that have a score under an arm; a change has one where there was one before."""
    plain, late = points["plain"], points["late"]
    scores = {PRE_EMBEDDING: plain, CONTEXTUALIZED: late, CHANGE: late / plain.where(plain > 0) - 1}
    return points.assign(score=scores[method]).dropna(subset="score")


def kept(
    sizes: Mapping[str, pd.DataFrame], collection: str, chunker: str, encoder: str, protocol: str
) -> pd.DataFrame:
    """What the experiment ``chunk-sizes`` measured of a condition's chunks, in the encoder's own
    tokens or, where only these were counted, in all-MiniLM-L6-v2's; empty where nothing was."""
    table = sizes.get(f"{collection}{BEFORE_ENCODER}{encoder}", sizes.get(collection, NOTHING))
    return table[(table["chunker"] == chunker) & (table["protocol"] == protocol)]


def with_scores(table: pd.DataFrame, plain: pd.Series, late: pd.Series | None) -> pd.DataFrame:
    """``query_id, relevant, document, plain, late``: a method's sizes and scores by query."""
    table = table.set_index("query_id").join(plain.rename("plain"), how="inner")
    table = table.join(late.rename("late")) if late is not None else table.assign(late=np.nan)
    return table.reset_index()


def published_r(
    conditions: Iterable[Condition],
    method: str,
    library: Library,
    sizes: Mapping[str, pd.DataFrame],
) -> list[float]:
    """r of each method by the official script, all of whose conditions have records; none of a
    method whose sizes were not measured.

    Args:
        conditions: plain and, where the arm needs it, late, of every collection pooled.
        arm: of ``ARMS``.
        sizes: the tables of the experiment ``chunk-sizes``.
    """
    behind: dict[str, dict[str, dict[bool, Condition]]] = {}
    for condition in conditions:
        by_collection = behind.setdefault(condition.chunker, {})
        by_ordering = by_collection.setdefault(condition.collection, {})
        by_ordering[condition.ordering == PRE_EMBEDDING] = condition
    rs = []
    for by_collection in behind.values():
        parts = []
        for name, both in by_collection.items():
            plain = both[True]
            table = kept(sizes, name, plain.chunker, plain.encoder, plain.protocol)
            late = _scores(library, both[False]) if False in both else None
            parts.append(with_scores(table, _scores(library, plain), late).assign(collection=name))
        if all(map(len, parts)):
            points = by_code(pd.concat(parts, ignore_index=True), method)
            rs.append(float(correlate(points, outliers=False, logarithm=True)["r"]))
    return rs


def _scores(library: Library, condition: Condition) -> pd.Series:
    record = library.get(condition)
    assert record is not None
    return record.wide[condition.measure].dropna()
