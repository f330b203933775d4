"""Every executed notebook is a page that says what the notebook says, without its code."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from chunkstudy.render import captions
from chunkstudy.site import notebook_html, notebook_pages
from chunkstudy.site.material import Material, SiteError
from tests.made_site import ROOT, SITE, Reader, pages

EXECUTED = sorted((ROOT / "results" / "notebooks").glob("*.ipynb"))
TABLE = """
<style type="text/css">#T_1 .col0 {
  text-align: left;
}
#T_12 .col1 {
  text-align: left;
}</style>
<table id="T_1"><caption>What was found. More of it.</caption>
<thead><tr><th class="blank" >&nbsp;</th>
<th id="T_1_c" class="col_heading level0 col1" >score &lt; 1</th></tr></thead>
<tbody>
<tr><td class="data row0 col0" >a_<wbr>b</td><td class="data row0 col1" >0.5<sup>a</sup></td></tr>
</tbody></table><p>A note.</p>
"""


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def outputs(path: Path, kind: str) -> list[str]:
    return [
        "".join(output["data"][kind])
        for cell in cells(path)
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


def words(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("\N{NO-BREAK SPACE}", ""))


def read(folder: Path, *given: dict[str, Any]) -> notebook_pages.Notebook:
    """A notebook made of these cells."""
    path = folder / "made.ipynb"
    title = {"cell_type": "markdown", "metadata": {}, "source": "# Made\n\nA lead."}
    path.write_text(json.dumps({"cells": [title, *given]}), encoding="utf-8")
    return notebook_pages.read(Material(SITE), path, {})


def shows(data: dict[str, str], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)},
        "source": "code()",
        "outputs": [{"output_type": "display_data", "data": data, "metadata": {}}],
    }


@pytest.mark.parametrize("path", EXECUTED, ids=[path.stem for path in EXECUTED])
def test_a_page_says_what_its_notebook_says(path: Path) -> None:
    page = pages()[f"notebooks/{path.stem}.html"]
    said = words(page.all("main")[0].said())
    for html in outputs(path, "text/html"):
        for cell in re.findall(r"<td[^>]*>(.*?)</td>", html, re.DOTALL):
            assert words(Reader(f"<p>{cell}</p>").all("p")[0].said()) in said
        assert html.count("</tr>") <= len(page.all("tr"))
    shown = [one.attributes["src"] for one in page.all("img")]
    assert len(shown) == len(outputs(path, "image/png"))
    for source, picture in zip(shown, outputs(path, "image/png"), strict=True):
        name = source.rpartition("/")[2]
        assert (SITE.site / "figures" / name).read_bytes() == base64.b64decode(picture)
    for cell in cells(path):
        for heading in re.findall(r"^#+ (.*)", "".join(cell["source"]), re.MULTILINE):
            if cell["cell_type"] == "markdown":
                assert words(heading.replace("`", "")) in said


@pytest.mark.parametrize("path", EXECUTED, ids=[path.stem for path in EXECUTED])
def test_its_code_is_folded_and_what_it_answers_comes_first(path: Path) -> None:
    html = (SITE.site / f"notebooks/{path.stem}.html").read_text(encoding="utf-8")
    body, _, folded = html.partition('<details class="aside code">')
    for cell in cells(path):
        if "hide-input" in cell["metadata"].get("tags", []):
            code = str(escape("".join(cell["source"])))
            assert code in folded and code not in body
    for answer in outputs(path, "text/markdown")[:1]:
        first = re.findall(r"\*\*(.*?)\*\*", answer)[:1]
        assert all(words(one)[:40] in words(re.sub("<.*?>", "", body)) for one in first)


def test_the_index_leads_to_every_notebook_once() -> None:
    index = pages()[notebook_pages.SECTION]
    links = [one.attributes["href"] for one in index.all("a", href="") if one.within("dt")]
    assert sorted(links) == [f"notebooks/{path.stem}.html" for path in EXECUTED]


def test_a_table_loses_its_style_and_its_headers_say_what_they_head() -> None:
    found = notebook_html.rewritten(TABLE, "a place", lambda url: url)
    assert found == (
        '<p class="caption">What was found. More of it.</p>'
        '<div aria-label="What was found" class="scroll" role="region" tabindex="0">'
        '<table aria-label="What was found" class="read">'
        '<thead><tr><td></td><th class="n" scope="col">score &lt; 1</th></tr></thead>'
        '<tbody><tr><th scope="row">a_<wbr>b</th><td class="n">0.5<sup>a</sup></td></tr>'
        "</tbody></table></div><p>A note.</p>"
    )
    bare = notebook_html.rewritten("<table><tr><td>1</td></tr></table>", "a place", str)
    assert 'aria-label="a place"' in bare


@pytest.mark.parametrize("fault", ["<script>x</script>", "<img src=x>", "<p><iframe></iframe></p>"])
def test_what_a_page_cannot_show_is_refused(tmp_path: Path, fault: str) -> None:
    with pytest.raises(SiteError, match="which no page of the site can"):
        read(tmp_path, shows({"text/html": fault}))


def test_a_handler_or_style_does_not_reach_a_page(tmp_path: Path) -> None:
    one = read(tmp_path, shows({"text/html": '<p onclick="x()" style="color:red">seen</p>'}))
    assert [html for _, html in one.answers if "seen" in html] == ["<p>seen</p>"]


def test_a_picture_that_is_no_figure_keeps_its_own_bytes_and_says_what_it_shows(
    tmp_path: Path,
) -> None:
    cell = shows({"image/png": base64.b64encode(b"drawn elsewhere").decode()})
    with pytest.raises(SiteError, match="a picture without alternative text"):
        read(tmp_path, cell)
    cell["outputs"][0]["metadata"] = {"image/png": {"alt": "Two lines that cross."}}
    one = read(tmp_path, cell)
    [(name, found)] = one.pictures.items()
    assert found == (b"drawn elsewhere", "Made", "Two lines that cross.")
    assert [block for block, _ in one.answers if block] == [name]


def test_a_notebook_without_a_heading_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.ipynb"
    path.write_text('{"cells": []}', encoding="utf-8")
    with pytest.raises(SiteError, match="opens with no heading"):
        notebook_pages.read(Material(SITE), path, {})


def test_links_lead_to_pages_or_into_the_repository_and_sections_have_names_of_their_own(
    tmp_path: Path,
) -> None:
    links = "[one](claims.ipynb#every-claim), [two](../../docs/a.md#b)"
    text = f"## Part\n\n{links}\n\n## Part\n\n<b>raw</b>"
    one = read(tmp_path, {"cell_type": "markdown", "metadata": {}, "source": text})
    html = "".join(str(found) for _, found in one.blocks)
    assert 'href="claims.html#every-claim"' in html
    assert 'href="../../../docs/a.md#b"' in html
    assert one.sections == (("Part", "part"), ("Part", "part-again"))
    assert "&lt;b&gt;raw" in html and "<b>" not in html


def test_a_cell_that_is_not_folded_and_plain_output_are_shown(tmp_path: Path) -> None:
    one = read(tmp_path, shows({"text/plain": "<7>"}), shows({}, tags=("hide-input",)))
    html = "".join(str(found) for _, found in one.answers)
    assert "code()" in html and "&lt;7&gt;" in html
    assert one.code == ("code()",)


def test_a_picture_keeps_its_alternative_text() -> None:
    found = [one for file, page in pages().items() if file.startswith("notebooks/")
             for one in page.all("img")]  # fmt: skip
    assert len(found) > 20
    for one in found:
        name = one.attributes["src"].rpartition("/")[2].removesuffix(".png")
        assert one.attributes["alt"].strip(), name
        if name in captions.read():
            assert one.attributes["alt"] == captions.of(name).alternative
