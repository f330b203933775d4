"""The site's templates, and what every page shares: navigation, links into the repository, marks
of verdicts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup, escape

from chunkstudy.render import display_names, tables
from chunkstudy.site.material import ABOVE, HERE, Material

NAVIGATION = (
    ("index.html", "Home"),
    ("findings.html", "Findings"),
    ("tables.html", "Published tables"),
    ("verdicts.html", "Verdicts"),
    ("choose.html", "Choose a chunker"),
    ("late-chunking.html", "Late chunking"),
    ("queries.html", "Queries"),
    ("notebooks.html", "Notebooks"),
    ("methods.html", "Methods"),
    ("glossary.html", "Glossary"),
    ("data.html", "Data"),
    ("cite.html", "Cite"),
)
SIGNS = {
    "exact": "●", "within_stack": "≈", "deviates": "✕", "not_run": "–",
    "holds": "●", "partly": "◐", "contradicted": "✕", "open": "–",
}  # fmt: skip
"""So that a verdict is not told by its colour alone."""
CODE = re.compile(r"`([^`]+)`")
VERDICT = re.compile(
    r"(?:Yes|No|Hardly|Mostly)(?=[:;,.])|(?:Not|Only|It depends|It is open)\b[^:;,.]{0,50}(?=[:;.])"
)
"""What an answer says before it says how much and why."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the site.

    Attributes:
        file: relative to the site, with forward slashes.
        html: the whole of it.
        pictures: by name, what it shows below ``figures`` that is none of the project's figures.
    """

    file: str
    html: str
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def render(material: Material, file: str, template: str, title: str, **values: Any) -> Page:
    """A page from its template.

    Args:
        material: for links into the repository.
        file: where the page will lie.
        template: in ``templates``.
        title: said in the head, before the project's name.
        values: what the template shows.
    """
    section = values.pop("section", file)
    up = above(file)
    found = (
        environment()
        .get_template(template)
        .render(
            file=file, section=section, title=title, home=home(material, file), up=up,
            navigation=NAVIGATION, **values,
        )
    )  # fmt: skip
    return Page(file, found)


def above(file: str) -> str:
    """The way from a page to the site's root."""
    return "../" * file.count("/")


def home(material: Material, file: str) -> str:
    """The way from a page to the repository."""
    return material.home if "://" in material.home else above(file) + material.home


@cache
def environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        anchor=anchor,
        answer=answer,
        prose=prose,
        table_file=table_file,
        shown=lambda value, column: display_names.shown(column, value),
    )
    found.globals.update(
        sign=SIGNS.__getitem__,
        verdict_name=lambda name: display_names.shown("verdict", name),
        number=tables,
        missing=pd.isna,
    )
    return found


def anchor(text: str) -> str:
    """Words as an id: lower case, letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text.replace("Ω", "omega").replace("±", "sd"))
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode().lower()).strip("-")


def prose(text: object) -> Markup:
    """A sentence for reading: things by their names, what stands between backticks as code."""
    parts = CODE.split(str(text))
    named = [
        Markup("<code>{}</code>").format(part) if at % 2 else escape(display_names.sentence(part))
        for at, part in enumerate(parts)
    ]
    return Markup("").join(named)


def answer(text: str) -> Markup:
    """A finding's answer, of which the first words stand out where they are the whole of it."""
    first = VERDICT.match(text)
    if not first:
        return escape(text)
    return Markup("<b>{}</b>{}").format(first[0], text[first.end() :])


def table_file(name: str) -> str:
    """Where a derived table lies in the repository."""
    return f"results/{name}.csv" if name in ABOVE else f"results/tables/{name}.csv"
