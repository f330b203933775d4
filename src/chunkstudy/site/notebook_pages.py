"""Every executed notebook as a page that is read without a server: its prose, its tables and
figures in the site's look, its code folded away at the end."""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mistune
from markupsafe import Markup

from chunkstudy.render import captions
from chunkstudy.site.material import Material, SiteError, texts
from chunkstudy.site.notebook_html import rewritten
from chunkstudy.site.pages import Page, anchor, home, render
from chunkstudy.site.reading_pages import figures, picture

SECTION = "notebooks.html"
FOLDED = "hide-input"
"""The tag of cells whose code a reader need not see (:mod:`chunkstudy.notebooks`)."""

Block = tuple[str, Markup]


@dataclass(frozen=True, slots=True)
class Notebook:
    """One executed notebook in the site's words.

    Attributes:
        name: of its file, without the suffix.
        title: its first heading.
        lead: what stands below it, as HTML.
        answers: what is shown before the first section.
        blocks: all sections, in order; a figure by its name, else HTML.
        sections: second headings with their places on the page.
        code: of the cells that it folds away.
        pictures: what it shows that is none of the project's figures as they are now, with what
            names it and its alternative text.
    """

    name: str
    title: str
    lead: Markup
    answers: tuple[Block, ...]
    blocks: tuple[Block, ...]
    sections: tuple[tuple[str, str], ...]
    code: tuple[str, ...]
    pictures: Mapping[str, tuple[bytes, str, str]]


@dataclass(frozen=True, slots=True)
class Group:
    """Notebooks of one work or one question."""

    title: str
    says: str
    notebooks: tuple[Notebook, ...]


def pages(material: Material) -> Iterator[Page]:
    """The index, and a page per executed notebook."""
    figures_by_digest = drawn(material)
    found = [read(material, path, figures_by_digest) for path in files(material)]
    yield render(material, SECTION, "notebooks.html", "Notebooks", groups=groups(found))
    for one in found:
        shown = [name for name, _ in (*one.answers, *one.blocks) if name]
        known = figures(material, [name for name in shown if name not in one.pictures])
        own = {name: picture(*of) for name, of in one.pictures.items()}
        page = render(
            material,
            file(one.name),
            "notebook.html",
            f"{one.title} (notebook)",
            section=SECTION,
            notebook=one,
            figures=known | own,
        )
        yield replace(page, pictures={name: of[0] for name, of in one.pictures.items()})


def files(material: Material) -> list[Path]:
    """The executed notebooks."""
    return sorted((material.places.results / "notebooks").glob("*.ipynb"))


def file(name: str) -> str:
    return f"notebooks/{name}.html"


def groups(found: list[Notebook]) -> list[Group]:
    """Notebooks under the titles of ``texts/notebooks.toml``, by how their names start; the last
    title takes what no other does."""
    left = list(found)
    made = []
    for one in texts("notebooks")["group"]:
        starts = tuple(one.get("starts", ("",)))
        taken = tuple(book for book in left if book.name.startswith(starts))
        left = [book for book in left if book not in taken]
        if taken:
            made.append(Group(one["title"], one["says"], taken))
    return made


def drawn(material: Material) -> dict[str, str]:
    """The project's figures by the digest of their bytes; not those that notebooks draw, which say
    themselves what they show."""
    return {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.stem
        for path in sorted(material.places.figures.glob("*.png"))
        if path.stem in captions.read()
    }


def read(material: Material, path: Path, drawn: Mapping[str, str]) -> Notebook:
    """An executed notebook.

    Args:
        material: for links into the repository.
        path: of its file.
        drawn: figures by digest, so that a page shows the site's copy of one.

    Raises:
        SiteError: if it does not open with a heading, or shows what no page can.
    """
    reading = _Reading(material, path.stem, drawn)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        reading.add(cell)
    return reading.notebook()


class _Reading:
    """A notebook while its cells are read."""

    def __init__(self, material: Material, name: str, drawn: Mapping[str, str]) -> None:
        self.material = material
        self.name = name
        self.drawn = drawn
        self.blocks: list[Block] = []
        self.opening = 0
        self.code: list[str] = []
        self.pictures: dict[str, tuple[bytes, str, str]] = {}
        self.prose = _Prose()
        self.markdown = mistune.create_markdown(renderer=self.prose, plugins=["table"])

    def add(self, cell: Mapping[str, Any]) -> None:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            self.text(source)
            return
        if FOLDED in cell["metadata"].get("tags", []):
            self.code.append(source)
        else:
            self.block(Markup('<pre tabindex="0"><code>{}</code></pre>').format(source))
        for output in cell["outputs"]:
            self.output(output)

    def output(self, output: Mapping[str, Any]) -> None:
        data = output.get("data", {})
        if "image/png" in data:
            self.block(Markup(""), self.figure(output))
        elif "text/html" in data:
            self.html("".join(data["text/html"]))
        elif "text/markdown" in data:
            self.text("".join(data["text/markdown"]))
        elif said := "".join(data.get("text/plain", output.get("text", ""))):
            self.block(Markup('<pre tabindex="0">{}</pre>').format(said))

    @property
    def place(self) -> str:
        """The nearest heading, for what has no caption."""
        return self.prose.sections[-1][0] if self.prose.sections else self.prose.title

    def text(self, source: str) -> None:
        if source.strip():
            self.html(str(self.markdown(source)))

    def html(self, html: str) -> None:
        self.block(rewritten(html, self.place, self.address))

    def block(self, html: Markup, figure: str = "") -> None:
        self.opening += not self.prose.sections
        self.blocks.append((figure, html))

    def address(self, url: str) -> str:
        """Where a link of a notebook leads, from its page."""
        target, _, place = url.partition("#")
        if target.endswith(".ipynb") and "/" not in target:
            found = f"{target.removesuffix('.ipynb')}.html"
        elif target.startswith("../"):
            inside = posixpath.normpath(posixpath.join("results/notebooks", target))
            found = f"{home(self.material, file(self.name))}{inside}"
        else:
            found = target
        return f"{found}#{place}" if place else found

    def figure(self, output: Mapping[str, Any]) -> str:
        """The name of a picture: of the figure that it is, else one of its own."""
        content = base64.b64decode("".join(output["data"]["image/png"]))
        digest = hashlib.sha256(content).hexdigest()
        if digest in self.drawn:
            return self.drawn[digest]
        said = output["metadata"].get("image/png", {}).get("alt")
        if not said:
            raise SiteError(
                f"notebook {self.name} shows a picture without alternative text; show a figure "
                "of the project, or say what it shows"
            )
        name = f"{self.name}_{digest[:8]}"
        self.pictures[name] = (content, self.place, said)
        return name

    def notebook(self) -> Notebook:
        if not self.prose.title:
            raise SiteError(f"notebook {self.name} opens with no heading; write one")
        return Notebook(
            self.name,
            self.prose.title,
            self.blocks[0][1],
            tuple(self.blocks[1 : self.opening]),
            tuple(self.blocks[max(self.opening, 1) :]),
            tuple(self.prose.sections),
            tuple(self.code),
            self.pictures,
        )


class _Prose(mistune.HTMLRenderer):
    """Markdown as a page has it: the first heading is its title, any other a place on it."""

    def __init__(self) -> None:
        super().__init__(escape=True)
        self.title = ""
        self.sections: list[tuple[str, str]] = []

    def heading(self, text: str, level: int, **_: Any) -> str:
        said = Markup(text).striptags()
        if level == 1 and not self.title:
            self.title = said
            return ""
        place = anchor(said)
        taken = {one for _, one in self.sections}
        while place in taken or place == "content":
            place += "-again"
        self.sections.append((said, place))
        level = min(max(level, 2), 4)
        return f'<h{level} id="{place}">{text}</h{level}>\n'
