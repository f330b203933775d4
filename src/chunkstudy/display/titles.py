"""What a reader calls each thing: ``data/titles.toml``, the one place where names of models,
protocols, collections and columns are spelled for tables, figures, LaTeX, notebooks and pages; and
names that are made of a slug's parts.

Two different things never share a name, so a name says everything that its slug says. A column
that has no title there is called what its frame calls it, and shown by its type.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from chunkstudy.core.models import CAUSAL_MODELS
from chunkstudy.display.formats import FORMATS, Column, Text
from chunkstudy.encoders import models
from chunkstudy.evaluation import measures
from chunkstudy.pipeline.conditions import PREPENDED, parse_chunker, parse_encoder, parse_method
from chunkstudy.published.sources import WORKS

SOURCE = Path(__file__).parents[1] / "data" / "titles.toml"


@dataclass(frozen=True, slots=True)
class Titles:
    """What the file says.

    Attributes:
        names: by kind, what a thing is called by its name.
        columns: by name, a column's title, and its format or the kind of thing that it holds.
    """

    names: dict[str, dict[str, str]]
    columns: dict[str, tuple[str, str]]


TITLES = TypeAdapter(Titles).validate_python(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
TITLED = {one.id: one.title for one in (*models.MODELS.values(), *CAUSAL_MODELS.values())}
NAMES = TITLES.names | {
    "encoder": TITLES.names["encoder"] | TITLED,
    "language model": {f"local/{one.id}": one.title for one in CAUSAL_MODELS.values()},
    "work": {name: work.title for name, work in WORKS.items()},
}
"""By kind, what a thing is called by its name."""


def chunker(slug: str) -> str:
    """``recursive-400-200`` is *Recursive, 400 tokens, overlap 200*.

    Raises:
        ValueError: if the slug names no chunker.
    """
    spec = parse_chunker(slug)
    unit = "characters" if spec.length == "characters" else "tokens"
    said = {
        "size": f"{{}} {unit}",
        "group": "{} sentences",
        "draw": "draw {}",
        "overlap": "overlap {}",
        "least": f"tails under {{}} {spec.name.removeprefix('fixed-')}",
    }
    parts = [spec.entry.title]
    for kind, size in zip(spec.entry.sizes, spec.sizes, strict=True):
        if size or kind != "overlap":
            parts.append(said.get(kind, f"{{}} {kind}").format(size))
    if spec.name == "sentence" and spec.sizes == (1,):
        parts = ["Single sentences"]
    if unit == "tokens" and spec.length != spec.entry.lengths[0]:
        parts.append(NAMES["length function"][spec.length])
    if spec.by:
        by = shown("language model", spec.llm) if spec.llm else encoder(spec.by)
        parts.append(f"boundaries by {by}")
    return ", ".join(parts)


def encoder(slug: str) -> str:
    """A model's name, with its window and precision where those are not the model's own; BM25, or
    both.

    Raises:
        ResourceError: if the slug names no model.
    """
    if slug in NAMES["encoder"]:
        return NAMES["encoder"][slug]
    words, _, beside = slug.partition("+")
    if words == "bm25":
        return f"BM25 and {shown('encoder', beside)}"
    model, window, dtype = parse_encoder(slug)
    whole = (NAMES["encoder"][model], f"{window} tokens" if window else "", dtype)
    return ", ".join(filter(None, whole))


def ordering(slug: str) -> str:
    """Plain chunking, or late chunking with its window.

    Raises:
        ValueError: if the slug names no ordering.
    """
    found = parse_method(slug)
    if found.context:
        return context(found.context)
    if not found.window:
        return "plain"
    text = f"late, {found.window} tokens"
    if found.layout:
        return f"{text}, {NAMES['layout'][found.layout]}"
    return text if found.overlap == found.window // 4 else f"{text}, overlap {found.overlap}"


def context(source: str) -> str:
    """What is put before each chunk."""
    by = parse_method(f"{PREPENDED}-{source}").llm
    named = NAMES["context"]
    return f"a sentence by {shown('language model', by)}" if by else named[source]


def collection(slug: str) -> str:
    """A collection's name; of several, joined by commas."""
    return ", ".join(NAMES["collection"][one] for one in slug.split(", "))


def measure(name: str) -> str:
    return measures.find(name).title


MADE: dict[str, Callable[[str], str]] = {
    "chunker": chunker,
    "method": chunker,
    "encoder": encoder,
    "ordering": ordering,
    "system": ordering,
    "context": context,
    "collection": collection,
    "part": collection,
    "measure": measure,
    "table": lambda name: f"Table {name}" if name.isdecimal() else name,
    "language model": lambda name: name.rpartition("/")[2],
}
"""By kind, what makes a name of a slug that has none by itself."""


def shown(kind: str, value: object) -> str:
    """What a reader calls a thing of a kind (``NAMES``, ``MADE``); what has no name stays as it
    is."""
    text = str(value)
    if text in NAMES.get(kind, ()):
        return NAMES[kind][text]
    try:
        return MADE[kind](text) if text else ""
    except (KeyError, ValueError, RuntimeError):
        return text


def system(name: str) -> str:
    """What is matched with the question, or an embedding method."""
    return shown("system", name)


def named(kind: str) -> Text:
    """What a reader calls things of a kind, such as ``chunker``."""
    return partial(shown, kind)


TEXTS = FORMATS | {kind: named(kind) for kind in (*NAMES, *MADE)}
COLUMNS = {name: Column(title, TEXTS[how]) for name, (title, how) in TITLES.columns.items()}
"""By name, how a column of any page is shown; a study says itself what its pages alone call so."""
