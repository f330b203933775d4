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
from chunkstudy.evaluation.statistics.differences import at
from chunkstudy.evaluation.statistics.intervals import constant
from chunkstudy.pipeline.conditions import CONTEXTUALIZED, PRE_EMBEDDING, Condition
from chunkstudy.pipeline.record_store import Library

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


def correlate(points: pd.DataFrame, as_coded: bool = False) -> dict[str, Any]:
    """``n, r, low, high, p`` of the correlation of ``size``, in tokens, and ``score``.

    Args:
        as_coded: leaves out what lies outside the 1.5 IQR fences of either axis, and takes the
            logarithm of the sizes that are left and have one.
    """
    x, y = points["size"].to_numpy(dtype=np.float64), points["score"].to_numpy(dtype=np.float64)
    if as_coded:
        inside = statistics.inside_fences(x) & statistics.inside_fences(y)
        x, y = x[inside], y[inside]
        x, y = np.log10(x[x > 0]), y[x > 0]
    row = {"n": len(x), "r": np.nan, "low": np.nan, "high": np.nan, "p": np.nan}
    if len(x) >= LEAST and not constant(x) and not constant(y):
        found = stats.pearsonr(x, y)
        low, high = found.confidence_interval()
        row |= {"r": float(found.statistic), "low": low, "high": high, "p": float(found.pvalue)}
    return row


def by_code(points: pd.DataFrame, arm: str) -> pd.DataFrame:
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
    return scored(pd.concat(parts).rename(columns={"document": "size"}), arm)


def scored(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """The points that have a score under an arm; a change has one where there was one before."""
    plain, late = points["plain"], points["late"]
    scores = {PRE_EMBEDDING: plain, CONTEXTUALIZED: late, CHANGE: late / plain.where(plain > 0) - 1}
    return points.assign(score=scores[arm]).dropna(subset="score")


def kept(sizes: Mapping[str, pd.DataFrame], condition: Condition) -> pd.DataFrame:
    """What the experiment ``chunk-sizes`` measured of a condition's chunks, in the encoder's own
    tokens or, where only these were counted, in all-MiniLM-L6-v2's; empty where nothing was."""
    name = condition.collection
    table = sizes.get(f"{name}{BEFORE_ENCODER}{condition.encoder}", sizes.get(name, NOTHING))
    return at(table, chunker=condition.chunker, protocol=condition.protocol)


def with_scores(table: pd.DataFrame, plain: pd.Series, late: pd.Series | None) -> pd.DataFrame:
    """``query_id, relevant, document, plain, late``: a method's sizes and scores by query."""
    table = table.set_index("query_id").join(plain.rename("plain"), how="inner")
    table = table.join(late.rename("late")) if late is not None else table.assign(late=np.nan)
    return table.reset_index()


def published_r(
    conditions: Iterable[Condition],
    arm: str,
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
    given, rs = list(conditions), []
    for chunker in dict.fromkeys(condition.chunker for condition in given):
        own = [condition for condition in given if condition.chunker == chunker]
        after = (one for one in own if one.ordering != PRE_EMBEDDING)
        late = {one.collection: _scores(library, one) for one in after}
        parts = []
        for plain in (one for one in own if one.ordering == PRE_EMBEDDING):
            scores = _scores(library, plain), late.get(plain.collection)
            part = with_scores(kept(sizes, plain), *scores)
            parts.append(part.assign(collection=plain.collection))
        if all(map(len, parts)):
            points = by_code(pd.concat(parts, ignore_index=True), arm)
            rs.append(float(correlate(points, as_coded=True)["r"]))
    return rs


def _scores(library: Library, condition: Condition) -> pd.Series:
    record = library.get(condition)
    assert record is not None
    return record.wide[condition.measure].dropna()
