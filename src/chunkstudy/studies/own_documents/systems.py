"""What is compared: chunkers, retrievers and embedding methods as their owner names them, a system
for each of their combinations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from chunkstudy.chunkers import own_objects
from chunkstudy.chunkers.own import OwnChunker
from chunkstudy.llm import asking, providers
from chunkstudy.runs.conditions import (
    NONE,
    PRE_EMBEDDING,
    PREPENDED,
    EmbeddingMethod,
    parse_chunker,
    parse_method,
)
from chunkstudy.studies.own_documents.retrievers import (
    EvaluationError,
    Retriever,
    retriever,
    safe,
)
from chunkstudy.study import titles

PLAIN, LATE = "plain", "late"
CONTEXTS = ("title", "headings")
"""Methods that embed what a document says of a chunk before it."""
LARGER = "+"
"""Between a chunker and what it returns a chunk with: another chunker, or so many neighbours."""
WINDOW = re.compile(r"window-([1-9][0-9]?)")
RETURNED = {"none": "their document", "paragraph": "their paragraph"}
"""What a name calls larger chunks of which the chunker's own would read oddly."""


@dataclass(frozen=True)
class Chunker:
    """A way of chunking.

    Attributes:
        name: as a reader sees it: a slug of the catalogue, or what its owner calls it.
        slug: the same in a path.
        function: it, where it is not the catalogue's.
        package: the library that it comes from, with its version; empty where it comes from none.
        parts: of small-to-large the chunker whose chunks are matched and, unless neighbours are
            returned with them, that whose chunks are returned; empty where it is one chunker.
        neighbours: of a small chunk on either side that are returned with it.
    """

    name: str
    slug: str
    function: OwnChunker | None = None
    package: str = ""
    parts: tuple[Chunker, ...] = ()
    neighbours: int = 0

    @property
    def cutting(self) -> tuple[Chunker, ...]:
        """The chunkers that cut text."""
        return self.parts or (self,)


@dataclass(frozen=True)
class System:
    """A chunker, a retriever and an embedding method: what one row of the table scores."""

    chunker: Chunker
    retriever: Retriever
    method: EmbeddingMethod

    @property
    def keys(self) -> dict[str, str]:
        """What tells its row from the others."""
        names = {"chunker": self.chunker.name, "encoder": self.retriever.name}
        return names | {"ordering": str(self.method)}

    @property
    def files(self) -> str:
        """What its files are called."""
        return f"{self.chunker.slug}.{self.retriever.slug}.{self.method}"

    def label(self, among: Sequence[System] = ()) -> str:
        """It as a reader knows it: its chunker, and in what else it differs from others."""
        differing = {
            key: shown_as(key, value)
            for key, value in self.keys.items()
            if key == "chunker" or not among or any(other.keys[key] != value for other in among)
        }
        return ", ".join(differing.values())


def shown_as(key: str, value: object) -> str:
    """What tells a system from another, as a reader knows it."""
    text = str(value)
    if key == "chunker" and LARGER in text and ":" not in text:
        small, _, large = text.rpartition(LARGER)
        window = WINDOW.fullmatch(large)
        larger = f"{window[1]} neighbours on either side" if window else shown_as(key, large)
        return f"{shown_as(key, small)}, returned with {RETURNED.get(large, larger)}"
    return titles.shown(key, value)


def systems(
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[Any],
    orderings: Sequence[str],
    base_url: str = "",
) -> tuple[tuple[System, ...], tuple[str, ...]]:
    """Every chunker with every encoder in every ordering that the encoder takes, and in a sentence
    each what was asked for and is not among them.

    Args:
        chunkers: slugs, ``module:name``, or objects; objects under names of your own in a mapping.
        encoders: hub ids, folders, slugs of the registry, functions, ``bm25``, ``bm25+MODEL``.
        orderings: ``plain``, ``late``, ``title``, ``headings``, or slugs of the study.
        base_url: of the server that ``openai/MODEL`` is behind.

    Raises:
        EvaluationError, ChunkerError, ModelError, ValueError: in a sentence on what to do.
    """
    pairs = (
        chunkers.items() if isinstance(chunkers, Mapping) else (("", given) for given in chunkers)
    )
    remedy = 'give them names of their own, {"one": first, "other": second}'
    ways = _each_once([chunker(given, name) for name, given in pairs], remedy)
    retrievers = _each_once([retriever(given, base_url) for given in encoders], "rename it")
    if not ways or not retrievers or not orderings:
        raise EvaluationError("name at least one chunker, one encoder and one ordering")
    compared: list[System] = []
    notes: list[str] = []
    for model in retrievers:
        notes += [model.note] if model.note else []
        for name in dict.fromkeys(orderings):
            method = _method(name, model)
            if method.window and model.why_plain:
                notes.append(f"{model} takes no late chunking: {model.why_plain}.")
            else:
                compared += [System(way, model, method) for way in ways]
    if not compared:
        raise EvaluationError(f"{notes[0][:-1]}; leave --ordering out to evaluate it as it is")
    return tuple(compared), tuple(notes)


def chunker(given: Any, name: str = "") -> Chunker:
    """The chunker of a name, or an object; ``name`` is what its owner calls it.

    Raises:
        EvaluationError, ChunkerError, ValueError: if it is none, or cannot be had here.
    """
    if isinstance(given, str) and LARGER in given:
        return _small_to_large(given, name)
    if isinstance(given, str) and ":" not in given:
        slug = _of_the_catalogue(given)
        return Chunker(name or slug, slug)
    named = own_objects.named(given) if isinstance(given, str) else given
    name = name or (given if isinstance(given, str) else own_objects.label(given))
    made = own_objects.made(named, name)
    function, package = own_objects.as_function(made, name), own_objects.comes_from(made)
    return Chunker(name, safe(name), function, package)


def _small_to_large(given: str, name: str) -> Chunker:
    """``sentence-1+paragraph`` matches sentences and returns their paragraphs, ``+window-3`` with
    three neighbours on either side, ``+none`` their documents."""
    first, _, large = given.rpartition(LARGER)
    window = WINDOW.fullmatch(large)
    parts = (chunker(first),) if window else (chunker(first), chunker(large))
    slug = LARGER.join((*(part.slug for part in parts), *([large] if window else [])))
    neighbours = int(window[1]) if window else 0
    return Chunker(name or given, slug, None, parts[0].package, parts, neighbours)


def _of_the_catalogue(slug: str) -> str:
    spec = parse_chunker(slug)
    if known := spec.entry.segments:
        raise EvaluationError(
            f"{slug} is a segmentation of {' and '.join(known)} and of no other texts; use another "
            "chunker"
        )
    if spec.llm and asking.lacks(spec.llm):
        raise EvaluationError(
            f"{slug} asks {spec.llm} for boundaries; set {providers.takes(spec.llm)[1]} and "
            "CHUNKSTUDY_LLM=record to ask it (docs/llm.md)"
        )
    return str(spec)


def _method(name: str, model: Retriever) -> EmbeddingMethod:
    if name in (PLAIN, PRE_EMBEDDING):
        return EmbeddingMethod()
    if name in CONTEXTS:
        return parse_method(f"{PREPENDED}-{name}")
    if name == LATE:
        return EmbeddingMethod(model.window, model.window // 4)
    if "-" not in name:
        raise EvaluationError(
            f"unknown ordering {name!r}; use {PLAIN}, {LATE}, {' or '.join(CONTEXTS)}"
        )
    method = parse_method(name)
    if model.positions and method.window > model.positions:
        raise EvaluationError(
            f"{name} reads {method.window} tokens together, and {model} has "
            f"{model.positions} positions; use late, or a smaller window"
        )
    return method


Thing = TypeVar("Thing", Chunker, Retriever)


def _each_once(things: list[Thing], remedy: str) -> list[Thing]:
    """The things, refused where two would leave their results in one place."""
    slugs = [NONE] if any(isinstance(thing, Retriever) for thing in things) else []
    for thing in things:
        if thing.slug in slugs:
            raise EvaluationError(
                f"two of them are called {thing.slug}; leave one out, or {remedy}"
            )
        slugs.append(thing.slug)
    return things
