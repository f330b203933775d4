"""Size of chunks against scores as the taxonomy's code correlates them, of any record: Figure 2.

Of ``plot_chunkcount_vs_performance.py``: points outside the 1.5 IQR fences of either axis are left
out, and then the logarithm of the size is taken; a query's size is the mean over its relevant
documents of their mean chunk sizes; within documents a point is the book, its mean chunk size
against the mean score of its queries, or the change of that mean; in-corpus queries of all
collections are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy.base.places import Places
from chunkstudy.base.protocols import AS_PUBLISHED_IELAB
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.statistics.intervals import constant
from chunkstudy.published.sources import IN_CORPUS
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import CONTEXTUALIZED, PRE_EMBEDDING, parse_ordering
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import parse_chunker

CHANGE = "relative change"
ARMS = (PRE_EMBEDDING, CONTEXTUALIZED, CHANGE)
POOLED = "in-corpus, pooled"
BOOKS = ("gutenqa", "gutenqa-emma")
"""Collections in which a passage of a known document is looked for."""
METHODS = {
    "paragraph": ("paragraph",),
    "sentence-5": ("sentence-5",),
    "fixed-256": ("fixed-256",),
    "semantic": ("semantic",),
    "lumberchunker": ("lumberchunker", "lumberchunker-released"),
    "proposition": ("proposition", "proposition-released"),
}
"""The paper's six and the chunkers that are this method, of which the first recorded is taken."""
MEASURE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}
LEAST = 5
"""Points without which the official code gives no r."""
BESIDE = "--"
"""Between a collection and a model, in the name of a table of sizes."""
NOTHING = pd.DataFrame(
    {name: pd.Series(dtype=str) for name in ("chunker", "protocol", "query_id")}
    | {name: pd.Series(dtype=float) for name in ("relevant", "document")}
)
"""The sizes of a collection of which no condition is recorded."""
OfPoints = Callable[[pd.DataFrame, str], Iterator[dict[str, object]]]


def correlations(library: Library, places: Places) -> pd.DataFrame:
    """``encoder, collection, method, ordering, n, dropped, r, p`` of the records under the
    taxonomy's protocol. Collections whose chunk sizes were not measured have no rows.

    Args:
        library: the records.
        places: where the experiment ``chunk-sizes`` left its tables.
    """
    sizes = study_results.tables(places, "chunk-sizes")
    rows = [
        {"encoder": encoder, "method": method} | row
        for encoder, arms in _by_encoder(library).items()
        for method in METHODS
        for row in of_method(dict(_points(library, sizes, arms, method)), _as_the_code)
    ]
    columns = ["encoder", "collection", "method", "ordering", "n", "dropped", "r", "p"]
    return pd.DataFrame(rows, columns=columns)


def correlate(
    points: pd.DataFrame, outliers: bool = True, logarithm: bool = False
) -> dict[str, Any]:
    """``n, dropped, r, p`` of the correlation of ``size``, in tokens, and ``score``.

    Args:
        points: a row per point.
        outliers: whether to keep what lies outside the 1.5 IQR fences of either axis.
        logarithm: whether to take the size's, of the points that are kept and have one.
    """
    x, y = points["size"].to_numpy(dtype=np.float64), points["score"].to_numpy(dtype=np.float64)
    if not outliers:
        kept = statistics.inside_fences(x) & statistics.inside_fences(y)
        x, y = x[kept], y[kept]
    if logarithm:
        x, y = np.log10(x[x > 0]), y[x > 0]
    varies = len(x) >= LEAST and not constant(x) and not constant(y)
    r, p = map(float, stats.pearsonr(x, y)) if varies else (np.nan, np.nan)
    return {"n": len(x), "dropped": len(points) - len(x), "r": r, "p": p}


def by_code(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """``size, score, collection`` of queries in corpora and of books.

    Args:
        points: ``query_id, document, plain, late, collection``.
        arm: of ``ARMS``.
    """
    inside = points["collection"].isin(BOOKS)
    parts = [points[~inside], by_book(points[inside])]
    return scored(pd.concat(parts).rename(columns={"document": "size"}), arm)


def by_book(points: pd.DataFrame) -> pd.DataFrame:
    """A point per book: the mean scores of its queries and its own mean chunk size.

    The book is what stands before ``-Query-`` in a query's id.
    """
    books = points.assign(book=points["query_id"].str.rsplit("-Query-", n=1).str[0])
    kept = books[["book", "document", "plain", "late", "collection"]].groupby("book")
    return kept.agg({"document": "mean", "plain": "mean", "late": "mean", "collection": "first"})


def scored(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """The points that have a score under an arm; a change has one where there was one before."""
    plain, late = points["plain"], points["late"]
    scores = {PRE_EMBEDDING: plain, CONTEXTUALIZED: late, CHANGE: late / plain.where(plain > 0) - 1}
    return points.assign(score=scores[arm]).dropna(subset="score")


def of_method(found: Mapping[str, pd.DataFrame], of_points: OfPoints) -> Iterator[dict[str, Any]]:
    """The rows of a method under each arm: of every collection, and of several in-corpus ones
    pooled.

    Args:
        found: ``query_id, relevant, document, plain, late, collection`` by collection.
        of_points: the rows of one collection's points under an arm.
    """
    for arm in ARMS:
        here = {name: one for name, one in found.items() if len(one) and len(scored(one, arm))}
        inside = [one for name, one in here.items() if name not in BOOKS]
        if len(inside) > 1:
            here[POOLED] = pd.concat(inside, ignore_index=True)
        for name, points in here.items():
            for row in of_points(points, arm):
                yield {"collection": name, "ordering": arm} | row


def kept(
    sizes: Mapping[str, pd.DataFrame], collection: str, chunker: str, encoder: str, protocol: str
) -> pd.DataFrame:
    """What the experiment ``chunk-sizes`` measured of a condition's chunks, in the encoder's own
    tokens or, where only these were counted, in all-MiniLM-L6-v2's; empty where nothing was."""
    own = sizes.get(f"{collection}{BESIDE}{encoder}", sizes.get(collection, NOTHING))
    return own[(own["chunker"] == chunker) & (own["protocol"] == protocol)]


def with_scores(own: pd.DataFrame, plain: pd.Series, late: pd.Series | None) -> pd.DataFrame:
    """``query_id, relevant, document, plain, late``: a method's sizes and scores by query."""
    own = own.set_index("query_id").join(plain.rename("plain"), how="inner")
    own = own.join(late.rename("late")) if late is not None else own.assign(late=np.nan)
    return own.reset_index()


def _as_the_code(points: pd.DataFrame, arm: str) -> Iterator[dict[str, object]]:
    yield correlate(by_code(points, arm), outliers=False, logarithm=True)


def _by_encoder(library: Library) -> dict[str, dict[str, dict[tuple[str, str], Condition]]]:
    """The conditions by encoder, then plain and at the widest late window, then by chunker and
    collection."""
    found: dict[str, dict[int, dict[tuple[str, str], Condition]]] = {}
    for one in library:
        if one.protocol != AS_PUBLISHED_IELAB.name or one.collection not in (*BOOKS, *IN_CORPUS):
            continue
        window = parse_ordering(one.ordering).window
        if one.ordering in (PRE_EMBEDDING, f"{CONTEXTUALIZED}-{window}"):
            at = 0 if one.ordering == PRE_EMBEDDING else window
            spec = parse_chunker(one.chunker)
            # Other encoders' boundaries are the same method, another language model's are not.
            chunker = one.chunker if spec.entry.llm else str(replace(spec, by=""))
            arm = found.setdefault(one.encoder, {}).setdefault(at, {})
            key = (chunker, one.collection)
            arm[key] = min(arm.get(key, one), one)
    return {
        encoder: {"plain": arms.get(0, {}), "late": arms[max(arms)] if max(arms) else {}}
        for encoder, arms in found.items()
    }


def _points(
    library: Library,
    sizes: Mapping[str, pd.DataFrame],
    arms: Mapping[str, Mapping[tuple[str, str], Condition]],
    method: str,
) -> Iterator[tuple[str, pd.DataFrame]]:
    """A method's points by collection; NaN where late chunking has no record."""
    for name in (*BOOKS, *IN_CORPUS):
        plain, late = (
            next((arm[one, name] for one in METHODS[method] if (one, name) in arm), None)
            for arm in (arms["plain"], arms["late"])
        )
        if plain is None:
            continue
        scores = [_scores(library, one) for one in (plain, late)]
        if scores[0] is not None:
            own = kept(sizes, name, plain.chunker, plain.encoder, plain.protocol)
            yield name, with_scores(own, scores[0], scores[1]).assign(collection=name)


def _scores(library: Library, one: Condition | None) -> pd.Series | None:
    record = library.get(one) if one else None
    return record.wide[MEASURE[one.task]].dropna() if one and record else None
