"""The size of chunks against the scores of queries: Figure 2 of the taxonomy, from runs.

The taxonomy's text and its code correlate different things. ``text``: a point per query, the mean
size of the chunks that touch its relevant document or passage against its score. ``code``
(published/chunk_size.py): a query's size is the mean over its relevant documents, outliers are left
out, and the logarithm is taken. ``within``: the logarithm of the text's size, both axes less
their means in each collection, so that differences between collections play no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.chunkers.own import checked
from chunkstudy.collections.gutenqa import BOOKS as NUMBER_OF_BOOKS
from chunkstudy.collections.registry import load_collection
from chunkstudy.evaluation import statistics
from chunkstudy.published.chunk_size import (
    ARMS,
    BOOKS,
    by_code,
    correlate,
    kept,
    scored,
    with_scores,
)
from chunkstudy.runs import study_results
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.store import boundary_store, load_store
from chunkstudy.runs.study_results import StudyError
from chunkstudy.show.computing import Computing, Found
from chunkstudy.show.formats import Column, Columns, number, whole
from chunkstudy.show.runs import Runs
from chunkstudy.studies.taxonomy import chunk_sizes
from chunkstudy.studies.taxonomy.tables import METHOD_OF

POOLED = "in-corpus, pooled"
SPREAD = ("published lowest r", "published highest r")
AS_CORRELATIONS: Columns = {"*": number}
AS_SENSITIVITY: Columns = {"*": number, "significant": Column("of them p < .05", whole)}
LEVEL = 0.05
INTERVAL = "Fisher's z, 95%"


def points(plain: Sequence[Runs], late: Sequence[Runs], k: int) -> pd.DataFrame:
    """What is correlated: a row a collection, chunker and query.

    Args:
        plain: the runs of a collection each.
        late: the same chunkers under late chunking.
        k: how many documents or chunks are retrieved.

    Returns:
        ``collection, chunker, query_id``, two sizes in tokens, ``relevant`` of the chunks that
        touch what is judged relevant and ``document`` of all chunks of the relevant documents, and
        the scores ``plain`` and ``late``.

    Raises:
        StudyError: if sizes are not stored and nothing may be computed.
    """
    found = []
    for before, after in zip(plain, late, strict=True):
        of_plain, of_late = before.scores(k), after.scores(k)
        measure = of_plain.measures[0]
        for name, one in before.found.items():
            scores = of_plain.of(name, measure).dropna(), of_late.of(name, measure).dropna()
            own = with_scores(_sizes(one, before.computing), *scores)
            found.append(own.assign(collection=before.collection, chunker=name))
    keys = ["collection", "chunker", "query_id"]
    return pd.concat(found, ignore_index=True)[[*keys, "relevant", "document", "plain", "late"]]


def correlations(points: pd.DataFrame, figure: pd.DataFrame) -> pd.DataFrame:
    """r by chunker, arm, collection and definition, with its interval, and the lowest and highest
    of the four published.

    Args:
        points: as :func:`points` gives them.
        figure: the published cells of Figure 2.
    """
    rows = [
        keys | row for keys, own in _groups(points) for row in by_definition(own, keys["ordering"])
    ]
    found = pd.DataFrame(rows)
    where = pd.DataFrame(
        {
            "column": found["collection"].isin(BOOKS).map({True: "gutenqa", False: "beir"}),
            "method": found["chunker"].replace(METHOD_OF),
            "ordering": found["ordering"],
        }
    )
    spread = published(figure).groupby(["collection", "method", "ordering"])["r"]
    ends = spread.agg(["min", "max"]).reindex(pd.MultiIndex.from_frame(where))
    found[list(SPREAD)] = ends.to_numpy()
    return found


def side_by_side(found: pd.DataFrame) -> pd.DataFrame:
    """The same with a row a chunker, arm and collection: r by the words with its interval, by the
    code, and within collections."""
    keys = ["chunker", "collection", "ordering"]
    wide = found.set_index([*keys, "definition"])["r"].unstack("definition")
    own = found[found["definition"] == "text"].set_index(keys)
    others = {f"r, {name}": wide[name] for name in ("code", "within") if name in wide}
    both = own[["n", "r", "low", "high", "p"]].assign(**others).join(own[list(SPREAD)])
    return both.reset_index()


def sensitivity(points: pd.DataFrame) -> pd.DataFrame:
    """r under either definition of the points, with and without outliers, of sizes and of their
    logarithms; ``significant`` counts p < .05.

    Columns named ``text`` and ``code, no outliers, log`` are the two definitions themselves.
    """
    return pd.DataFrame(
        keys | _in_every_way(own, keys["ordering"]) for keys, own in _groups(points)
    )


def by_text(points: pd.DataFrame, arm: str) -> pd.DataFrame:
    """``size, score, collection`` of the queries, as the taxonomy's text defines them."""
    return scored(points.rename(columns={"relevant": "size"}), arm)


def less_collection_means(points: pd.DataFrame) -> pd.DataFrame:
    """The logarithm of the size and the score, less their means in the point's collection."""
    places = points["collection"]
    sides = {"size": np.log10(points["size"]), "score": points["score"]}
    return points.assign(**{k: v - v.groupby(places).transform("mean") for k, v in sides.items()})


def by_definition(points: pd.DataFrame, arm: str) -> Iterator[dict[str, object]]:
    """The row of each definition, with its interval; ``within`` only of several collections."""
    text = by_text(points, arm)
    found = {
        "text": correlate(text),
        "code": correlate(by_code(points, arm), outliers=False, logarithm=True),
    }
    if points["collection"].nunique() > 1:
        found["within"] = correlate(less_collection_means(text))
    for definition, row in found.items():
        yield {"definition": definition} | row | interval(row["r"], row["n"])


def interval(r: float, n: int) -> dict[str, Any]:
    """r of n points with its interval, which needs nothing else and so serves published r too."""
    low, high = statistics.fisher_interval(r, n)
    method = "" if np.isnan(low) else INTERVAL
    return {"n": n, "r": r, "low": low, "high": high, "interval": method,
            "smallest significant r": statistics.smallest_significant_r(n)}  # fmt: skip


def published(cells: pd.DataFrame) -> pd.DataFrame:
    """``encoder, collection, method, ordering`` and the published r, those of the images.

    Its n over books is that of all of them, outliers too, so that the interval is the narrowest
    possible; over queries n is unknown and there is no interval.
    """
    found = cells[cells["table"].str.startswith("figure 2") & (cells["statistic"] == "r")]
    # What the text quotes stands in the images too, which decide where both differ.
    found = found.drop_duplicates(["collection", "chunker", "encoder", "ordering"], keep="last")
    rows = [
        {"method": cell["chunker"]}
        | {name: cell[name] for name in ("encoder", "collection", "ordering")}
        | interval(cell["value"], NUMBER_OF_BOOKS if cell["collection"] == "gutenqa" else 0)
        for cell in found.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _groups(points: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The points of each method under each arm: of every collection, and of several in-corpus ones
    pooled."""
    for (chunker, of_method), arm in product(points.groupby("chunker", sort=False), ARMS):
        groups = of_method.groupby("collection", sort=False)
        here = {str(name): one for name, one in groups if len(scored(one, arm))}
        inside = [one for name, one in here.items() if name not in BOOKS]
        if len(inside) > 1:
            here[POOLED] = pd.concat(inside, ignore_index=True)
        for name, own in here.items():
            yield {"chunker": str(chunker), "collection": name, "ordering": arm}, own


def _in_every_way(points: pd.DataFrame, ordering: str) -> dict[str, object]:
    """r by the points' definition, with and without outliers, raw and logarithmic."""
    row: dict[str, object] = {}
    significant = 0
    for name, found in (("text", by_text(points, ordering)), ("code", by_code(points, ordering))):
        for outliers, logarithm in product((True, False), (False, True)):
            one = correlate(found, outliers, logarithm)
            ways = [name, *([] if outliers else ["no outliers"]), *(["log"] if logarithm else [])]
            row[", ".join(ways)] = one["r"]
            significant += one["p"] < LEVEL
    return row | {"significant": significant}


def _sizes(found: Found, computing: Computing) -> pd.DataFrame:
    """The sizes of a run's chunks by query: as the study keeps them, or measured."""
    one, own = found.arm.condition, found.arm.function
    if own is None and computing.compute != "fresh":
        stored = study_results.tables(computing.places, "chunk-sizes")
        sizes = kept(stored, one.collection, one.chunker, one.encoder, one.protocol)
        if len(sizes):
            return sizes
    if computing.compute == "stored":
        raise StudyError(
            f'the sizes of the chunks of {one} are not stored; compute="missing" measures them'
        )
    collection, vectors = load_collection(one.collection), computing.vectors
    store = load_store(one.encoder, vectors, one.rules.newlines)
    chunker = own and checked(own, collection.documents)
    chunks = chunk(one, collection, store, chunker, boundary_store(one, vectors))
    if chunks.digest() != found.run.chunks_sha256:
        raise StudyError(f"{found.arm.path} has other chunks than its record; run it again")
    return chunk_sizes.measured(one, collection, chunks, store)
