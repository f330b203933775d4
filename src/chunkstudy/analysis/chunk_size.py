"""Whether the size of chunks explains how effective they are: the taxonomy's fourth question.

The taxonomy's text and its code correlate different things. ``text``: a point per query, the mean
size of the chunks that touch its relevant document or passage against its score. ``code``
(plot_chunkcount_vs_performance.py): without what lies outside the 1.5 IQR fences of either axis,
and then the logarithm of the size; a query's size is the mean over its relevant documents of their
mean chunk sizes; within documents a point is the book, its mean chunk size against the mean score
of its queries, or the change of that mean; in-corpus queries of all collections are pooled.
``within``: the logarithm of the text's size, both axes centred in each collection, which takes out
what only the collections' differences do to the pooled correlation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy import statistics
from chunkstudy.analysis.recorded import BUILTIN, IELAB, IN_DOCUMENT, TAXONOMY, Block, blocks
from chunkstudy.analysis.taxonomy import PUBLISHED, RECORDS
from chunkstudy.collections.gutenqa import BOOKS
from chunkstudy.grid import study_results
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.statistics.intervals import constant
from chunkstudy.studies import chunk_sizes

CHANGE = "relative change"
ARMS = (PRE_EMBEDDING, CONTEXTUALIZED, CHANGE)
POOLED = "in-corpus, pooled"
INTERVAL = "Fisher's z, 95%"
LEAST = 5
"""Points without which the official code gives no r."""
OfPoints = Callable[[pd.DataFrame, str], Iterator[dict[str, object]]]
COLUMNS = [
    "source", "encoder", "protocol", "collection", "method", "ordering", "definition", "n",
    "dropped", "r", "low", "high", "interval", "p", "smallest significant r", "published lowest r",
    "published highest r",
]  # fmt: skip


def correlations(library: Library, places: Places, cells: pd.DataFrame) -> pd.DataFrame:
    """A row per encoder, protocol, collection, method, ordering and definition, and the published.

    A relative change leaves out queries that score 0 before. Collections whose chunk sizes were not
    measured have no rows.

    Args:
        library: the records.
        places: where the study ``chunk-sizes`` left its tables.
        cells: published cells; those of Figure 2 are taken.
    """
    printed = published(cells)
    ours = pd.DataFrame(_rows(library, places), columns=COLUMNS[:-2]).assign(source=RECORDS)
    ours = beside_published(ours, printed)[COLUMNS]
    made = pd.concat([ours, printed], ignore_index=True) if len(ours) else printed[COLUMNS]
    return made.astype({"n": "Int64", "dropped": "Int64"})


def beside_published(ours: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``collection, method, ordering``, each with the lowest and the highest published r of
    its method and arm, within documents or in corpora."""
    column = ours["collection"].isin(IN_DOCUMENT).map({True: "gutenqa", False: "beir"})
    spread = printed.groupby(["collection", "method", "ordering"])["r"].agg(["min", "max"])
    spread = spread.set_axis(COLUMNS[-2:], axis=1)
    made = ours.assign(column=column).join(spread, on=["column", "method", "ordering"])
    return made.drop(columns="column")


def correlate(
    points: pd.DataFrame, outliers: bool = True, logarithm: bool = False
) -> dict[str, Any]:
    """The correlation of ``size``, in tokens, and ``score``, with its interval.

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
    return interval(r, len(x)) | {"dropped": len(points) - len(x), "p": p}


def interval(r: float, n: int) -> dict[str, Any]:
    """r of n points with its interval, which needs nothing else and so serves published r too."""
    low, high = statistics.fisher_interval(r, n)
    least = statistics.smallest_significant_r(n)
    method = "" if np.isnan(low) else INTERVAL
    return {"n": n, "r": r, "low": low, "high": high, "interval": method,
            "smallest significant r": least}  # fmt: skip


def by_book(points: pd.DataFrame) -> pd.DataFrame:
    """A point per book: the mean scores of its queries and its own mean chunk size.

    The book is what stands before ``-Query-`` in a query's id.
    """
    books = points.assign(book=points["query_id"].str.rsplit("-Query-", n=1).str[0])
    kept = books[["book", "document", "plain", "late", "collection"]].groupby("book")
    return kept.agg({"document": "mean", "plain": "mean", "late": "mean", "collection": "first"})


def by_text(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """``size, score, collection`` of the queries, as the taxonomy's text defines them."""
    return _scored(points.rename(columns={"relevant": "size"}), arm)


def by_code(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """The same of queries in corpora and of books, as its code does."""
    inside = points["collection"].isin(IN_DOCUMENT)
    parts = [points[~inside], by_book(points[inside])]
    return _scored(pd.concat(parts).rename(columns={"document": "size"}), arm)


def centred(points: pd.DataFrame) -> pd.DataFrame:
    """The logarithm of the size and the score, less their means in the point's collection."""
    places = points["collection"]
    sides = {"size": np.log10(points["size"]), "score": points["score"]}
    return points.assign(**{k: v - v.groupby(places).transform("mean") for k, v in sides.items()})


def _scored(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """The points that have a score under an arm; a change has one where there was one before."""
    plain, late = points["plain"], points["late"]
    scores = {PRE_EMBEDDING: plain, CONTEXTUALIZED: late, CHANGE: late / plain.where(plain > 0) - 1}
    return points.assign(score=scores[arm]).dropna(subset="score")


def by_definition(points: pd.DataFrame, arm: str) -> Iterator[dict[str, object]]:
    """The row of each definition; ``within`` only of several collections."""
    text = by_text(points, arm)
    yield {"definition": "text"} | correlate(text)
    yield {"definition": "code"} | correlate(by_code(points, arm), outliers=False, logarithm=True)
    if points["collection"].nunique() > 1:
        yield {"definition": "within"} | correlate(centred(text))


def of_method(
    found: Mapping[str, pd.DataFrame], of_points: OfPoints = by_definition
) -> Iterator[dict[str, object]]:
    """The rows of a method under each arm: of every collection, and of several in-corpus ones
    pooled.

    Args:
        found: ``query_id, relevant, document, plain, late, collection`` by collection.
        of_points: the rows of one collection's points under an arm.
    """
    for arm in ARMS:
        here = {name: one for name, one in found.items() if len(one) and len(_scored(one, arm))}
        inside = [one for name, one in here.items() if name not in IN_DOCUMENT]
        if len(inside) > 1:
            here[POOLED] = pd.concat(inside, ignore_index=True)
        for name, points in here.items():
            for row in of_points(points, arm):
                yield {"collection": name, "ordering": arm} | row


def _rows(library: Library, places: Places) -> list[dict[str, object]]:
    """Of every encoder, protocol, method, arm and collection."""
    sizes = study_results.tables(places, "chunk-sizes")
    return [
        {"encoder": block.encoder, "protocol": block.protocol, "method": method} | row
        for layout in (TAXONOMY, BUILTIN)
        for block in blocks(library, layout)
        for method in layout.methods
        for row in of_method(
            {name: _points(block, sizes, (method, name)) for name in layout.collections}
        )
    ]


def _points(block: Block, sizes: Mapping[str, pd.DataFrame], key: tuple[str, str]) -> pd.DataFrame:
    """``query_id, relevant, document, plain, late, collection`` of one method; NaN where late
    chunking has no record."""
    plain, late = block.plain.get(key), block.late.get(key)
    if plain is None:
        return pd.DataFrame()
    own = chunk_sizes.kept(sizes, key[1], str(plain.name), block.encoder, block.protocol)
    return with_scores(own, plain, late).assign(collection=key[1])


def with_scores(own: pd.DataFrame, plain: pd.Series, late: pd.Series | None) -> pd.DataFrame:
    """``query_id, relevant, document, plain, late``: a method's sizes and scores by query."""
    own = own.set_index("query_id").join(plain.rename("plain"), how="inner")
    own = own.join(late.rename("late")) if late is not None else own.assign(late=np.nan)
    return own.reset_index()


def published(cells: pd.DataFrame) -> pd.DataFrame:
    """Published r, those of the images.

    Its n over books is that of all of them, outliers too, so that the interval is the narrowest
    possible; over queries n is unknown and there is no interval.
    """
    found = cells[cells["table"].str.startswith("figure 2") & (cells["statistic"] == "r")]
    # What the text quotes stands in the images too, which decide where both differ.
    found = found.drop_duplicates(["collection", "chunker", "encoder", "ordering"], keep="last")
    rows = [
        {"source": PUBLISHED, "protocol": IELAB, "method": cell["chunker"], "definition": "code"}
        | {name: cell[name] for name in ("encoder", "collection", "ordering")}
        | interval(cell["value"], BOOKS if cell["collection"] == "gutenqa" else 0)
        for cell in found.to_dict("records")
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(n=table["n"].where(table["n"] > 0), p=np.nan)
