"""What is compared: chunkers, models and embedding methods as their owner names them, a system for
each of their combinations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any

from chunkstudy.chunkers import user_chunker
from chunkstudy.chunkers.user_chunker import OwnChunker
from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.display import titles
from chunkstudy.encoders import models, reranker, user_models
from chunkstudy.encoders.api import NAME as SERVED
from chunkstudy.encoders.api import ApiEncoder, served
from chunkstudy.encoders.interface import Encoder
from chunkstudy.encoders.reranker import Reranker
from chunkstudy.encoders.user_function import FunctionEncoder
from chunkstudy.llm import asking, providers
from chunkstudy.pipeline.conditions import (
    LATE,
    NONE,
    PLAIN,
    PRE_EMBEDDING,
    PREPENDED,
    EmbeddingMethod,
    EncoderName,
    parse_chunker,
    parse_encoder,
    parse_method,
)
from chunkstudy.pipeline.requirements import weights_needed
from chunkstudy.pipeline.vector_store import VectorStore, load_store

CONTEXTS = ("title", "headings")
"""Methods that embed what a document says of a chunk before it."""
BM25 = "bm25"
PLUS = "+"
"""Between a chunker and what it returns a chunk with, another chunker or so many neighbours; and
between BM25 and a model."""
BY = ">"
"""Between a retriever and the reranker that orders what it finds."""
WINDOW = re.compile(r"window-([1-9][0-9]?)")
SWEEP = re.compile(r"\{([^{}]+)\}")
"""Several values in a chunker's name, ``recursive-{100,200}-0``, as shells write them."""
RETURNED = {"none": "their document", "paragraph": "their paragraph"}
"""What a name calls larger chunks of which the chunker's own would read oddly."""
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
LONGEST = 64
"""Characters of a name in a path; several of them make one file name."""
NO_STATES = "an API returns no token states"


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

    @cached_property
    def needs_encoder(self) -> bool:
        """Whether the encoder that embeds the chunks draws their boundaries too."""
        specs = [parse_chunker(part.slug) for part in self.cutting if not part.function]
        return any(spec.needs_encoder and not spec.encoder for spec in specs)


@dataclass(frozen=True, eq=False)
class Retriever:
    """What ranks chunks: a model, BM25, or both by reciprocal ranks; and what reranks the first.

    Attributes:
        name: in tables: the registry's slug, the id of the hub, the name of a folder or function.
        slug: what tells it from others in a path.
        load: the model with the vectors below a folder; None of BM25 alone.
        window: tokens that late chunking reads together where nothing else is said.
        positions: tokens that it can read together; 0 where that is unknown.
        why_plain: why it takes no late chunking; empty where it does.
        words: whether BM25 ranks, alone or together with the model.
        reranker: what puts the first chunks in its order; None where they stay.
    """

    name: str
    slug: str
    load: Callable[[Path], VectorStore] | None
    window: int = 512
    positions: int = 0
    why_plain: str = ""
    words: bool = False
    reranker: Reranker | None = None

    def __str__(self) -> str:
        """What sentences call it."""
        return self.name.replace("__", "/")


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

    @property
    def label(self) -> str:
        """It as a reader knows it."""
        return ", ".join(shown_as(key, value) for key, value in self.keys.items())


def labels(systems: Sequence[Mapping[Any, Any]]) -> list[str]:
    """Systems as a reader knows them, by their keys: chunkers, and in what else some differ."""
    differing = [
        "chunker",
        *(k for k in ("encoder", "ordering") if len({x[k] for x in systems}) > 1),
    ]
    return [", ".join(shown_as(key, system[key]) for key in differing) for system in systems]


def shown_as(key: str, value: object) -> str:
    """What tells a system from another, as a reader knows it."""
    text = str(value)
    if key == "chunker" and PLUS in text and ":" not in text:
        small, _, large = text.rpartition(PLUS)
        window = WINDOW.fullmatch(large)
        larger = f"{window[1]} neighbours on either side" if window else shown_as(key, large)
        return f"{shown_as(key, small)}, returned with {RETURNED.get(large, larger)}"
    if key == "encoder" and BY in text:
        retriever_name, _, by = text.rpartition(BY)
        return f"{shown_as(key, retriever_name)}, reranked by {by}"
    return titles.shown(key, value)


def systems(
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[Any],
    orderings: Sequence[str],
    base_url: str = "",
    only_vectors: bool = True,
    rerank: Any = None,
) -> tuple[tuple[System, ...], tuple[str, ...]]:
    """Every chunker with every encoder in every ordering that the encoder takes, and in a sentence
    each what was asked for and is not among them.

    Unless ``only_vectors``, and where no encoder that is named ranks by words, BM25 and its fusion
    with each encoder stand beside, over plain chunks. What is reranked stands beside what is not.

    Args:
        chunkers: slugs, several as ``recursive-{100,200}-0``, ``module:name``, or objects; objects
            under names of your own in a mapping.
        encoders: hub ids, folders, slugs of the registry, functions, ``bm25``, ``bm25+MODEL``.
        orderings: ``plain``, ``late``, ``title``, ``headings``, or slugs of the study.
        base_url: of the server that ``openai/MODEL`` is behind.
        rerank: a cross-encoder of the hub or in a folder, ``module:name``, or a function from a
            question and texts to a number for each text.

    Raises:
        UserError, ChunkerError, ResourceError, ValueError: in a sentence on what to do.
    """
    named = chunkers.items() if isinstance(chunkers, Mapping) else (("", x) for x in chunkers)
    ways = [chunker(one, name) for name, given in named for one in _each(given)]
    retrievers = [retriever(given, base_url) for given in encoders]
    beside: list[Retriever] = []
    if not only_vectors and not any(model.words for model in retrievers):
        beside = [retriever(BM25), *map(with_words, retrievers)]
    _refuse_twice([way.slug for way in ways], 'give them names, {"one": first, "other": second}')
    _refuse_twice([NONE, *(model.slug for model in retrievers)], "rename it")
    if not ways or not retrievers or not orderings:
        raise UserError("name at least one chunker, one encoder and one ordering")
    compared: list[System] = []
    notes: list[str] = []
    for model in retrievers:
        for ordering in dict.fromkeys(orderings):
            method = _method(ordering, model)
            if method.window and model.why_plain:
                notes.append(f"{model} takes no late chunking: {model.why_plain}.")
            else:
                compared += [System(way, model, method) for way in ways]
    if not compared:
        raise UserError(f"{notes[0][:-1]}; leave --ordering out to evaluate it as it is")
    drawn = [way for way in ways if beside and way.needs_encoder]
    if drawn:
        names = ", ".join(shown_as("chunker", way.name) for way in drawn)
        notes.append(f"BM25 by itself is left out for {names}, whose boundaries a model draws.")
    compared += [
        System(way, model, EmbeddingMethod())
        for model in beside
        for way in ways
        if model.load or way not in drawn
    ]
    if rerank is not None:
        by = _reranker(rerank)
        end = f".by.{safe(by.name.replace('/', '__'))}"
        reranked = {
            model: replace(
                model, name=model.name + BY + by.name, slug=model.slug + end, reranker=by
            )
            for model in (*retrievers, *beside)
        }
        compared += [replace(each, retriever=reranked[each.retriever]) for each in compared]
    return tuple(compared), tuple(notes)


def _each(given: Any) -> list[Any]:
    """The chunkers that a name with several values stands for; anything else as it is."""
    if not isinstance(given, str):
        return [given]
    parts = enumerate(SWEEP.split(given))  # every second one stood between braces
    options = [[x.strip() for x in part.split(",")] if i % 2 else [part] for i, part in parts]
    return ["".join(values) for values in product(*options)]


def _refuse_twice(slugs: Sequence[str], remedy: str) -> None:
    """Refuse two things that would leave their results in one place."""
    twice = next((slug for slug in slugs if slugs.count(slug) > 1), None)
    if twice:
        raise UserError(f"two of them are called {twice}; leave one out, or {remedy}")


def chunker(given: Any, name: str = "") -> Chunker:
    """The chunker of a name, or an object; ``name`` is what its owner calls it.

    ``sentence-1+paragraph`` matches sentences and returns their paragraphs, ``+window-3`` with
    three neighbours on either side, ``+none`` their documents.

    Raises:
        UserError, ChunkerError, ValueError: if it is none, or cannot be had here.
    """
    if isinstance(given, str) and PLUS in given:
        first, _, large = given.rpartition(PLUS)
        window = WINDOW.fullmatch(large)
        parts = (chunker(first),) if window else (chunker(first), chunker(large))
        slug = PLUS.join((*(part.slug for part in parts), *([large] if window else [])))
        neighbours = int(window[1]) if window else 0
        return Chunker(name or given, slug, None, parts[0].package, parts, neighbours)
    if isinstance(given, str) and ":" not in given:
        slug = _of_the_catalogue(given)
        return Chunker(name or slug, slug)
    name = name or (given if isinstance(given, str) else user_chunker.label(given))
    splitter = user_chunker.made(
        user_chunker.named(given) if isinstance(given, str) else given, name
    )
    return Chunker(
        name,
        safe(name),
        user_chunker.as_function(splitter, name),
        user_chunker.comes_from(splitter),
    )


def _of_the_catalogue(slug: str) -> str:
    spec = parse_chunker(slug)
    if known := spec.entry.segments:
        raise UserError(
            f"{slug} is a segmentation of {' and '.join(known)} and of no other texts; use another "
            "chunker"
        )
    if spec.llm and asking.lacks(spec.llm):
        raise UserError(
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
        raise UserError(f"unknown ordering {name!r}; use {PLAIN}, {LATE}, {' or '.join(CONTEXTS)}")
    method = parse_method(name)
    if model.positions and method.window > model.positions:
        raise UserError(
            f"{name} reads {method.window} tokens together, and {model} has "
            f"{model.positions} positions; use late, or a smaller window"
        )
    return method


def retriever(given: Any, base_url: str = "") -> Retriever:
    """The retriever of a name: a model of the registry, in a folder, of the hub or behind a server;
    BM25; both, as in ``bm25+NAME``; or a function, or a pair of them, for documents and queries.

    Raises:
        ResourceError: if there is none, or it cannot be had here.
    """
    if not isinstance(given, str):
        return _function(given)
    if given == BM25:
        return Retriever(BM25, BM25, None, why_plain="it ranks by words", words=True)
    if given.startswith(f"{BM25}{PLUS}"):
        return with_words(retriever(given.removeprefix(f"{BM25}{PLUS}"), base_url))
    slug, path = given.replace("/", "__"), Path(given).expanduser()
    if given.startswith(SERVED) and (base_url or not _registered(slug)):
        address = base_url or None
        load = _kept(lambda: ApiEncoder(served(given, address), base_url=address))
        return Retriever(given, safe(slug), load, why_plain=NO_STATES)
    if ":" in given and not path.exists():
        return _function(user_chunker.named(given), given)
    known = _registered(slug) or _registered(f"sentence-transformers__{slug}")
    return _of_files(given) if path.is_dir() or not known else _of_the_registry(known)


def with_words(model: Retriever) -> Retriever:
    """A model and BM25 by reciprocal ranks."""
    name, slug = (f"{BM25}{PLUS}{of_model}" for of_model in (model.name, model.slug))
    return replace(model, name=name, slug=slug, words=True)


def _reranker(given: Any) -> Reranker:
    """The reranker of a name, or a function.

    Raises:
        ResourceError, ChunkerError: if there is none.
    """
    if isinstance(given, str) and (":" not in given or Path(given).exists()):
        return reranker.cross_encoder(given)
    function = user_chunker.named(given) if isinstance(given, str) else given
    if not callable(function):
        raise UserError(
            f"{given!r} is no reranker; name a cross-encoder, or give a function from a question "
            "and a list of texts to a number for each text"
        )
    return reranker.of_function(
        function, given if isinstance(given, str) else user_chunker.label(function)
    )


def _registered(slug: str) -> EncoderName | None:
    try:
        return parse_encoder(slug)
    except ResourceError:
        return None


def _of_the_registry(name: EncoderName) -> Retriever:
    spec = models.spec(name.model)
    lacking = weights_needed(models.with_recorded_digests(spec))
    if spec.kind != "api" and lacking:
        raise ResourceError(f"{spec.id} cannot be read yet: {lacking[0]}")
    why = NO_STATES if spec.kind == "api" else ""
    load = partial(load_store, str(name))
    return Retriever(str(name), str(name), load, name.reach, spec.positions, why)


def _of_files(given: str) -> Retriever:
    """A folder, or a name of the hub."""
    from chunkstudy.encoders import library  # torch, which BM25 and servers do without

    model = library.encoder(user_models.find(given))
    slug, window = safe(model.id.replace("/", "__")), model.window or Retriever.window
    return Retriever(model.id, slug, _kept(lambda: model), window, model.positions, model.why_plain)


def _function(given: Any, name: str = "") -> Retriever:
    documents, queries = given if isinstance(given, tuple | list) else (given, None)
    if not callable(documents) or not (queries is None or callable(queries)):
        raise UserError(
            f"{name or given!r} is no encoder; name a model, or give a function from a list of "
            "texts to an array of a row each, or two of them, for documents and for queries"
        )
    name = name or user_chunker.label(documents)
    load = _kept(partial(FunctionEncoder, documents, queries, name))
    return Retriever(name, safe(name), load, why_plain="a function returns no token states")


def _kept(make: Callable[[], Encoder]) -> Callable[[Path], VectorStore]:
    return cache(lambda vectors: VectorStore(make(), vectors))


def safe(name: str) -> str:
    """What a name of one's own is in a path."""
    slug = UNSAFE.sub(".", name.replace(".py:", ":")).strip(".-") or "mine"
    if len(slug) <= LONGEST:
        return slug
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{slug[: LONGEST - 9]}.{digest}"
