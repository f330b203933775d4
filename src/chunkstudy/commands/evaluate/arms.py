"""What is compared: chunkers, encoders and orderings as their owner names them, an arm each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import ModelSpec
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import own_objects
from chunkstudy.chunkers.own import OwnChunker
from chunkstudy.collections.own_questions import Task
from chunkstudy.encoders import interface as encoder_interface
from chunkstudy.encoders import models, own_models
from chunkstudy.encoders.api import NAME as SERVED
from chunkstudy.encoders.api import ApiEncoder, served
from chunkstudy.encoders.library import LibraryEncoder
from chunkstudy.encoders.own_function import FunctionEncoder
from chunkstudy.encoders.own_models import OwnModel
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm import asking, providers
from chunkstudy.llm.prices import budget
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.names import (
    PRE_EMBEDDING,
    PREPENDED,
    Ordering,
    parse_chunker,
    parse_encoder,
    parse_ordering,
)
from chunkstudy.runs.requirements import weights_needed
from chunkstudy.runs.run import load_store
from chunkstudy.runs.store import VectorStore

PLAIN, LATE = "plain", "late"
BEFORE = ("title", "headings")
"""Orderings that embed what a document says of a chunk before it."""
BM25 = "bm25"
LARGER = "+"
"""Between a chunker and what it returns a chunk with: another chunker, or so many neighbours."""
WINDOW = re.compile(r"window-([1-9][0-9]?)")
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class EvaluationError(ValueError):
    """An evaluation that cannot be made as asked; the message says what to do."""


@dataclass(frozen=True, slots=True, order=True)
class OwnCondition(Condition):
    """A condition whose collection, chunker or encoder stands in no table of the study."""

    asked: Task = "token_overlap"

    def __post_init__(self) -> None:
        """Nothing is looked up: what is compared was checked when it was read."""

    @property
    def task(self) -> Task:
        """What is asked of the collection."""
        return self.asked


@dataclass(frozen=True)
class Chunker:
    """A way of chunking.

    Attributes:
        name: as a reader sees it: a slug of the catalogue, or what its owner calls it.
        slug: the same in a path.
        function: it, where it is not the catalogue's.
        package: the library that it comes from, with its version; empty where it comes from none.
        small: whose chunks are matched where others are returned; None where these are.
        larger: whose chunks are returned for the small ones; None where neighbours are.
        neighbours: of a small chunk on either side that are returned with it.
    """

    name: str
    slug: str
    function: OwnChunker | None = None
    package: str = ""
    small: Chunker | None = None
    larger: Chunker | None = None
    neighbours: int = 0

    @property
    def parts(self) -> tuple[Chunker, ...]:
        """The chunkers that cut text."""
        return tuple(one for one in (self.small or self, self.larger) if one)


@dataclass(frozen=True, eq=False)
class Encoder:
    """A model, opened when it is first needed, BM25, or both.

    Attributes:
        name: as a reader sees it: the id of the hub, the name of the folder or of the function.
        slug: the same in a path; the registry's where it stands there.
        spec: what is known of it beforehand; None where only the library can read it.
        own: its files, where it does not stand in the registry.
        made: it, where it is a function or behind a server of one's own.
        why_plain: why it takes no late chunking; empty where it does.
        words: whether BM25 ranks, alone or together with the model by reciprocal ranks.
    """

    name: str
    slug: str
    spec: ModelSpec | None = None
    own: OwnModel | None = None
    made: Callable[[], encoder_interface.Encoder] | None = None
    why_plain: str = ""
    words: bool = False

    @property
    def path(self) -> str:
        """What tells it from others in a path."""
        return f"{BM25}+{self.slug}" if self.words and self.dense else self.slug

    @property
    def dense(self) -> bool:
        """Whether a model takes part."""
        return self.slug != BM25

    def open(self, vectors: Path) -> VectorStore | None:
        """The model with the vectors that it computed before; None of BM25 alone."""
        if not self.dense:
            return None
        if self.made is not None:
            return VectorStore(self.made(), vectors)
        if self.own is None:
            return load_store(self.slug, vectors)
        if self.spec is None:
            return VectorStore(LibraryEncoder(self.own), vectors)
        return VectorStore(TransformerEncoder(self.spec, folder=self.own.folder), vectors)


@dataclass(frozen=True)
class Arm:
    """A chunker, an encoder and an ordering: what one row of the table scores."""

    chunker: Chunker
    encoder: Encoder
    condition: OwnCondition

    @property
    def keys(self) -> dict[str, object]:
        """What tells its row from the others."""
        known = self.encoder.own is None and self.encoder.made is None
        return {
            "chunker": self.chunker.name,
            "encoder": self.encoder.path if known else self.encoder.name,
            "ordering": self.condition.ordering,
        }

    @property
    def files(self) -> str:
        """What its files are called."""
        return f"{self.chunker.slug}.{self.encoder.path}.{self.condition.ordering}"


@dataclass(frozen=True)
class Arms:
    """What is compared, and in a sentence each what was asked for and is not."""

    arms: tuple[Arm, ...]
    notes: tuple[str, ...] = field(default=())


def arms(
    collection: str,
    task: Task,
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[Any],
    orderings: Sequence[str],
    base_url: str = "",
) -> Arms:
    """Every chunker with every encoder in every ordering that the encoder takes.

    Args:
        collection: its name.
        task: what is asked of it.
        chunkers: slugs, ``module:name``, or objects; objects under names of your own in a mapping.
        encoders: hub ids, folders, slugs of the registry, functions, ``bm25``, ``bm25+MODEL``.
        orderings: ``plain``, ``late``, ``title``, ``headings``, or slugs of the study.
        base_url: of the server that ``openai/MODEL`` is behind.

    Raises:
        EvaluationError, ChunkerError, ModelError, ValueError: in a sentence on what to do.
    """
    ways = _chunkers(chunkers)
    found: list[Arm] = []
    notes: list[str] = []
    models_asked = _once([encoder(one, base_url) for one in encoders])
    for model in models_asked:
        if model.own and model.own.by_dot_product:
            notes.append(
                f"The authors of {model.name} compare vectors by their dot product; here all are "
                "compared by their cosine."
            )
        for asked in dict.fromkeys(orderings):
            ordering = _ordering(asked, model)
            if ordering.window and model.why_plain:
                notes.append(f"{model.name} takes no late chunking: {model.why_plain}.")
                continue
            for way in ways:
                names = (collection, way.slug, model.path, str(ordering), CORRECTED.name)
                found.append(Arm(way, model, OwnCondition(*names, asked=task)))
    if not ways or not models_asked or not orderings:
        raise EvaluationError("name at least one chunker, one encoder and one ordering")
    if not found:
        raise EvaluationError(f"{notes[0][:-1]}; leave --ordering out to evaluate it as it is")
    return Arms(tuple(found), tuple(notes))


def encoder(asked: Any, base_url: str = "") -> Encoder:
    """The model of a name: the registry's, that in a folder, one of the hub, behind a server; BM25;
    both, as in ``bm25+NAME``; or a function, or a pair of them, for documents and for queries.

    Raises:
        ModelError: if there is none, or it cannot be had here.
    """
    if not isinstance(asked, str):
        return _function(asked)
    if asked == BM25:
        return Encoder(BM25, BM25, why_plain="it ranks by words", words=True)
    if asked.startswith(f"{BM25}+"):
        model = encoder(asked.removeprefix(f"{BM25}+"), base_url)
        return replace(model, name=f"{BM25}+{model.name}", words=True)
    if asked.startswith(SERVED) and (base_url or not _registered(asked)):
        slug = UNSAFE.sub(".", asked.replace("/", "__"))
        made = partial(_served, asked, base_url or None)
        return Encoder(asked, slug, made=made, why_plain="an API returns no token states")
    if ":" in asked and not Path(asked).expanduser().exists():
        return _function(own_objects.named(asked), asked)
    name, slug = asked, asked.replace("/", "__")
    here = Path(name).expanduser().is_dir()
    for one in () if here else (slug, f"sentence-transformers__{slug}"):
        try:
            spec = models.spec(parse_encoder(one).model)
        except ModelError:
            continue
        lacking = weights_needed(models.with_recorded_digests(spec))
        if spec.kind != "api" and lacking:
            raise ModelError(f"{spec.id} cannot be read yet: {lacking[0]}")
        why = "an API returns no token states" if spec.kind == "api" else ""
        return Encoder(name, one, spec, why_plain=why)
    own = own_models.find(name)
    return Encoder(own.name, own_models.slug(name), own.spec, own, why_plain=own.why_plain)


def _registered(name: str) -> bool:
    try:
        models.spec(parse_encoder(name.replace("/", "__")).model)
    except ModelError:
        return False
    return True


def _served(name: str, base_url: str | None) -> ApiEncoder:
    return ApiEncoder(served(name, base_url), base_url=base_url, budget=budget())


def _function(asked: Any, name: str = "") -> Encoder:
    documents, queries = asked if isinstance(asked, tuple | list) else (asked, None)
    if not callable(documents) or not (queries is None or callable(queries)):
        raise EvaluationError(
            f"{name or asked!r} is no encoder; name a model, or give a function from a list of "
            "texts to an array of a row each, or two of them, for documents and for queries"
        )
    called = name or own_objects.label(documents)
    return Encoder(
        called,
        UNSAFE.sub(".", called.replace(".py:", ":")).strip(".-") or "mine",
        made=partial(FunctionEncoder, documents, queries, called),
        why_plain="a function returns no token states",
    )


def _chunkers(asked: Iterable[Any] | Mapping[str, Any]) -> list[Chunker]:
    pairs = list(asked.items()) if isinstance(asked, Mapping) else [("", one) for one in asked]
    return _once([_chunker(name, one) for name, one in pairs])


def _chunker(name: str, asked: Any) -> Chunker:
    if isinstance(asked, str) and LARGER in asked:
        return _larger(name, asked)
    if isinstance(asked, str) and ":" not in asked:
        found = _of_the_catalogue(asked)
        return replace(found, name=name) if name else found
    given, called = asked, name
    if isinstance(asked, str):
        given, called = own_objects.named(asked), name or asked
    called = called or own_objects.label(asked)
    made = own_objects.made(given, called)
    slug = UNSAFE.sub(".", called.replace(".py:", ":")).strip(".-") or "mine"
    return Chunker(
        called, slug, own_objects.as_function(made, called), own_objects.comes_from(made)
    )


def _larger(name: str, asked: str) -> Chunker:
    """``sentence-1+paragraph`` matches sentences and returns their paragraphs, ``+window-3`` with
    three neighbours on either side, ``+none`` their documents."""
    small, _, large = asked.rpartition(LARGER)
    found = _chunker("", small)
    called, package = name or asked, found.package
    if window := WINDOW.fullmatch(large):
        slug = f"{found.slug}{LARGER}{large}"
        return Chunker(called, slug, package=package, small=found, neighbours=int(window[1]))
    larger = _chunker("", large)
    slug = f"{found.slug}{LARGER}{larger.slug}"
    return Chunker(called, slug, package=package, small=found, larger=larger)


def _of_the_catalogue(slug: str) -> Chunker:
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
    return Chunker(str(spec), str(spec))


def _ordering(asked: str, model: Encoder) -> Ordering:
    if asked in (PLAIN, PRE_EMBEDDING):
        return parse_ordering(PRE_EMBEDDING)
    if asked in BEFORE:
        return parse_ordering(f"{PREPENDED}-{asked}")
    if asked == LATE:
        window = model.spec.window if model.spec and model.spec.kind != "api" else 512
        if model.spec and model.own is None and (given := parse_encoder(model.slug).window):
            window = given
        return Ordering(window, window // 4)
    if "-" not in asked:
        raise EvaluationError(
            f"unknown ordering {asked!r}; use {PLAIN}, {LATE}, {' or '.join(BEFORE)}"
        )
    found = parse_ordering(asked)
    if model.spec and found.window > model.spec.positions:
        raise EvaluationError(
            f"{asked} reads {found.window} tokens together, and {model.name} has "
            f"{model.spec.positions} positions; use late, or a smaller window"
        )
    return found


def _once(things: list[Any]) -> list[Any]:
    """The things, refused where two would leave their results in one place.

    Raises:
        EvaluationError: naming both.
    """
    seen: set[str] = set()
    for one in things:
        called = one.path if isinstance(one, Encoder) else one.slug
        if called in seen or (called == NONE and isinstance(one, Encoder)):
            own = 'give them names of their own, {"one": first, "other": second}'
            remedy = "rename it" if isinstance(one, Encoder) else own
            raise EvaluationError(f"two of them are called {called}; leave one out, or {remedy}")
        seen.add(called)
    return things
