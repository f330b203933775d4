"""A claim is judged by what is handed in, its words are data, and the ledger sets what the pages
judged beside what is listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chunkstudy.base.places import Places
from chunkstudy.published import cells
from chunkstudy.published.cells import CellError, Statement
from chunkstudy.published.sources import WORKS
from chunkstudy.study import claims
from chunkstudy.study.claims import Claim, ClaimError, verdict

ROOT = Places(Path(__file__).parents[1])
HEADER = "id,work,place,sentence,fair,strict,numbers,basis,needs,page"
PLAIN = "C02,chroma,Summary,It is.,,,{} of 4,own data,,"
TWICE_READ = 'C03,jina,Summary,It is so.,a; b,always,"{:.1f}, {}",published,,'
OPEN = "C04,jina,Table,It was.,,,,own data,a model,jina_1"


def listed(folder: Path, *rows: str) -> Places:
    path = folder / "results" / "published" / "claims.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return Places(folder)


def statement(row: str, folder: Path) -> Statement:
    (found,) = cells.statements(listed(folder, row)).values()
    return found


def judged(places: Places, page: str, *given_: Claim) -> None:
    """A page's claims, as it keeps them."""
    path = places.results / "answers" / f"{page}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"answers": [], "claims": claims.judged(places, given_, [])}
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([True], "holds"),
        ([False], "contradicted"),
        ([None], "open"),
        ([True, True], "holds"),
        ([True, False], "partly"),
        ([False, False], "contradicted"),
        ([False, None], "open"),
        ([pd.Series([True, True])], "holds"),
        ([pd.DataFrame({"a": [True], "b": [False]})], "contradicted"),
        ([pd.Series([True, False]), True], "partly"),
    ],
)
def test_the_verdict_follows_from_the_parts_each_true_if_it_is_in_every_case(
    parts: list[Any], expected: str
) -> None:
    assert verdict(*parts) == expected


@pytest.mark.parametrize(
    ("row", "numbers", "readings", "message"),
    [
        (PLAIN, [3], {}, "`needs` in claims.csv says"),
        (PLAIN, [3], {"fair": True, "strict": True}, "no strict reading in claims.csv"),
        (PLAIN, [], {"fair": True}, "names 1 numbers in claims.csv and is given 0"),
        (PLAIN.replace("{} of 4", ""), [], {"fair": True}, "without a number"),
        (PLAIN, [3], {"fair": [True, True]}, "parts: 1 in claims.csv, 2 here"),
        (TWICE_READ, [1.25, 2], {"fair": True, "strict": False}, "parts: 2 in claims.csv, 1 here"),
        (TWICE_READ, [1.25, 2], {"fair": [True, True]}, "`needs` in claims.csv says"),
        (TWICE_READ, [1.25, 2], {"fair": [True, False], "strict": True}, "grants it more"),
        (OPEN, [], {"fair": True}, "`needs` in claims.csv says"),
    ],
)
def test_a_claim_that_breaks_a_rule_is_named(
    tmp_path: Path, row: str, numbers: list[float], readings: dict[str, Any], message: str
) -> None:
    of_row = statement(row, tmp_path)
    with pytest.raises(ClaimError, match=f"^claim {of_row.id}.*{message}"):
        claims.rows(of_row, Claim(of_row.id, *numbers, **readings))


def test_a_claim_that_is_not_listed_or_judged_before_is_refused(tmp_path: Path) -> None:
    places, known = listed(tmp_path, PLAIN), Claim("C02", 3, fair=True)
    with pytest.raises(
        ClaimError, match=r"^claim C99 is not in results/published/claims\.csv; add"
    ):
        claims.judged(places, [Claim("C99", 3, fair=True)], [])
    before = claims.judged(places, [known], [])
    for given_, earlier in (([known, known], []), ([known], before)):
        with pytest.raises(ClaimError, match="C02 is judged twice on this page"):
            claims.judged(places, given_, earlier)
    with pytest.raises(ClaimError, match="decided by no case"):
        verdict(True, pd.Series([], dtype=bool))


def test_a_claim_listed_twice_or_of_no_basis_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(CellError, match=r"claims\.csv, line 3 has the key of another row \(C02\)"):
        cells.statements(listed(tmp_path, PLAIN, PLAIN))
    with pytest.raises(CellError, match=r"claims\.csv, line 2: basis"):
        cells.statements(listed(tmp_path, PLAIN.replace("own data", "hearsay")))


def test_the_ledger_is_what_is_listed_in_its_order_with_what_no_page_judges_open(
    tmp_path: Path,
) -> None:
    other = PLAIN.replace("C02", "C05")
    places = listed(tmp_path, PLAIN, TWICE_READ, OPEN, other, PLAIN.replace("C02", "C06"))
    judged(places, "jina_1", Claim("C03", 1, 2, fair=[True, True], strict=False))
    judged(places, "chroma_1", Claim("C05", 2, fair=False), Claim("C02", 3, fair=True))
    kept = json.loads((places.results / "answers" / "chroma_1.json").read_text("utf-8"))
    assert [row["id"] for row in kept["claims"]] == ["C02", "C05"]
    found = claims.collect(places)
    assert list(found.columns) == claims.COLUMNS
    rows = found[["id", "work", "verdict", "needs", "page"]].values.tolist()
    assert rows == [
        ["C02", "chroma", "holds", "", "chroma_1"],
        ["C03", "jina", "holds", "", "jina_1"],
        ["C03", "jina", "contradicted", "", "jina_1"],
        ["C04", "jina", "open", "a model", "jina_1"],
        ["C05", "chroma", "contradicted", "", "chroma_1"],
    ]
    counted = claims.counts(found).set_index(["work", "read"])
    assert counted["claims"].tolist() == [2, 2, 2, 2]
    assert counted.loc["jina", ["holds", "contradicted", "open"]].values.tolist() == [
        [1, 0, 1],
        [0, 1, 1],
    ]


def test_a_claim_of_two_pages_or_of_none_that_is_listed_is_refused(tmp_path: Path) -> None:
    places = listed(tmp_path, PLAIN)
    judged(places, "chroma_1", Claim("C02", 3, fair=True))
    judged(places, "chroma_2", Claim("C02", 3, fair=True))
    with pytest.raises(ClaimError, match="C02 is judged in chroma_1 and in chroma_2"):
        claims.collect(places)
    (places.results / "answers" / "chroma_2.json").unlink()
    listed(tmp_path, OPEN)
    with pytest.raises(ClaimError, match=r"claims\.csv lacks C02 of chroma_1"):
        claims.collect(places)


def test_every_listed_claim_is_judged_once_or_open_and_no_other_is_judged() -> None:
    every, judged_or_open = cells.statements(ROOT), claims.collect(ROOT)
    assert set(judged_or_open["id"]) == set(every), "listed, neither judged nor open on a page"
    assert all(row.needs for row in every.values() if row.page), "open without what it needs"
    assert {row.work for row in every.values()} <= {*WORKS}
    naming = {row.page for row in every.values() if row.page}
    for page in naming:
        text = (ROOT.notebooks / f"{page}.ipynb").read_text("utf-8")
        assert "study.open_claims()" in text, f"{page} does not show the claims that name it"
