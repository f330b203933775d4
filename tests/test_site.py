"""The site says what the tables say, links lead somewhere, and nothing is asked of the network."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

from chunkstudy.collections.registry import COLLECTIONS
from chunkstudy.encoders import registry
from chunkstudy.published import cells
from chunkstudy.published.claims import ledger
from chunkstudy.render import display_names
from chunkstudy.site import (
    build,
    data_card,
    published_table,
    reading_pages,
    tables_pages,
    verdicts_page,
)
from chunkstudy.site.material import Material, SiteError
from chunkstudy.site.pages import anchor, answer
from tests.made_site import FILES, ROOT, SITE, Element, Reader, checkout, pages

MOST = 15e6
FROM_OUTSIDE = re.compile(r"^(https?:)?//", re.IGNORECASE)


def material() -> Material:
    return Material(SITE)


def test_every_link_leads_to_a_page_a_place_on_it_or_a_file_of_the_repository() -> None:
    ids = {file: {one.attributes.get("id") for one in page.elements}
           for file, page in pages().items()}  # fmt: skip
    for file, page in pages().items():
        for link in page.all("a", href=""):
            target = link.attributes["href"]
            if FROM_OUTSIDE.match(target):
                continue
            parts = urlsplit(target)
            other = _from(file, unquote(parts.path)) if parts.path else file
            if other.startswith("../"):
                assert (ROOT / "docs/site" / other).resolve().exists(), (file, target)
                continue
            assert other in ids, (file, target)
            assert not parts.fragment or unquote(parts.fragment) in ids[other], (file, target)


def _from(file: str, target: str) -> str:
    """A relative path as seen from the site's root; ``../`` where it leaves it."""
    parts: list[str] = list(PurePosixPath(file).parent.parts)
    for one in PurePosixPath(target).parts:
        if one == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(one)
    return "/".join(parts)


def test_nothing_is_asked_of_the_network_and_links_that_leave_are_marked() -> None:
    for file, page in pages().items():
        for one in page.elements:
            for name in ("src", "href", "action", "data", "poster", "srcset"):
                if FROM_OUTSIDE.match(one.attributes.get(name, "")):
                    marked = one.tag == "a" and "external" in one.attributes.get("rel", "")
                    assert marked, (file, one.tag, one.attributes)
    for name in build.ASSETS:
        text = (SITE.site / name).read_text(encoding="utf-8")
        assert not re.search(r"url\(|@import|fetch\(|XMLHttp|https?://|\bimport\b", text), name


def test_each_page_forbids_itself_what_it_does_not_need() -> None:
    for file, page in pages().items():
        policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})[0]
        assert policy.attributes["content"].startswith("default-src 'none'"), file


def test_every_picture_says_what_it_shows_and_keeps_its_room() -> None:
    found = [one for page in pages().values() for one in page.all("img")]
    assert len(found) > 5
    for one in found:
        assert len(one.attributes["alt"]) > 60
        assert int(one.attributes["width"]) > 300 and int(one.attributes["height"]) > 100


@pytest.mark.parametrize("file", FILES)
def test_a_page_is_whole_and_a_screen_reader_finds_its_way(file: str) -> None:
    page = pages()[file]
    assert not page.open, "every element is closed"
    ids = Counter(one.attributes["id"] for one in page.elements if "id" in one.attributes)
    assert [name for name, times in ids.items() if times > 1] == []
    assert page.all("html")[0].attributes["lang"] == "en"
    assert len(page.all("h1")) == 1 and len(page.all("main")) == 1
    assert page.all("title")[0].said()
    assert all(one.attributes.get("scope") for one in page.all("th")), "headers say of what"
    labelled = {one.attributes["for"] for one in page.all("label")}
    for one in [*page.all("select"), *page.all("input")]:
        assert one.attributes["id"] in labelled
    assert all(one.attributes.get("tabindex") == "0" for one in page.all("pre")), (
        "scroll by keyboard"
    )


def test_pages_have_titles_of_their_own() -> None:
    titles = Counter(page.all("title")[0].said() for page in pages().values())
    assert [title for title, times in titles.items() if times > 1] == []


def test_the_site_fits() -> None:
    assert sum(one.stat().st_size for one in SITE.site.rglob("*") if one.is_file()) < MOST


def test_each_published_cell_stands_in_one_place_with_its_own_verdict() -> None:
    comparison = material().table("comparison")
    verdicts = dict(
        zip(
            ("|".join(one.key) for one in cells.read(SITE)),
            comparison["verdict"],
            strict=True,
        )
    )
    found: list[str] = []
    for page in pages().values():
        for one in page.elements:
            if "data-cell" in one.attributes:
                found.append(one.attributes["data-cell"])
                name = display_names.VERDICTS[verdicts[found[-1]]]
                assert name in one.said().split("Published")[0]
    assert Counter(found) == Counter(verdicts.keys())


def test_a_place_says_what_was_computed_and_what_computes_it_anew_or_why_nothing_was() -> None:
    for table in published_table.every(material()):
        for block in table.blocks:
            for _, places in block.rows:
                for one in (number for place in places if place for number in place.numbers):
                    if one.verdict == "not_run":
                        assert one.reason and not one.ours, one
                        continue
                    assert one.ours and (one.run or "*" in one.command), one
                    words = one.command.split()
                    assert words[:2] == ["chunkstudy", "study"] or words[-1] == "--again", one


def test_no_two_numbers_of_a_kind_stand_in_one_place() -> None:
    found = Counter((one.block, one.row, one.column, one.work, one.table, one.statistic == "std")
                    for one in cells.read(SITE))  # fmt: skip
    assert [key for key, times in found.items() if times > 1] == []


def test_tables_have_their_papers_rows_and_columns() -> None:
    found = {(one.work, one.name): one for one in published_table.every(material())}
    main = found["chroma", "main"].blocks[0]
    assert main.columns == ("Size", "Recall", "Precision", "PrecisionΩ", "IoU")
    assert main.rows[0][0] == "Recursive 800, overlap 400"
    recall = main.rows[0][1][1]
    assert recall is not None and recall.published == "85.4 ± 34.9"
    assert [block.title for block in found["taxonomy", "3"].blocks] == [
        "Jina-v2", "Jina-v3", "Nomic", "E5-Large",
    ]  # fmt: skip
    assert [block.title for block in found["taxonomy", "2"].blocks][:2] == ["SciFact", "NFCorpus"]
    numbered = [one.name for one in found.values() if one.work == "taxonomy"][:5]
    assert numbered == ["1", "2", "3", "4", "5"]
    assert len(found["chroma", "appendix"].blocks) == 12
    assert found["chroma", "appendix"].blocks[0].columns == (
        "Recall", "Precision", "PrecisionΩ", "IoU",
    )  # fmt: skip


def test_the_bar_counts_every_cell_once() -> None:
    counts = material().table("comparison")["verdict"].value_counts().to_dict()
    whole = tables_pages.whole(published_table.every(material()))
    assert {verdict: count for verdict, count, _ in whole.shares if count} == counts
    assert sum(share for *_, share in whole.shares) == pytest.approx(100)
    assert any(one.said() == f"{whole.words}." for one in pages()["index.html"].all("b"))
    only_run = tables_pages.coverage({"exact": 2, "not_run": 1}, 1)
    assert (
        only_run.words == "2 of 3 published cells were run: 2 exact (1 of them scores of retrieval)"
    )
    assert tables_pages.coverage({"deviates": 1}, 0).words.endswith(": 1 deviates")
    assert tables_pages.coverage({"deviates": 2}, 0).words.endswith(": 2 deviate")


def test_each_claim_stands_once_with_every_reading_and_its_own_computation() -> None:
    page = pages()[verdicts_page.FILE]
    articles = {one.attributes["id"]: one for one in page.all("article", **{"data-item": "claim"})}
    written = [claim for work in ledger.works() for claim in work.claims]
    assert list(articles) == [claim.id for claim in written]
    table = material().table("claims").fillna("")
    for name, rows in table.groupby("id"):
        said, shown = articles[str(name)].said(), articles[str(name)].attributes
        assert [shown["data-strict"], shown["data-charitable"]] == [
            rows["verdict"].iloc[0], rows["verdict"].iloc[-1],
        ]  # fmt: skip
        assert said.count("Basis: ") == len(rows)
    for claim in verdicts_page.claims(material()):
        assert claim.written.startswith("@claim(") and f'"{claim.id}"' in claim.written
        line = (ROOT / claim.code[0].path).read_text("utf-8").splitlines()[claim.code[0].line - 1]
        assert line.startswith("@claim(")
        assert all((ROOT / code.path).is_file() for code in claim.code)


def test_a_claim_shows_the_functions_that_it_calls() -> None:
    found = {claim.id: claim for claim in verdicts_page.claims(material())}
    assert "def over_median(" in found["C10"].written
    assert found["C10"].written.count("def main(") == 1
    assert [one.what for one in found["X05"].code[1:2]] == [
        "the function appendix_repeats_the_tables"
    ]
    assert "def model_over_model(" in found["C132"].written
    assert "def combinations(" in found["X12"].written, "what a function that it calls calls too"


def test_no_page_calls_a_thing_by_its_internal_name() -> None:
    slugs = {*display_names.PROTOCOLS} - {"corrected"}
    slugs |= {"pre_embedding", "within_stack", "not_run", "token_overlap", "in_document"}
    comparison, arms = material().table("comparison"), material().table("which_chunker")
    for column in ("chunker", "encoder", "ordering"):
        for table in (comparison, arms):
            slugs |= {one for one in table[column].dropna() if re.search(r"[-_]\d|__", one)}
    slugs -= {*display_names.MODELS, *display_names.MODELS.values()}
    word = re.compile("|".join(rf"(?<![\w/-]){re.escape(one)}(?![\w-])" for one in sorted(slugs)))
    for file, page in pages().items():
        said = page.all("body")[0].said()
        assert word.findall(said) == [], file


def test_the_essay_and_home_show_findings_as_they_are() -> None:
    findings = material().findings
    for file, least in (("index.html", 5), ("late-chunking.html", 20), ("findings.html", 60)):
        shown = pages()[file].all("article", **{"class": "finding"})
        assert len(shown) >= least
        for one in shown:
            assert findings[one.attributes["id"]]["answer"] in one.said()
        assert any(one.within("article") for one in pages()[file].all("b")), "an answer stands out"
    assert len(pages()["findings.html"].all("article")) == len(findings)


def test_what_stands_out_of_an_answer_is_its_first_words_where_they_are_an_answer() -> None:
    assert answer("No: 3 < 4.") == "<b>No</b>: 3 &lt; 4."
    assert answer("It depends on the window: yes.") == "<b>It depends on the window</b>: yes."
    assert answer("It depends on this, that and more.") == "It depends on this, that and more."
    assert answer("With one model, no.") == "With one model, no."
    assert answer("Nothing here.") == "Nothing here.", "a longer word is another word"


def test_an_essay_that_names_no_finding_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    essay = {"title": "t", "lead": "l", "section": [{"findings": ["no-such"], "figures": []}]}
    monkeypatch.setattr(reading_pages, "texts", lambda name: essay)
    with pytest.raises(SiteError, match="names no-such, which is no finding"):
        reading_pages.late_chunking(material())


def test_a_figure_that_was_not_drawn_is_refused() -> None:
    with pytest.raises(SiteError, match="no_such_figure was not drawn"):
        reading_pages.figures(material(), ["no_such_figure"])


def test_without_tables_one_sentence_says_what_to_run(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(SiteError, match="run `chunkstudy reproduce` first"):
        Material(SITE.__class__(tmp_path)).table("claims")


@pytest.mark.slow
def test_the_same_records_give_the_same_bytes_and_old_pages_go(tmp_path: Path) -> None:
    places = checkout(tmp_path)
    places.site.mkdir(parents=True)
    (places.site / "old.html").write_text("gone", encoding="utf-8")
    build.write(places)
    once, again = ({path.relative_to(one.site): path.read_bytes()
                    for path in one.site.rglob("*") if path.is_file()}
                   for one in (SITE, places))  # fmt: skip
    assert once == again and Path("old.html") not in again
    card = data_card.MARKDOWN
    assert (places.root / card).read_bytes() == (SITE.root / card).read_bytes()


def test_links_into_the_repository_lead_to_its_home_once_it_is_named(tmp_path: Path) -> None:
    assert material().home == "../../"
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text(
        re.sub(r"^repository-code:.*\n", "", text, flags=re.MULTILINE)
        + '\nrepository-code: "https://example.org/study"\n',
        encoding="utf-8",
    )
    found = Material(SITE.__class__(tmp_path)).home
    assert re.fullmatch(r"https://example\.org/study/blob/v[\d.]+/", found)


def test_the_data_card_has_every_collection_and_model_with_every_digest() -> None:
    text = data_card.markdown()
    names = {display_names.COLLECTIONS[one.removesuffix("-within").removesuffix("-graded")]
             for one in COLLECTIONS}  # fmt: skip
    assert len(data_card.collections()) >= len(names) - 1
    entries = {one.name for one in data_card.models()}
    for one in registry.MODELS.values():
        assert display_names.MODELS.get(one.id, one.id) in entries
        assert all(digest in text for digest in one.files.values() if digest)
    assert set(re.findall(r"sha256 `([0-9a-f]*)`", text)) and "sha256 ``" not in text
    shown = pages()["data.html"].all("article", **{"class": "entry"})
    assert len(shown) == len(data_card.collections()) + len(data_card.models())
    assert {one.attributes["id"] for one in shown} == {
        anchor(one.name) for one in (*data_card.collections(), *data_card.models())
    }


def test_the_reader_of_pages_sees_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match="closes"):
        Reader("<p><b>bold</p>")
    page = Reader("<p>seen <code>not this</code></p><img src='x'>")
    assert page.all("p")[0].said() == "seen" and isinstance(page.all("img")[0], Element)
