"""The committed site, which `make check` holds to the records, and a reader of its pages."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from chunkstudy.places import Places

ROOT = Path(__file__).parents[1]
VOID = {"meta", "link", "img", "br", "input", "hr", "wbr"}
CODE = {"code", "pre", "script", "style"}


SITE = Places(ROOT)
FILES = sorted(path.relative_to(SITE.site).as_posix() for path in SITE.site.rglob("*.html"))


def checkout(folder: Path) -> Places:
    """A folder that has what the site is derived from."""
    for name in ("results", "figures"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "CITATION.cff", folder)
    return Places(folder)


@dataclass
class Element:
    """An element with its attributes and the text inside it, code left out."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None
    text: list[str] = field(default_factory=list)

    def said(self) -> str:
        return " ".join("".join(self.text).split())

    def within(self, tag: str) -> bool:
        return self.tag == tag or (self.parent is not None and self.parent.within(tag))


class Reader(HTMLParser):
    """Every element of a page in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        one = Element(tag, given, self.open[-1] if self.open else None)
        self.elements.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(one.tag in CODE for one in self.open):
            for one in self.open:
                one.text.append(data)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Elements of a tag that have these attributes; an empty value stands for any."""
        return [
            one
            for one in self.elements
            if one.tag == tag
            and all(
                name in one.attributes and value in ("", one.attributes[name])
                for name, value in attributes.items()
            )
        ]


@cache
def pages() -> dict[str, Reader]:
    """Every page of the site by its file, read."""
    return {file: Reader((SITE.site / file).read_text(encoding="utf-8")) for file in FILES}
