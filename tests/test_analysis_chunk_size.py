"""Chunk size against effectiveness, as the taxonomy's text defines it and as its code does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.analysis.chunk_size import by_book, correlate, correlations, interval
from chunkstudy.grid.conditions import Condition
from chunkstudy.places import Places
from chunkstudy.published import cells as published_cells
from chunkstudy.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.studies import results
from chunkstudy.studies.chunk_sizes import per_query
from tests.made_study import made_by
from tests.recorded import CHUNKERS, LATE, OWN, PRE, WIDE, library, made

CELLS = published_cells.frame(published_cells.read(Places(Path(__file__).parents[1])))
DRAWN = np.random.default_rng(3)


def points(n: int = 80, collection: str = "scifact", level: float = 0.0) -> pd.DataFrame:
    size = np.exp(DRAWN.normal(4 + level, 0.3, n))
    score = np.clip(0.5 + level / 3 + DRAWN.normal(0, 0.1, n), 0, 1)
    return pd.DataFrame({"size": size, "score": score, "collection": collection})


def test_the_text_correlates_sizes_as_they_are() -> None:
    drawn = points()
    found = correlate(drawn, "text")
    expected = stats.pearsonr(drawn["size"], drawn["score"])
    assert found["r"] == pytest.approx(expected.statistic)
    interval = expected.confidence_interval()
    assert found["low"] == pytest.approx(interval.low)
    assert found["high"] == pytest.approx(interval.high)
    assert (found["n"], found["dropped"]) == (80, 0)


def test_the_code_takes_logarithms_and_drops_outliers_of_either_axis() -> None:
    drawn = points()
    drawn.loc[0, "size"], drawn.loc[1, "score"] = 1e6, 40.0
    kept = np.ones(80, dtype=bool)
    for values in (np.log10(drawn["size"]), drawn["score"]):
        low, high = np.percentile(values, [25, 75])
        kept &= np.asarray(values.between(low - 1.5 * (high - low), high + 1.5 * (high - low)))
    assert not kept[:2].any()
    expected = stats.pearsonr(np.log10(drawn["size"][kept]), drawn["score"][kept])
    found = correlate(drawn, "code")
    assert found["r"] == pytest.approx(expected.statistic)
    assert (found["n"], found["dropped"]) == (kept.sum(), 80 - kept.sum())


def test_centring_takes_out_what_only_the_collections_differ_in() -> None:
    # Two collections, one of larger chunks and higher scores; within each, size says nothing.
    pooled = pd.concat([points(), points(collection="nfcorpus", level=1.0)], ignore_index=True)
    assert correlate(pooled, "text")["r"] > 0.5
    assert abs(correlate(pooled, "within")["r"]) < 0.25
    shifted = pooled.assign(score=pooled["score"] + (pooled["collection"] == "nfcorpus") * 7)
    again = correlate(shifted, "within")["r"]
    assert again == pytest.approx(correlate(pooled, "within")["r"])


def test_what_has_no_variance_left_has_no_correlation() -> None:
    drawn = points().assign(score=[0.0] * 70 + [1.0] * 10)  # quartiles 0, so every 1 is dropped
    found = correlate(drawn, "code")
    assert np.isnan(found["r"]) and found["dropped"] == 10
    assert np.isnan(correlate(points(1), "text")["r"])


def test_a_book_is_one_point() -> None:
    drawn = pd.DataFrame(
        {
            "query_id": ["Book-A-Query-0", "Book-A-Query-1", "Book-B-Query-0"],
            "document": [10.0, 10.0, 30.0],
            "size": [1.0, 2.0, 3.0],
            "score": [0.0, 1.0, 0.25],
            "collection": "gutenqa",
        }
    )
    books = by_book(drawn)
    assert books[["size", "score"]].to_numpy().tolist() == [[10.0, 0.5], [30.0, 0.25]]


def test_sizes_are_of_the_chunks_that_touch_what_is_judged() -> None:
    collection = Collection(
        "x",
        (Document("a", "0123456789"), Document("b", "01234")),
        (Query("q", "?", "a"), Query("r", "?"), Query("s", "?")),
        (Judgment("q", "a", 4, 6), Judgment("r", "b", 0, 5, 2), Judgment("r", "a", 0, 10, 0)),
    )
    document = np.array([0, 0, 0, 1], dtype=np.int64)
    start, end = np.array([0, 3, 6, 0]), np.array([3, 6, 10, 5])
    chunks = Chunks(document, start, end)
    sizes = np.array([3.0, 5.0, 7.0, 11.0])
    table = per_query(collection, chunks, sizes).set_index("query_id")
    assert list(table.loc["q"]) == [5.0, 5.0]  # mean of 3, 5 and 7 is 5 too
    assert list(table.loc["r"]) == [11.0, 11.0]  # grade 0 judges nothing relevant
    assert "s" not in table.index
    sizes[2] = 70.0
    again = per_query(collection, chunks, sizes).set_index("query_id")
    assert list(again.loc["q"]) == [
        5.0,
        26.0,
    ]


def written(tmp_path: Path, scores: dict[Condition, pd.Series]) -> Places:
    """Chunk sizes of made-up records: 20 tokens and more, growing with the query's number."""
    tables = {}
    for name in sorted({c.collection for c in scores}):
        rows = [
            (chunker, OWN, f"q{i}", 20 + i + place, 50 + place)
            for place, chunker in enumerate(CHUNKERS)
            for i in range(40)
        ]
        columns = ["chunker", "protocol", "query_id", "relevant", "document"]
        tables[name] = pd.DataFrame(rows, columns=columns)
    results.write(results.folder(Places(tmp_path), "chunk-sizes"), tables, made_by())
    return Places(tmp_path)


def test_every_arm_and_definition_has_a_row_beside_the_published_ones(tmp_path: Path) -> None:
    scores = made()
    table = correlations(library(scores), written(tmp_path, scores), CELLS)
    ours = table[table["source"] == "records"]
    assert len(ours) == 5 * 3 * (2 * 2 + 3)  # methods, arms, two collections and pooled
    row = ours[(ours["method"] == "semantic") & (ours["ordering"] == LATE.split("-")[0])
               & (ours["collection"] == "nfcorpus") & (ours["definition"] == "text")]  # fmt: skip
    late = scores[Condition("nfcorpus", "semantic", WIDE, LATE, OWN)]
    expected = stats.pearsonr([24 + i for i in range(40)], late).statistic
    assert row["r"].iloc[0] == pytest.approx(expected)
    printed = table[table["source"] == "published"]
    jina = printed[printed["encoder"].str.endswith("-v3") & (printed["method"] == "paragraph")]
    assert jina.set_index("ordering")["r"].to_dict()["contextualized"] == 0.44
    assert set(printed.loc[printed["collection"] == "gutenqa", "n"]) == {100}
    plain = {"method": "semantic", "ordering": PRE}
    here = ours[(ours[list(plain)] == plain).all(axis=1) & (ours["collection"] == "nfcorpus")]
    there = printed[(printed[list(plain)] == plain).all(axis=1) & (printed["collection"] == "beir")]
    assert set(here["published lowest r"]) == {there["r"].min()}


def test_every_correlation_has_the_same_kind_of_interval_published_or_recorded() -> None:
    drawn = points()
    found = correlate(drawn, "text")
    assert interval(float(str(found["r"])), 80) == {
        key: found[key] for key in ("n", "r", "low", "high", "interval", "smallest significant r")
    }
    assert interval(0.5, 0)["interval"] == ""  # of an r whose n is unknown there is none


def test_a_change_leaves_out_queries_that_scored_nothing_before(tmp_path: Path) -> None:
    scores = made()
    for condition in scores:
        if condition.ordering == PRE:
            scores[condition] = scores[condition].abs() + 0.1
            scores[condition].iloc[:5] = 0.0
    table = correlations(library(scores), written(tmp_path, scores), CELLS)
    changes = table[(table["ordering"] == "relative change") & (table["definition"] == "text")
                    & (table["collection"] == "scifact")]  # fmt: skip
    assert set(changes["n"]) == {35}


def test_without_measured_sizes_there_are_only_the_published_rows(tmp_path: Path) -> None:
    table = correlations(library(made()), Places(tmp_path), CELLS)
    assert set(table["source"]) == {"published"}
