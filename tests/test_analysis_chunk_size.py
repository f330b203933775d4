"""Chunk size against effectiveness, as the taxonomy's text defines it and as its code does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.base.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.published.chunk_size import CHANGE, by_code, correlate, published_r
from chunkstudy.studies.taxonomy.chunk_size import per_query
from tests.made_library import CHUNKERS, IELAB, LATE, PRE, made, made_library

DRAWN = np.random.default_rng(3)
SCORES = ("plain", "late")


def official(sizes: Iterable[float], scores: Iterable[float]) -> float:
    """r as plot_chunkcount_vs_performance.py computes it of the points that it collected."""
    x, y = np.array(list(sizes)), np.array(list(scores))
    kept = np.ones(len(x), dtype=bool)
    for axis in (x, y):
        low, high = np.percentile(axis, [25, 75])
        kept &= (axis >= low - 1.5 * (high - low)) & (axis <= high + 1.5 * (high - low))
    return float(stats.pearsonr(np.log10(x[kept]), y[kept]).statistic)


def as_the_code(points: pd.DataFrame, arm: str) -> float:
    return float(correlate(by_code(points, arm), outliers=False, logarithm=True)["r"])


def drawn_points(queries: list[str], documents: np.ndarray, collection: str) -> pd.DataFrame:
    plain, late = np.clip(DRAWN.normal(0.5, 0.2, (2, len(queries))), 0, 1)
    plain[::9] = 0.0
    return pd.DataFrame({"query_id": queries, "document": documents, "relevant": 1.0,
                         "plain": plain, "late": late, "collection": collection})  # fmt: skip


def test_in_corpora_r_is_the_official_scripts_over_the_queries_of_all_collections() -> None:
    names = ("scifact", "nfcorpus")
    sizes = {name: np.exp(DRAWN.normal(4, 1, 60)) for name in names}
    pooled = pd.concat(
        [drawn_points([f"q{i}" for i in range(60)], sizes[name], name) for name in names]
    )
    for arm, score in ((PRE, "plain"), ("contextualized", "late")):
        expected = official(np.concatenate(list(sizes.values())), pooled[score])
        assert as_the_code(pooled, arm) == pytest.approx(expected)
        log = np.log10(pooled["document"])
        assert expected != pytest.approx(official(10**log, log))
    scored = pooled[pooled["plain"] > 0]
    change = 100 * (scored["late"] - scored["plain"]) / scored["plain"]
    assert as_the_code(pooled, CHANGE) == pytest.approx(official(scored["document"], change))


def test_within_documents_a_point_is_a_book_and_its_change_that_of_its_mean_scores() -> None:
    books = {f"Book-{i}": size for i, size in enumerate(np.exp(DRAWN.normal(4, 1, 40)))}
    queries = [f"{book}-Query-{i}" for book in books for i in range(6)]
    points = drawn_points(queries, np.repeat(list(books.values()), 6), "gutenqa")
    before, after = (points[name].to_numpy().reshape(-1, 6).mean(axis=1) for name in SCORES)
    for arm, score in ((PRE, before), ("contextualized", after), (CHANGE, after / before - 1)):
        assert as_the_code(points, arm) == pytest.approx(official(books.values(), score))


def test_sizes_are_of_the_chunks_that_touch_what_is_judged() -> None:
    collection = Collection(
        "x",
        (Document("a", "0123456789"), Document("b", "01234")),
        (Query("q", "?", "a"), Query("r", "?"), Query("s", "?")),
        (Judgment("q", "a", 4, 6), Judgment("r", "b", 0, 5, 2), Judgment("r", "a", 0, 10, 0)),
    )
    both = replace(collection, judgments=(*collection.judgments, Judgment("q", "b", 0, 5)))
    document = np.array([0, 0, 0, 1], dtype=np.int64)
    start, end = np.array([0, 3, 6, 0]), np.array([3, 6, 10, 5])
    chunks = Chunks(document, start, end)
    sizes = np.array([3.0, 5.0, 7.0, 11.0])
    table = per_query(collection, chunks, sizes).set_index("query_id")
    assert list(table.loc["q"]) == [5.0, 5.0]  # mean of 3, 5 and 7 is 5 too
    assert list(per_query(both, chunks, sizes).set_index("query_id").loc["q"]) == [8.0, 8.0]
    assert list(table.loc["r"]) == [11.0, 11.0]  # grade 0 judges nothing relevant
    assert "s" not in table.index
    sizes[2] = 70.0
    again = per_query(collection, chunks, sizes).set_index("query_id")
    assert list(again.loc["q"]) == [5.0, 26.0]


def test_a_published_r_pools_its_collections_by_the_official_definition() -> None:
    scores = made(protocol=IELAB)
    sizes = {  # of made-up records: 20 tokens and more, growing with the query's number
        name: pd.DataFrame(
            [
                (chunker, IELAB, f"q{i}", 20 + i + place, 20 + i + place + len(name))
                for place, chunker in enumerate(CHUNKERS)
                for i in range(40)
            ],
            columns=["chunker", "protocol", "query_id", "relevant", "document"],
        )
        for name in {condition.collection for condition in scores}
    }
    records = {one: pd.DataFrame({"nDCG@10": values}) for one, values in scores.items()}
    assert published_r(scores, PRE, made_library(records), {}) == []
    for arm, ordering in ((PRE, PRE), ("contextualized", LATE)):
        found = published_r(scores, arm, made_library(records), sizes)
        last = [one for one in scores if (one.chunker, one.ordering) == (CHUNKERS[-1], ordering)]
        tables = [sizes[one.collection].query("chunker == @CHUNKERS[-1]") for one in last]
        both = [one.set_index("query_id")["document"] for one in tables]
        expected = official(pd.concat(both), pd.concat([scores[one] for one in last]))
        assert len(found) == len(CHUNKERS) and found[-1] == pytest.approx(expected)
