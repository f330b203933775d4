"""Home, all findings, and the essay on late chunking: findings and figures in an order."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from chunkstudy.render import captions
from chunkstudy.site import tables_pages
from chunkstudy.site.material import Material, SiteError, texts
from chunkstudy.site.pages import Page, render
from chunkstudy.site.published_table import Table

FIGURE, HEADLINES = "late_chunking_beyond_minilm", 5


def home(material: Material, tables: list[Table]) -> Page:
    """Five findings, how much was run, one figure, and three doors."""
    top = [one for one in material.findings.values() if one["headline"]]
    claims = material.table("claims")
    decided = claims[claims["reading"].str.startswith(("strict", "plain"))]
    return render(
        material,
        "index.html",
        "home.html",
        "Home",
        findings=sorted(top, key=lambda one: one["headline"])[:HEADLINES],
        coverage=tables_pages.whole(tables),
        cells=sum(table.cells for table in tables),
        run=sum(table.run for table in tables),
        claims=len(decided),
        contradicted=int((decided["verdict"] == "contradicted").sum()),
        figures=figures(material, [FIGURE]),
        main=FIGURE,
        everything=len(material.findings),
    )


def findings(material: Material) -> Page:
    """Every finding, by what it is about."""
    about: dict[str, list[Mapping[str, Any]]] = {}
    for one in material.findings.values():
        about.setdefault(str(one["about"]), []).append(one)
    return render(material, "findings.html", "findings.html", "Findings", about=about)


def late_chunking(material: Material) -> Page:
    """The essay."""
    essay = texts("late_chunking")
    for section in essay["section"]:
        if unknown := [name for name in section["findings"] if name not in material.findings]:
            raise SiteError(
                f"the essay on late chunking names {', '.join(unknown)}, which is no finding; "
                "correct texts/late_chunking.toml"
            )
    named = [name for section in essay["section"] for name in section["figures"]]
    return render(
        material,
        "late-chunking.html",
        "late_chunking.html",
        essay["title"],
        essay=essay,
        findings=material.findings,
        figures=figures(material, named),
    )


def figures(material: Material, names: list[str]) -> dict[str, dict[str, object]]:
    """Title and alternative text of figures and their size in pixels as they are shown.

    Raises:
        SiteError: if one was not drawn.
        CaptionError: if it has no caption.
    """
    found: dict[str, dict[str, object]] = {}
    for name in names:
        path = material.places.figures / f"{name}.png"
        if not path.exists():
            raise SiteError(f"figure {name} was not drawn; run `chunkstudy reproduce` first")
        said = captions.of(name)
        found[name] = picture(path.read_bytes(), said.title, said.alternative)
    return found


def picture(content: bytes, title: str, alternative: str) -> dict[str, object]:
    """What a page says of a PNG drawn at twice the size at which it is shown."""
    width, height = struct.unpack(">II", content[16:24])
    return {
        "title": title, "alt": alternative, "width": width // 2, "height": height // 2,
    }  # fmt: skip
