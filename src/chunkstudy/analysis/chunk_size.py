"""Whether the size of chunks explains how effective they are: the taxonomy's fourth question.

The taxonomy's text and its code correlate different things. ``text``: a point per query, the mean
size of the chunks that touch its relevant document or passage against its score. ``code``: the
logarithm of that size, without what lies outside the 1.5 IQR fences of either axis; in a book a
point is the book, its mean chunk size against the mean of its queries; in-corpus queries of all
collections are pooled. ``within``: the logarithm, both axes centred in each collection, which takes
out what only the collections' differences do to the pooled correlation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from chunkstudy import statistics
from chunkstudy.analysis.recorded import BUILTIN, IELAB, IN_DOCUMENT, TAXONOMY, Block, blocks
from chunkstudy.analysis.taxonomy import PUBLISHED, RECORDS
from chunkstudy.collections.gutenqa import BOOKS
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.statistics.intervals import constant
from chunkstudy.studies import results
from chunkstudy.studies.chunk_sizes import BESIDE

CHANGE = "relative change"
ARMS = (PRE_EMBEDDING, CONTEXTUALIZED, CHANGE)
POOLED = "in-corpus, pooled"
INTERVAL = "Fisher's z, 95%"
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
    printed = _published(cells)
    sizes = results.tables(places, "chunk-sizes")
    rows = [
        {"source": RECORDS, "encoder": block.encoder, "protocol": block.protocol} | row
        for layout in (TAXONOMY, BUILTIN)
        for block in blocks(library, layout)
        for row in _of_block(block, sizes, list(layout.methods), list(layout.collections))
    ]
    ours = pd.DataFrame(rows, columns=COLUMNS[:-2])
    column = ours["collection"].isin(IN_DOCUMENT).map({True: "gutenqa", False: "beir"})
    spread = printed.groupby(["collection", "method", "ordering"])["r"].agg(["min", "max"])
    spread = spread.set_axis(COLUMNS[-2:], axis=1)
    ours = ours.assign(column=column).join(spread, on=["column", "method", "ordering"])[COLUMNS]
    made = pd.concat([ours, printed], ignore_index=True) if len(ours) else printed[COLUMNS]
    return made.astype({"n": "Int64", "dropped": "Int64"})


def correlate(points: pd.DataFrame, definition: str) -> dict[str, Any]:
    """The correlation of ``size`` and ``score`` under a definition, with its interval.

    Args:
        points: ``size`` in tokens, ``score``, ``collection``; for ``code`` already a row per point.
        definition: ``text``, ``code`` or ``within``.
    """
    x, y = points["size"].to_numpy(dtype=np.float64), points["score"].to_numpy(dtype=np.float64)
    if definition != "text":
        x = np.log10(x)
    if definition == "within":
        places = points["collection"].to_numpy()
        x, y = (v - pd.Series(v).groupby(places).transform("mean").to_numpy() for v in (x, y))
    if definition == "code":
        kept = statistics.inside_fences(x) & statistics.inside_fences(y)
        x, y = x[kept], y[kept]
    varies = len(x) > 2 and not constant(x) and not constant(y)
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
    """A point per book: the mean score of its queries and its own mean chunk size.

    The book is what stands before ``-Query-`` in a query's id.
    """
    books = points.assign(book=points["query_id"].str.rsplit("-Query-", n=1).str[0])
    return books.groupby("book", as_index=False).agg(
        size=("document", "mean"), score=("score", "mean"), collection=("collection", "first")
    )


def _of_block(
    block: Block, sizes: Mapping[str, pd.DataFrame], methods: list[str], collections: list[str]
) -> Iterator[dict[str, object]]:
    for method in methods:
        for arm in ARMS:
            inside: list[pd.DataFrame] = []
            for name in collections:
                points = _points(block, sizes, (method, name), arm)
                if points.empty:
                    continue
                keys = {"collection": name, "method": method, "ordering": arm}
                yield keys | {"definition": "text"} | correlate(points, "text")
                code = by_book(points) if name in IN_DOCUMENT else points
                yield keys | {"definition": "code"} | correlate(code, "code")
                if name not in IN_DOCUMENT:
                    inside.append(points)
            if len(inside) > 1:
                pooled = pd.concat(inside, ignore_index=True)
                keys = {"collection": POOLED, "method": method, "ordering": arm}
                for definition in ("text", "code", "within"):
                    yield keys | {"definition": definition} | correlate(pooled, definition)


def _points(
    block: Block, sizes: Mapping[str, pd.DataFrame], key: tuple[str, str], arm: str
) -> pd.DataFrame:
    """``query_id, size, document, score, collection`` of one method under one arm."""
    plain, late = block.plain.get(key), block.late.get(key)
    measured = sizes.get(f"{key[1]}{BESIDE}{block.encoder}", sizes.get(key[1]))
    scores = plain if arm == PRE_EMBEDDING else late
    if plain is None or scores is None or measured is None:
        return pd.DataFrame()
    if arm == CHANGE:
        scores = (scores / plain[plain > 0] - 1).dropna()
    own = measured[(measured["chunker"] == plain.name) & (measured["protocol"] == block.protocol)]
    points = own.set_index("query_id").join(scores.rename("score"), how="inner").reset_index()
    return points.rename(columns={"relevant": "size"}).assign(collection=key[1])


def _published(cells: pd.DataFrame) -> pd.DataFrame:
    """Published r: of the images, and of the text for changes.

    Its n over books is that of all of them, outliers too, so that the interval is the narrowest
    possible; over queries n is unknown and there is no interval.
    """
    found = cells[cells["table"].str.startswith("figure 2") & (cells["statistic"] == "r")]
    # What the text quotes stands in the images too, and is the same there.
    found = found.drop_duplicates(["collection", "chunker", "encoder", "ordering"], keep="last")
    rows = [
        {"source": PUBLISHED, "protocol": IELAB, "method": cell["chunker"], "definition": "code"}
        | {name: cell[name] for name in ("encoder", "collection", "ordering")}
        | interval(cell["value"], BOOKS if cell["collection"] == "gutenqa" else 0)
        for cell in found.to_dict("records")
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.assign(n=table["n"].where(table["n"] > 0), p=np.nan)
