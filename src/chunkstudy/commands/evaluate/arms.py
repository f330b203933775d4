"""What is compared: chunkers, encoders and orderings as their owner names them, an arm each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import ModelSpec
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import own_objects
from chunkstudy.chunkers.own import OwnChunker
from chunkstudy.collections.own import Task
from chunkstudy.encoders import models, own_models
from chunkstudy.encoders.library import LibraryEncoder
from chunkstudy.encoders.own_models import OwnModel
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm import asking, providers
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.encoding import PRE_EMBEDDING, Ordering, parse_ordering
from chunkstudy.runs.names import parse_chunker
from chunkstudy.runs.needs import weights_needed
from chunkstudy.runs.run import load_store
from chunkstudy.runs.store import VectorStore

PLAIN, LATE = "plain", "late"
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
    """

    name: str
    slug: str
    function: OwnChunker | None = None
    package: str = ""


@dataclass(frozen=True, eq=False)
class Encoder:
    """A model, opened when it is first needed.

    Attributes:
        name: as a reader sees it: the id of the hub, or the name of the folder.
        slug: the same in a path; the registry's where it stands there.
        spec: what is known of it beforehand; None where only the library can read it.
        own: its files, where it does not stand in the registry.
        why_plain: why it takes no late chunking; empty where it does.
    """

    name: str
    slug: str
    spec: ModelSpec | None
    own: OwnModel | None = None
    why_plain: str = ""

    def open(self, vectors: Path) -> VectorStore:
        """The model with the vectors that it computed before."""
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
        return {
            "chunker": self.chunker.name,
            "encoder": self.encoder.name if self.encoder.own else self.encoder.slug,
            "ordering": self.condition.ordering,
        }


@dataclass(frozen=True)
class Arms:
    """What is compared, and in a sentence each what was asked for and is not."""

    arms: tuple[Arm, ...]
    notes: tuple[str, ...] = field(default=())


def arms(
    collection: str,
    task: Task,
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[str],
    orderings: Sequence[str],
) -> Arms:
    """Every chunker with every encoder in every ordering that the encoder takes.

    Args:
        collection: its name.
        task: what is asked of it.
        chunkers: slugs, ``module:name``, or objects; objects under names of your own in a mapping.
        encoders: hub ids, folders, or slugs of the registry.
        orderings: ``plain``, ``late``, or slugs such as ``contextualized-512``.

    Raises:
        EvaluationError, ChunkerError, ModelError, ValueError: in a sentence on what to do.
    """
    ways = _chunkers(chunkers)
    found: list[Arm] = []
    notes: list[str] = []
    models_asked = _once([encoder(name) for name in dict.fromkeys(encoders)])
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
            found += [
                Arm(way, model, _condition(collection, task, way, model, ordering)) for way in ways
            ]
    if not ways or not models_asked or not orderings:
        raise EvaluationError("name at least one chunker, one encoder and one ordering")
    if not found:
        raise EvaluationError(f"{notes[0][:-1]}; leave --ordering out to evaluate it as it is")
    return Arms(tuple(found), tuple(notes))


def encoder(name: str) -> Encoder:
    """The model of a name: the registry's, that in a folder, or one of the hub.

    Raises:
        ModelError: if there is none, or it cannot be had here.
    """
    slug = name.replace("/", "__")
    here = Path(name).expanduser().is_dir()
    for one in () if here else (slug, f"sentence-transformers__{slug}"):
        try:
            spec = models.spec(models.parse_slug(one)[0])
        except ModelError:
            continue
        lacking = weights_needed(models.with_recorded_digests(spec))
        if spec.kind != "api" and lacking:
            raise ModelError(f"{spec.id} cannot be read yet: {lacking[0]}")
        why = "an API returns no token states" if spec.kind == "api" else ""
        return Encoder(name, one, spec, why_plain=why)
    own = own_models.find(name)
    return Encoder(own.name, own_models.slug(name), own.spec, own, own.why_plain)


def _chunkers(asked: Iterable[Any] | Mapping[str, Any]) -> list[Chunker]:
    pairs = list(asked.items()) if isinstance(asked, Mapping) else [("", one) for one in asked]
    return _once([_chunker(name, one) for name, one in pairs])


def _chunker(name: str, asked: Any) -> Chunker:
    if isinstance(asked, str) and ":" not in asked:
        return _of_the_catalogue(asked)
    given, called = asked, name
    if isinstance(asked, str):
        given, called = own_objects.named(asked), name or asked
    called = called or own_objects.label(asked)
    made = own_objects.made(given, called)
    slug = UNSAFE.sub(".", called.replace(".py:", ":")).strip(".-") or "mine"
    return Chunker(
        called, slug, own_objects.as_function(made, called), own_objects.comes_from(made)
    )


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
    if asked == LATE:
        window = model.spec.window if model.spec and model.spec.kind != "api" else 512
        if model.own is None and (given := models.parse_slug(model.slug)[1]):
            window = given
        return Ordering(window, window // 4)
    found = parse_ordering(asked)
    if model.spec and found.window > model.spec.positions:
        raise EvaluationError(
            f"{asked} reads {found.window} tokens together, and {model.name} has "
            f"{model.spec.positions} positions; use late, or a smaller window"
        )
    return found


def _condition(
    collection: str, task: Task, way: Chunker, model: Encoder, ordering: Ordering
) -> OwnCondition:
    return OwnCondition(collection, way.slug, model.slug, str(ordering), CORRECTED.name, asked=task)


def _once(things: list[Any]) -> list[Any]:
    """The things, refused where two would leave their results in one place.

    Raises:
        EvaluationError: naming both.
    """
    seen: dict[str, Any] = {}
    for one in things:
        if one.slug in seen or (one.slug == NONE and isinstance(one, Encoder)):
            remedy = (
                "rename one of the folders"
                if isinstance(one, Encoder)
                else 'give them names of their own, {"one": first, "other": second}'
            )
            raise EvaluationError(f"two of them are called {one.slug}; {remedy}")
        seen[one.slug] = one
    return things
