"""Methods, glossary and how to cite."""

from __future__ import annotations

from typing import Any

import yaml

from chunkstudy import statistics
from chunkstudy.analysis.paired import POINT
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.render import display_names
from chunkstudy.site.material import Material, texts
from chunkstudy.site.pages import Page, render
from chunkstudy.site.published_table import Table
from chunkstudy.studies.chroma_search import SEEDS

UNNAMED = "unnamed"
"""The author of a work whose copy names none; its notes say so."""


def methods(material: Material, tables: list[Table]) -> Page:
    """How everything was computed."""
    cells, run = (sum(getattr(table, name) for table in tables) for name in ("cells", "run"))
    return render(
        material,
        "methods.html",
        "methods.html",
        "Methods",
        protocols=[display_names.protocol(name) for name in PROTOCOLS],
        stages=[
            (stage["title"], [stage[str(getattr(one, stage["field"]))]
                              for one in PROTOCOLS.values()])
            for stage in texts("protocols")["stage"]
        ],
        reruns=SEEDS,
        level=f"{100 * statistics.LEVEL:.0f}",
        resamples=f"{statistics.RESAMPLES:,}",
        margin="a point" if POINT == 1 / 100 else f"{100 * POINT:g} points",
        predictions=f"{len(material.table('predictions')):,}",
        records=f"{sum(1 for _ in material.places.runs.rglob('run.json')):,}",
        not_run=f"{cells - run:,}",
        cells=f"{cells:,}",
    )  # fmt: skip


def glossary(material: Material) -> Page:
    """The study's words."""
    return render(
        material, "glossary.html", "glossary.html", "Glossary", words=texts("glossary")["word"]
    )


def cite(material: Material) -> Page:
    """How to cite, out of ``CITATION.cff``."""
    found = yaml.safe_load(material.citation)
    return render(
        material,
        "cite.html",
        "cite.html",
        "How to cite",
        bibtex=_bibtex(found),
        works=[_work(one) for one in found["references"]],
    )


def _bibtex(found: dict[str, Any]) -> str:
    authors = " and ".join(_bibtex_name(one) for one in found["authors"])
    lines = [f"  title = {{{found['title']}}}", f"  author = {{{authors}}}"]
    if "date-released" in found:
        lines.append(f"  year = {{{str(found['date-released'])[:4]}}}")
    lines.append(f"  version = {{{found['version']}}}")
    if "repository-code" in found:
        lines.append(f"  url = {{{found['repository-code']}}}")
    return "@software{chunkstudy,\n" + ",\n".join(lines) + "\n}"


def _bibtex_name(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{author['name']}}}"
    return f"{author['family-names']}, {author['given-names']}"


def _work(work: dict[str, Any]) -> str:
    """A reference as a line."""
    names = [one.get("name") or f"{one['given-names']} {one['family-names']}"
             for one in work["authors"] if one.get("name") != UNNAMED]  # fmt: skip
    by = " and ".join(one for one in (", ".join(names[:-1]), *names[-1:]) if one)
    what = "code" if work["type"] == "software" else "" if by else work.get("notes", "")
    where = work.get("journal") or work.get("institution", {}).get("name", "")
    rest = ", ".join(str(one) for one in (what, where, work.get("year", "")) if one)
    said = f"{by}: {work['title']}" if by else work["title"]
    return f"{said}. {rest[:1].upper()}{rest[1:]}".rstrip(". ") + "."
