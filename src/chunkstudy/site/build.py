"""``docs/site``: every page, its style, its script and its figures, derived as tables are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunkstudy.files import write_bytes
from chunkstudy.places import Places
from chunkstudy.site import (
    chooser,
    data_card,
    notebook_pages,
    published_table,
    queries_pages,
    reading_pages,
    reference_pages,
    tables_pages,
    verdicts_page,
)
from chunkstudy.site.material import HERE, Material
from chunkstudy.site.pages import Page

ASSETS = ("site.css", "site.js")
FIGURE = re.compile(r'src="(?:\.\./)*figures/(\w+)\.png"')


def write(places: Places) -> str:
    """Write the site and the data card, and remove what is no part of it any more.

    Raises:
        SiteError: if a table or figure was not derived, or a text names what is not there.
    """
    material = Material(places)
    files: dict[str, bytes] = {}
    drawn: set[str] = set()
    pictures: dict[str, bytes] = {}
    for page in pages(material):
        files[page.file] = page.html.encode("utf-8")
        drawn |= set(FIGURE.findall(page.html)) - set(page.pictures)
        pictures |= page.pictures
    count = len(files)
    files |= {name: (HERE / name).read_bytes() for name in ASSETS}
    files |= {
        f"figures/{name}.png": (places.figures / f"{name}.png").read_bytes()
        for name in sorted(drawn)
    }
    files |= {f"figures/{name}.png": content for name, content in sorted(pictures.items())}
    for name, content in files.items():
        write_bytes(places.site / name, content)
    for path in [one for one in places.site.rglob("*") if one.is_file()]:
        if path.relative_to(places.site).as_posix() not in files:
            path.unlink()
    write_bytes(places.root / data_card.MARKDOWN, data_card.markdown().encode("utf-8"))
    size = sum(map(len, files.values()))
    return f"{count} pages, {size / 1e6:.1f} MB, in {places.site.relative_to(places.root)}"


def pages(material: Material) -> Iterator[Page]:
    """Every page of the site."""
    tables = published_table.every(material)
    yield reading_pages.home(material, tables)
    yield reading_pages.findings(material)
    yield from tables_pages.pages(material, tables)
    yield verdicts_page.page(material)
    yield chooser.page(material)
    yield reading_pages.late_chunking(material)
    yield from queries_pages.pages(material)
    yield from notebook_pages.pages(material)
    yield reference_pages.methods(material, tables)
    yield reference_pages.glossary(material)
    yield data_card.page(material)
    yield reference_pages.cite(material)
