"""What a notebook shows as HTML, written again as the site has it: tables that scroll within the
page, whose headers say what they head, without styles of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.formatter import HTMLFormatter
from markupsafe import Markup

from chunkstudy.site.material import SiteError

KEPT = {
    "b", "blockquote", "br", "code", "details", "em", "h2", "h3", "h4", "hr", "i", "li", "mark",
    "ol", "p", "small", "span", "strong", "sub", "summary", "sup", "u", "ul", "wbr",
}  # fmt: skip
"""Elements that a page takes as they are, without attributes other than a name."""
IN_TABLE = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
COLUMN = re.compile(r"col(\d+)")
LONG = 48
"""Characters from which a cell of words is given room to be read."""
FORMATTER = HTMLFormatter(EntitySubstitution.substitute_xml, void_element_close_prefix="")


def rewritten(html: str, place: str, address: Callable[[str], str]) -> Markup:
    """One part of a notebook for a page of the site.

    Args:
        html: as the notebook holds it, or as its Markdown says it.
        place: names a table that has no caption.
        address: where a link leads, from the page.

    Raises:
        SiteError: if it shows an element that no page of the site can.
    """
    soup = BeautifulSoup(html, "html.parser")
    style = " ".join(one.extract().get_text() for one in soup("style"))
    for one in soup("div"):
        one.unwrap()
    for one in soup(True):
        if one.name == "a":
            one.attrs = {"href": address(str(one.get("href", "")))}
        elif one.name == "pre":
            one.attrs = {"tabindex": "0"}  # it may scroll, by keyboard too
        elif one.name in KEPT:
            one.attrs = {"id": one["id"]} if "id" in one.attrs else {}
        elif one.name not in IN_TABLE:
            raise SiteError(
                f"a notebook shows the element {one.name}, which no page of the site can; "
                "show a table, a figure or Markdown"
            )
    for table in soup("table"):
        _table(soup, table, _words(style, str(table.get("id", ""))), place)
    return Markup(soup.decode(formatter=FORMATTER).strip())


def _words(style: str, name: str) -> set[int]:
    """Columns that the style of a table puts to the left, where words stand."""
    found = re.findall(rf"#{re.escape(name)} \.col(\d+) \{{\s*text-align: left", style)
    return {int(one) for one in found}


def _table(soup: BeautifulSoup, table: Tag, words: set[int], place: str) -> None:
    for text in table.find_all(string=True):
        if not text.strip(" \n\t"):
            text.extract()
    for row in table("tr"):
        _row(row, words)
        row.attrs = {}
    for part in table(["thead", "tbody", "tfoot"]):
        part.attrs = {}
    found = table.find("caption")
    name = found.get_text() if isinstance(found, Tag) else place
    table.attrs = {"class": "read", "aria-label": _short(name)}
    attributes: dict[str, Any] = {
        "class": "scroll", "role": "region", "aria-label": _short(name), "tabindex": "0",
    }  # fmt: skip
    outer = table.wrap(soup.new_tag("div", attrs=attributes))
    if isinstance(found, Tag):  # above what scrolls, where a narrow screen does not cut it off
        caption = found.extract()
        caption.name, caption.attrs = "p", {"class": "caption"}
        outer.insert_before(caption)


def _row(row: Tag, words: set[int]) -> None:
    head = row.parent is not None and row.parent.name == "thead"
    headed = bool(row("th"))
    for at, cell in enumerate(row(["th", "td"])):
        place = COLUMN.search(" ".join(cell.get("class") or []))
        column = int(place[1]) if place else None
        spans: dict[str, Any] = {
            name: cell[name] for name in ("colspan", "rowspan") if name in cell.attrs
        }
        text = cell.get_text().strip("\N{NO-BREAK SPACE} \n")
        if head and not text:
            cell.name = "td"
            cell.clear()
        elif not head and not headed and at == 0 and column in words:
            cell.name = "th"
        numeric = column is not None and column not in words and (head or cell.name == "td")
        cell.attrs = spans
        if cell.name == "th":
            many = "colspan" if head else "rowspan"
            group = "group" if many in spans else ""
            cell["scope"] = ("col" if head else "row") + group
        if numeric and not (head and "colspan" in spans):
            cell["class"] = "n"
        elif not numeric and not head and len(text) > LONG:
            cell["class"] = "long"


def _short(text: str) -> str:
    """The first sentence of a caption: a name is said again each time one comes by."""
    return text.split(". ")[0].rstrip(".:")
