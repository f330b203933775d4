"""The taxonomy's tables follow from any scores, decided on unrounded values; chunk size against
effectiveness is as its text defines it and as its code does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.notebook.scores import Scores
from chunkstudy.pipeline.conditions import Condition
from chunkstudy.published.chunk_size import CHANGE, by_code, correlate, published_r
from chunkstudy.studies.taxonomy.chunk_size import per_query
from chunkstudy.studies.taxonomy.tables import marked
from tests.made_library import CHUNKERS, IELAB, LATE, PRE, made, made_library

Found = dict[Condition, pd.Series]


def scores(found: Found) -> list[Scores]:
    """As runs of plain chunks give them, of a collection each."""
    wanted = [one for one in found if one.ordering == PRE]
    made = []
    for _, group in groupby(wanted, key=lambda one: one.collection):
        own = list(group)
        measure = "nDCG@10" if own[0].task == "in_corpus" else "DCG@10"
        rows = [
            pd.DataFrame({"chunker": one.chunker, "part": "all", "query_id": found[one].index,
                          measure: found[one].to_numpy()})
            for one in own
        ]  # fmt: skip
        paths = {one.chunker: str(one) for one in own}
        made.append(Scores(pd.concat(rows, ignore_index=True), (measure,), paths, 10))
    return made


def table_of(found: Found) -> tuple[Any, Any]:
    """A table's cells by method and collection, and its tests."""
    own, tests = marked(scores(found))
    return own.set_index(["method", "collection"]), tests


def test_superscripts_are_paired_t_tests_against_best_and_worst_of_all_rows() -> None:
    found = made()
    own, _ = table_of(found)
    seen = set()
    for name in ("scifact", "nfcorpus"):
        column = {c.chunker: s for c, s in found.items()
                  if (c.collection, c.ordering) == (name, PRE)}  # fmt: skip
        means = {method: s.mean() for method, s in column.items()}
        best, worst = max(means, key=lambda m: means[m]), min(means, key=lambda m: means[m])
        for method, values in column.items():
            cell = own.loc[method, name]
            expected = "".join(
                letter
                for letter, other in (("a", best), ("b", worst))
                if method != other and stats.ttest_rel(values, column[other]).pvalue < 0.05
            )
            assert (cell["marks"], cell["best"], cell["worst"]) == (
                expected, method == best, method == worst,
            )  # fmt: skip
            assert cell["value"] == pytest.approx(values.mean())
            seen.add(expected)
    assert {"", "a", "b"} <= seen  # the draw shows every kind of mark


def test_every_test_stands_once_and_holm_is_within_one_task() -> None:
    _, tests = table_of(made(("gutenqa-emma", "scifact")))
    pairs = tests[["collection", "method", "other"]].to_numpy().tolist()
    assert len(pairs) == len({(c, *sorted((m, o))) for c, m, o in pairs})
    assert tests["family"].nunique() == 2
    for _, family in tests.groupby("family"):
        assert set(family["family_size"]) == {len(family)} == {7}  # best-worst once, others twice
        np.testing.assert_allclose(family["p_holm"], multipletests(family["p"], method="holm")[1])


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
    return float(correlate(by_code(points, arm), as_coded=True)["r"])


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
