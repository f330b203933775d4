"""What stands at the head of a page: its answer, and every published sentence that it judges."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from chunkstudy.places import Places
from chunkstudy.render import card, findings, notebook

ROOT = Path(__file__).resolve().parents[1]
CLAIMS = pd.read_csv(ROOT / "results/claims.csv")


def places(root: Path) -> Places:
    return Places(root)


@pytest.mark.parametrize("page", sorted(CLAIMS["page"].unique()))
def test_a_page_of_claims_shows_each_of_them_once_with_its_verdicts(page: str) -> None:
    shown = card.judged(places(ROOT), page).data
    claims = CLAIMS[CLAIMS["page"] == page]
    assert shown.count("<tr>") == claims["id"].nunique() + 1
    source = (ROOT / "notebooks" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert re.search(rf'card\.judged\((?:project|study\.places), \\"{page}\\"\)', source)


def test_both_readings_stand_in_one_row_the_strict_one_first(tmp_path: Path) -> None:
    rows = [
        ("C01", "strict: each", "contradicted", "1 of 2"),
        ("C01", "charitable: most", "holds", "mean +2"),
        ("C02", "", "open", None),
    ]
    frame = pd.DataFrame(rows, columns=["id", "reading", "verdict", "figures"])
    frame = frame.assign(claim="Chunks < books.", source="Table 1", page="one")
    (tmp_path / "results").mkdir()
    frame.to_csv(tmp_path / "results/claims.csv", index=False)
    shown = card.judged(places(tmp_path), "one").data
    assert "contradicted / holds" in shown
    assert "1 of 2 / mean +2" in shown
    assert "read strictly: contradicted 1, open 1" in shown
    assert "Chunks &lt; books. (Table 1)" in shown
    assert card.judged(places(tmp_path), "another").data == ""


def test_a_table_of_which_no_row_is_left_is_shown_empty() -> None:
    shown = notebook.table(places(ROOT), "late_chunking_similarity", where="difference > 2").data
    assert shown.count("<tr>") == 1


def test_every_page_that_shows_answers_has_one() -> None:
    asked = {
        page
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for page in re.findall(r'page\.answers\(project, \\"(\w+)\\"', path.read_text("utf-8"))
    }
    assert asked
    assert asked <= {one.page for one in findings.read()}


def test_the_first_page_opens_with_the_first_findings_and_links_that_lead_somewhere() -> None:
    folder = ROOT / "results/notebooks"
    opening = card.overview(places(ROOT)).data
    links = re.findall(r"\]\(([^)]+)\)", opening)
    assert links and all((folder / link).resolve().exists() for link in links), links
    assert opening.startswith("**What was run.**")
    assert len(re.findall(r"^\d\. \*\*", opening, re.M)) == 5


def test_a_page_opens_with_the_findings_it_names_and_then_the_others() -> None:
    page = "taxonomy_rq3_contextualized"
    asked = {one.name: one.question for one in findings.read() if one.page == page}
    *others, last = asked
    shown = notebook.answers(places(ROOT), page, [last]).data
    named = re.findall(r"^\*\*(.+?)\*\*", shown, re.M)
    assert named == [asked[name] for name in (last, *others)]
    with pytest.raises(KeyError, match="no-such-finding"):
        notebook.answers(places(ROOT), page, ["no-such-finding"])
