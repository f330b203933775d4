"""A claim is judged by what is handed in, and the ledger is what the pages judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.places import Places
from chunkstudy.publish import notebooks
from chunkstudy.show import claims, claims_page
from chunkstudy.show.claims import Claim, ClaimError, verdict


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (True, "holds"),
        (False, "contradicted"),
        (None, "open"),
        ({"a": True, "b": True}, "holds"),
        ({"a": True, "b": False}, "partly"),
        ({"a": False, "b": False}, "contradicted"),
        ({"a": False, "b": None}, "open"),
    ],
)
def test_the_verdict_follows_from_the_parts(truth: claims.Truth, expected: str) -> None:
    assert verdict(truth) == expected


@given(st.dictionaries(st.text(min_size=1), st.booleans(), min_size=1))
def test_one_part_that_turns_keeps_a_claim_from_holding(parts: dict[str, bool]) -> None:
    first = next(iter(parts))
    assert verdict(parts | {first: False}) != "holds"
    assert verdict(parts | {first: True}) != "contradicted"


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "no reading"),
        ({"fair": True}, "without a number"),
        ({"fair": None, "strict": {"a": None}, "numbers": "1"}, "`needs` says"),
        ({"fair": True, "numbers": "1", "needs": "a model"}, "`needs` says"),
        ({"fair": False, "strict": True, "numbers": "1"}, "grants it more"),
        ({"fair": True, "numbers": "1", "basis": "hearsay"}, "say which"),
    ],
)
def test_a_claim_that_breaks_a_rule_is_named(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(ClaimError, match=f"claim C01.*{message}"):
        Claim("C01", "Summary", "It differs.", **given_)


def test_a_claim_of_two_readings_has_the_fair_one_first() -> None:
    rows = Claim(
        "C01", "Summary", "It differs.", fair=True, strict={"by nine points": False}, numbers="4.7"
    ).rows()
    found = [(row["reading"], row["verdict"]) for row in rows]
    assert found == [("fair", "holds"), ("strict: by nine points", "contradicted")]


def _answers(places: Places, page: str, *ids: str) -> None:
    rows = [row for one in ids for row in Claim(one, "", "It is.", fair=True, numbers="1").rows()]
    path = places.results / "answers" / f"{page}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"answers": [], "claims": rows}))


def test_the_ledger_is_ordered_by_work_and_number(tmp_path: Path) -> None:
    places = Places(tmp_path)
    _answers(places, "taxonomy_rq1", "X3", "C101", "C99")
    _answers(places, "chroma_1", "C2")
    _answers(places, "labels_1", "C120")
    found = claims.collect(places)
    assert found["id"].tolist() == ["C2", "C99", "C101", "X3", "C120"]
    assert found["work"].tolist() == ["chroma", "taxonomy", "taxonomy", "taxonomy", "tutorial"]


def test_a_claim_judged_by_two_pages_is_refused_with_both_named(tmp_path: Path) -> None:
    places = Places(tmp_path)
    _answers(places, "chroma_1", "C2")
    _answers(places, "chroma_2", "C2")
    with pytest.raises(ClaimError, match="C2 is judged in chroma_1 and in chroma_2"):
        claims.collect(places)


def test_a_page_of_no_work_judges_no_claim(tmp_path: Path) -> None:
    _answers(Places(tmp_path), "baselines", "C2")
    with pytest.raises(ClaimError, match="baselines is a page of no published work"):
        claims.collect(Places(tmp_path))


def test_a_claim_judged_twice_on_one_page_is_refused() -> None:
    found = Claim("C2", "", "It is.", fair=True, numbers="1")
    for given_, before in (([found, found], []), ([found], found.rows())):
        with pytest.raises(ClaimError, match="C2 is judged twice on this page"):
            claims.once(given_, before)


def test_each_way_of_reading_counts_every_claim_once(tmp_path: Path) -> None:
    """A claim of one reading counts in both; no claim is lost."""
    places = Places(tmp_path)
    judged = [
        Claim("C2", "", "It is.", fair=True, numbers="1"),
        Claim("C3", "", "It is so.", fair=True, strict={"always": False}, numbers="2"),
        Claim("C4", "", "It was.", needs="a model"),
    ]
    rows = [row for one in judged for row in one.rows()]
    path = places.results / "answers" / "jina_1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"answers": [], "claims": rows}))
    _answers(places, "chroma_1", "C1")
    found = claims_page.counts(claims.collect(places))
    assert (found[list(claims.VERDICTS)].sum(axis=1) == found["claims"]).all()
    of_jina = found[found["work"] == "jina"].set_index("read")
    assert of_jina["claims"].tolist() == [3, 3]
    assert of_jina["holds"].tolist() == [2, 1]
    assert of_jina["contradicted"].tolist() == [0, 1]
    assert of_jina["open"].tolist() == [1, 1]
    both = claims_page.both(claims.collect(places)).set_index("id")
    assert (both.at["C3", "fair"], both.at["C3", "strict"]) == ("holds", "contradicted")


def test_a_ledger_without_claims_is_shown_empty(tmp_path: Path) -> None:
    found = claims.collect(Places(tmp_path))
    assert list(found.columns) == claims.COLUMNS and found.empty
    assert claims_page.counts(found)["claims"].sum() == 0
    claims_page.figure_verdicts(found)


def test_the_page_of_claims_runs_between_those_that_judge_and_the_overview() -> None:
    groups = [
        {path.stem: path.read_text("utf-8") for path in group}
        for group in notebooks.in_turn(Places(Path(__file__).parents[1]))
    ]
    judging = {at for at, group in enumerate(groups) if "study.claim" in "".join(group.values())}
    names = [set(group) for group in groups]
    at = names.index({"claims"})
    assert judging and max(judging) < at < names.index({"00_overview"})
