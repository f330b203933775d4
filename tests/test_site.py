"""The built site asks nothing of the network, and its links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("myst_nb") is None,
        reason="what builds the site is not installed; `make site` installs it",
    ),
]


class Page(HTMLParser):
    """What a page loads, links to, and can be linked at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found.get("id", ""), found.get("name", "")}
        if loaded := found.get(LOADED.get(tag, "")):
            self.loads.append(loaded)
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    (ROOT / "build/site-source").mkdir(parents=True, exist_ok=True)
    command = f"-q -W -c docs/sphinx -d {out}/read build/site-source {out}/html".split()
    subprocess.run([sys.executable, "-m", "sphinx", *command], cwd=ROOT, check=True)
    return out / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in site.rglob("*.html")}


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    loads = [one for page in pages.values() for one in page.loads]
    assert [one for one in loads if urlsplit(one).netloc] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\(\s*['\"]?(?:https?:)?//|@import\s+['\"](?:https?:)?//", styles) == []


def test_every_link_inside_leads_to_a_file_and_its_anchor(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = pages.get(target)
            if not target.is_file() or (there and unquote(parts.fragment) not in there.anchors):
                broken.append(f"{path.name}: {link}")
    assert broken == []


def test_every_notebook_is_a_page_with_its_pictures_described(pages: dict[Path, Page]) -> None:
    names = {path.stem for path in pages}
    notebooks = list((ROOT / "results/notebooks").glob("*.ipynb"))
    assert notebooks and {path.stem for path in notebooks} <= names
    for path in pages:
        if path.parent.name == "notebooks":
            pictures = re.findall(r"<img[^>]*_images/[^>]*>", path.read_text(encoding="utf-8"))
            assert all(re.search(r'alt="[^"]{20,}"', one) for one in pictures), path.name
