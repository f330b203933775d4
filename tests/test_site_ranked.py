"""Pages of collections query by query say what the records say."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.places import Places
from chunkstudy.render import formats
from chunkstudy.site import ranked_queries
from chunkstudy.site.material import SiteError
from chunkstudy.site.ranked_queries import Ranked
from tests.made_site import ROOT, SITE, Element, pages

NAMES = ["arguana", "chroma-within", "covid-qa-within", "nfcorpus", "scifact"]


@cache
def ranked(collection: str) -> Ranked:
    found = ranked_queries.read(SITE, collection)
    assert found
    return found


def scores(collection: str) -> list[pd.DataFrame]:
    """The records of a collection's arms, read from their files as they are."""
    folder = ROOT / "results" / "runs" / collection
    mini = "sentence-transformers__all-MiniLM-L6-v2"
    ways = [(f"{mini}-w512", "pre_embedding"), (f"{mini}-w512", "contextualized-512")]
    chunkers = ["none", "fixed-256", "fixed-64", "sentence-5", "semantic"]
    if collection.endswith("-within"):
        ways[1:1] = [(f"{mini}-w128", "contextualized-128"), (mini, "contextualized-256")]
        chunkers = ["fixed-256", "sentence-5"]
    found = []
    for chunker in chunkers:
        for encoder, ordering in ways:
            path = folder / chunker / encoder / ordering / "corrected" / "per_query.parquet"
            if path.exists():
                found.append(pd.read_parquet(path).set_index("query_id").sort_index())
    return found


def measure(collection: str) -> str:
    return "DCG@10" if collection.endswith("-within") else "nDCG@10"


def of_papers(values: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Sums of COVID-QA's papers, and how many questions each has."""
    known = pd.read_csv(ROOT / "results/facts/covid-qa-within.csv", dtype=str)
    by_paper = values.groupby(known.set_index("query_id")["part"])
    return by_paper.sum(), by_paper.size()


def answered(table: pd.DataFrame) -> pd.Series:
    """Whether an answer to a query stands among the first ten."""
    return (table["R@10"] if "R@10" in table else table["DCG@10"]) > 0


def rows(collection: str) -> list[Element]:
    return pages()[ranked_queries.file(collection)].all("tr", **{"data-item": "query"})


def test_every_collection_that_was_run_has_a_page() -> None:
    overview = pages()["queries.html"]
    links = {one.attributes["href"] for one in overview.all("a", href="")}
    assert {ranked_queries.file(name) for name in NAMES} <= links


@pytest.mark.parametrize("name", NAMES)
def test_each_query_has_one_row_with_its_score_under_each_arm(name: str) -> None:
    one, wide = ranked(name), scores(name)
    assert len(wide) == len(one.arms) >= 8
    page = pages()[ranked_queries.file(name)]
    cells: dict[int, list[str]] = {}
    for cell in page.elements:
        row = cell.parent
        if cell.tag == "td" and row is not None and row.attributes.get("data-item") == "query":
            cells.setdefault(id(row), []).append(cell.said())
    seen = []
    for row in rows(name):
        at = int(row.attributes["data-at"])
        query = one.queries[at]
        seen.append(query)
        change, *shown = cells[id(row)]
        for table, text in zip(wide, shown, strict=True):
            value = table[measure(name)][query]
            if answered(table)[query]:
                assert float(text) == pytest.approx(100 * value, abs=0.056)
            else:
                assert value == 0
                deeper = {True: "011–100", False: "0over 100"}
                wanted = deeper[table["R@100"][query] > 0] if "R@100" in table else "0"
                assert text == wanted
        assert change == formats.points(one.moves[at] / ranked_queries.STEPS)
    assert sorted(seen) == sorted(wide[0].index)


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_the_mean_differences_with_intervals_that_hold_them(name: str) -> None:
    one, wide = ranked(name), scores(name)
    assert [(pair.first, pair.second) for pair in one.pairs] == list(
        combinations(range(len(wide)), 2)
    )
    for pair in one.pairs:
        difference = wide[pair.second][measure(name)] - wide[pair.first][measure(name)]
        assert pair.mean == pytest.approx(difference.mean(), abs=1e-12)
        assert pair.interval.low <= pair.mean <= pair.interval.high
        width = pair.interval.high - pair.interval.low
        normal = 2 * 1.96 * difference.std() / np.sqrt(len(difference))
        if name == "covid-qa-within":
            sums, sizes = of_papers(difference)
            apart = sums - difference.mean() * sizes
            normal = 2 * 1.96 * np.sqrt((apart**2).sum()) / len(difference)
        assert width == pytest.approx(normal, rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_what_moves_is_counted_and_the_furthest_are_named(name: str) -> None:
    one, wide = ranked(name), scores(name)
    late = "late, 512" if name.endswith("-within") else "late"
    assert (one.arms[one.compared.first].name, one.arms[one.compared.second].name) == (
        "Fixed size, 256 tokens, plain", f"Fixed size, 256 tokens, {late}",
    )  # fmt: skip
    first, second = (wide[at][measure(name)] for at in (one.compared.first, one.compared.second))
    moves = (second - first).where((second - first).abs() > 1e-4, 0.0)
    assert one.counts == {
        "gains": (moves > 0).sum(), "loses": (moves < 0).sum(), "stays": (moves == 0).sum(),
    }  # fmt: skip
    assert [by for _, by in one.most(1)] == pytest.approx(sorted(moves)[::-1][:5], abs=1e-4)
    assert [by for _, by in one.most(-1)] == pytest.approx(sorted(moves)[:5], abs=1e-4)
    sizes = [abs(one.moves[at]) for at in one.order]
    assert sizes == sorted(sizes, reverse=True)
    found = pd.concat([answered(table) for table in wide], axis=1)
    assert one.unanswered == (~found.any(axis=1)).sum()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_holds_ids_and_numbers_and_is_small(name: str) -> None:
    path = SITE.site / ranked_queries.file(name)
    assert path.stat().st_size < 600_000
    text = path.read_text(encoding="utf-8")
    held = re.search(r'<script type="application/json" id="scores">(.*?)</script>', text)
    assert held is not None
    data = json.loads(held[1])
    one = ranked(name)
    assert data["scores"] == [arm.scores.tolist() for arm in one.arms]
    assert len(data["pairs"]) == len(one.pairs)


def test_one_record_alone_gives_no_page() -> None:
    assert ranked_queries.read(Places(ROOT / "no such checkout"), "scifact") is None


def test_records_of_other_queries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    read = ranked_queries.records.read_scores
    asked: list[int] = []

    def fewer(folder: object) -> pd.DataFrame:
        asked.append(1)
        return read(folder).iloc[len(asked) // 2 :]  # type: ignore[arg-type]

    monkeypatch.setattr(ranked_queries.records, "read_scores", fewer)
    with pytest.raises(SiteError, match="has other queries than its fellows"):
        ranked_queries.read(SITE, "scifact")


def test_nothing_that_stays_is_named_as_moving() -> None:
    one = ranked("scifact")
    arm = one.arms[0]
    still = Ranked("scifact", one.queries, (arm, arm), one.pairs[:1], one.pairs[0])
    assert still.most(1) == still.most(-1) == []
    assert still.counts["stays"] == len(one.queries)
