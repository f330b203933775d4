"""RQ4: does the size of chunks explain how effective they are?

The taxonomy's text and its code correlate different things (S2:355; PROTOCOLS A.4). ``text``: a
point per query, its relevant document's or passage's mean chunk size against its score. ``code``:
the logarithm of that size, without what lies outside the 1.5 IQR fences of either axis; in a book a
point is the book, its mean chunk size against the mean of its queries; in-corpus queries of all
collections are pooled. ``within``: the logarithm, both axes centred in each collection, which takes
out what only the collections' differences do to the pooled correlation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from chunkstudy.analysis.taxonomy_layout import BUILTIN, LABELS, METHODS, TAXONOMY, Layout
from chunkstudy.analysis.taxonomy_tables import Group, groups, scores_by_method
from chunkstudy.collections.gutenqa import BOOKS
from chunkstudy.grid.conditions import COLLECTIONS
from chunkstudy.grid.encoding import CONTEXTUALIZED, PRE_EMBEDDING
from chunkstudy.places import Places
from chunkstudy.published.compare import Library
from chunkstudy.statistics import core as statistics
from chunkstudy.studies import results

CHANGE = "relative change"
ARMS = (PRE_EMBEDDING, CONTEXTUALIZED, CHANGE)
RESAMPLES = 1_000
POOLED = "in-corpus, pooled"
COLUMNS = [
    "source", "model", "collection", "method", "ordering", "definition", "n", "dropped", "r",
    "low", "high", "fisher low", "fisher high", "p", "smallest significant r",
    "published r of Jina-v3", "published r of the four models",
]  # fmt: skip


def correlations(library: Library, places: Places, cells: pd.DataFrame) -> pd.DataFrame:
    """A row per model, collection, method, ordering and definition, and the published ones.

    Intervals are bootstrapped over the points, and Fisher's; a relative change leaves out queries
    that score 0 before. Collections whose chunk sizes were not measured have no rows.

    Args:
        library: the records.
        places: where the study ``chunk-sizes`` left its tables.
        cells: published cells; those of Figure 2 are taken.
    """
    published = _published(cells)
    sizes = results.tables(places, "chunk-sizes")
    rows = [
        row
        for layout in (TAXONOMY, BUILTIN)
        for group in groups(library, layout)
        for row in _of_group(library, sizes, group, layout, published)
    ]
    return pd.DataFrame([*rows, *_published_rows(published)], columns=COLUMNS, dtype=object).fillna(
        ""
    )


def correlate(points: pd.DataFrame, definition: str) -> dict[str, object]:
    """The correlation of ``size`` and ``score`` under a definition.

    Args:
        points: ``size`` in tokens, ``score``, ``collection``; for ``code`` already a row per point.
        definition: ``text``, ``code`` or ``within``.
    """
    given = len(points)
    x, y = points["size"].to_numpy(dtype=np.float64), points["score"].to_numpy(dtype=np.float64)
    if definition != "text":
        x = np.log10(x)
    if definition == "within":
        x = x - pd.Series(x).groupby(points["collection"].to_numpy()).transform("mean").to_numpy()
        y = y - pd.Series(y).groupby(points["collection"].to_numpy()).transform("mean").to_numpy()
    if definition == "code":
        kept = statistics.inside_fences(x) & statistics.inside_fences(y)
        x, y = x[kept], y[kept]
    found = statistics.correlation(x, y, resamples=RESAMPLES)
    fisher = statistics.fisher_interval(found.r, found.n)
    return {
        "n": found.n,
        "dropped": given - found.n,
        "r": _shown(found.r),
        "low": _shown(found.interval.low),
        "high": _shown(found.interval.high),
        "fisher low": _shown(fisher.low),
        "fisher high": _shown(fisher.high),
        "p": "" if np.isnan(found.p) else f"{found.p:.2g}",
        "smallest significant r": _shown(statistics.smallest_significant_r(found.n)),
    }


def by_book(points: pd.DataFrame) -> pd.DataFrame:
    """A point per book: the mean score of its queries and its own mean chunk size.

    The book is what stands before ``-Query-`` in a query's id.
    """
    books = points.assign(book=points["query_id"].str.rsplit("-Query-", n=1).str[0])
    return books.groupby("book", as_index=False).agg(
        size=("document", "mean"), score=("score", "mean"), collection=("collection", "first")
    )


def _of_group(
    library: Library,
    sizes: Mapping[str, pd.DataFrame],
    group: Group,
    layout: Layout,
    published: Mapping[tuple[str, str, str], dict[str, float]],
) -> Iterator[dict[str, object]]:
    before = scores_by_method(library, group, layout, PRE_EMBEDDING)
    after = scores_by_method(library, group, layout, group.late) if group.late else {}
    for method in layout.methods:
        for arm in ARMS:
            inside: list[pd.DataFrame] = []
            for name in layout.collections:
                points = _points(before, after, sizes, group, method.label, name, arm)
                if points.empty:
                    continue
                task = COLLECTIONS[name]
                keys = {"source": "records", "model": group.label, "collection": name,
                        "method": method.label, "ordering": arm}  # fmt: skip
                beside = _beside(published, task, method.label, arm)
                yield keys | {"definition": "text"} | correlate(points, "text") | beside
                code = by_book(points) if task == "in_document" else points
                yield keys | {"definition": "code"} | correlate(code, "code") | beside
                if task == "in_corpus":
                    inside.append(points)
            if len(inside) > 1:
                pooled = pd.concat(inside, ignore_index=True)
                keys = {"source": "records", "model": group.label, "collection": POOLED,
                        "method": method.label, "ordering": arm}  # fmt: skip
                beside = _beside(published, "in_corpus", method.label, arm)
                for definition in ("text", "code", "within"):
                    yield keys | {"definition": definition} | correlate(pooled, definition) | beside


def _points(
    before: Mapping[tuple[str, str], pd.Series],
    after: Mapping[tuple[str, str], pd.Series],
    sizes: Mapping[str, pd.DataFrame],
    group: Group,
    method: str,
    name: str,
    arm: str,
) -> pd.DataFrame:
    """``query_id, size, document, score, collection`` of one method under one arm."""
    key = (method, name)
    plain, late = before.get(key), after.get(key)
    measured = sizes.get(name)
    if plain is None or (late is None and arm != PRE_EMBEDDING) or measured is None:
        return pd.DataFrame()
    scores = plain
    if arm != PRE_EMBEDDING and late is not None:
        scores = late
        if arm == CHANGE:
            positive = plain[plain > 0]
            scores = (100 * (late / positive - 1)).dropna()
    own = measured[(measured["chunker"] == plain.name) & (measured["protocol"] == group.protocol)]
    points = own.set_index("query_id").join(scores.rename("score"), how="inner").reset_index()
    points = points.rename(columns={"relevant": "size"}).assign(collection=name)
    return points[["query_id", "size", "document", "score", "collection"]]


def _published(cells: pd.DataFrame) -> dict[tuple[str, str, str], dict[str, float]]:
    """Model to r, by (collection, method, ordering): of the images, and of the text for changes."""
    cells = cells[cells["table"].str.startswith("figure 2") & (cells["statistic"] == "r")]
    named = {chunker: method.label for method in METHODS for chunker in method.chunkers}
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for cell in cells.to_dict("records"):
        key = (str(cell["collection"]), named[str(cell["chunker"])], str(cell["ordering"]))
        models = found.setdefault(key, {})
        models[LABELS[str(cell["encoder"])]] = float(str(cell["printed"]))
    return found


def _beside(
    published: Mapping[tuple[str, str, str], dict[str, float]], task: str, method: str, arm: str
) -> dict[str, object]:
    found = published.get(("gutenqa" if task == "in_document" else "beir", method, arm), {})
    low, high = min(found.values(), default=np.nan), max(found.values(), default=np.nan)
    return {
        "published r of Jina-v3": _printed(found.get("Jina-v3", np.nan)),
        "published r of the four models": f"{low:.2f} to {high:.2f}" if len(found) > 1 else "",
    }


def _published_rows(
    published: Mapping[tuple[str, str, str], dict[str, float]],
) -> Iterator[dict[str, object]]:
    """Published r over books with Fisher's interval; its n is that of all books, outliers too, so
    that the interval is the narrowest possible."""
    for (name, method, arm), by_model in published.items():
        for model, r in by_model.items():
            n = BOOKS if name == "gutenqa" else 0
            fisher = statistics.fisher_interval(r, n)
            yield {
                "source": "published", "model": model, "collection": name, "method": method,
                "ordering": arm, "definition": "code", "n": n or "", "r": _printed(r),
                "fisher low": _shown(fisher.low), "fisher high": _shown(fisher.high),
                "smallest significant r": _shown(statistics.smallest_significant_r(n)),
            }  # fmt: skip


def _shown(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


def _printed(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"
