"""Models, BM25, or both: what ranks chunks, as their owner names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from chunkstudy.base.faults import ModelError
from chunkstudy.chunkers import own_objects
from chunkstudy.encoders import models, own_models
from chunkstudy.encoders.api import NAME as SERVED
from chunkstudy.encoders.api import ApiEncoder, served
from chunkstudy.encoders.interface import Encoder
from chunkstudy.encoders.library import LibraryEncoder
from chunkstudy.encoders.own_function import FunctionEncoder
from chunkstudy.encoders.own_models import OwnModel
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm.prices import budget
from chunkstudy.runs.conditions import EncoderName, parse_encoder
from chunkstudy.runs.requirements import weights_needed
from chunkstudy.runs.store import VectorStore, load_store

BM25 = "bm25"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
NO_STATES = "an API returns no token states"


class EvaluationError(ValueError):
    """An evaluation that cannot be made as asked; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Retriever:
    """A model, BM25, or both by reciprocal ranks.

    Attributes:
        name: in tables: the registry's slug, the id of the hub, the name of a folder or function.
        slug: what tells it from others in a path.
        load: the model with the vectors below a folder; None of BM25 alone.
        window: tokens that late chunking reads together where nothing else is said.
        positions: tokens that it can read together; 0 where that is unknown.
        why_plain: why it takes no late chunking; empty where it does.
        note: what its authors do otherwise, as a sentence; empty where nothing is.
        words: whether BM25 ranks, alone or together with the model.
    """

    name: str
    slug: str
    load: Callable[[Path], VectorStore] | None
    window: int = 512
    positions: int = 0
    why_plain: str = ""
    note: str = ""
    words: bool = False

    def __str__(self) -> str:
        """What sentences call it."""
        return self.name.replace("__", "/")


def retriever(given: Any, base_url: str = "") -> Retriever:
    """The retriever of a name: a model of the registry, in a folder, of the hub or behind a server;
    BM25; both, as in ``bm25+NAME``; or a function, or a pair of them, for documents and queries.

    Raises:
        ModelError: if there is none, or it cannot be had here.
    """
    if not isinstance(given, str):
        return _function(given)
    if given == BM25:
        return Retriever(BM25, BM25, None, why_plain="it ranks by words", words=True)
    if given.startswith(f"{BM25}+"):
        model = retriever(given.removeprefix(f"{BM25}+"), base_url)
        name, slug = f"{BM25}+{model.name}", f"{BM25}+{model.slug}"
        return replace(model, name=name, slug=slug, words=True)
    slug = given.replace("/", "__")
    registered = None if Path(given).expanduser().is_dir() else _registered(slug)
    if given.startswith(SERVED) and (base_url or not _registered(slug, aliases=False)):
        make = partial(_served, given, base_url or None)
        return Retriever(given, safe(slug), _kept(make), why_plain=NO_STATES)
    if ":" in given and not Path(given).expanduser().exists():
        return _function(own_objects.named(given), given)
    if registered:
        spec = models.spec(registered.model)
        lacking = weights_needed(models.with_recorded_digests(spec))
        if spec.kind != "api" and lacking:
            raise ModelError(f"{spec.id} cannot be read yet: {lacking[0]}")
        name, why = str(registered), NO_STATES if spec.kind == "api" else ""
        load = partial(load_store, name)
        return Retriever(name, name, load, registered.reach, spec.positions, why)
    return _of_files(own_models.find(given))


def _of_files(model: OwnModel) -> Retriever:
    note = (
        f"The authors of {model.name} compare vectors by their dot product; here all are compared "
        "by their cosine."
    )
    read = Retriever(
        model.name,
        safe(model.name.replace("/", "__")),
        _kept(partial(LibraryEncoder, model)),
        why_plain=model.why_plain,
        note=note if model.by_dot_product else "",
    )
    if model.spec is None:
        return read
    load = _kept(partial(TransformerEncoder, model.spec, folder=model.folder))
    return replace(read, load=load, window=model.spec.window, positions=model.spec.positions)


def _registered(slug: str, aliases: bool = True) -> EncoderName | None:
    for name in (slug, f"sentence-transformers__{slug}")[: 1 + aliases]:
        try:
            return parse_encoder(name)
        except ModelError:
            continue
    return None


def _kept(make: Callable[[], Encoder]) -> Callable[[Path], VectorStore]:
    return lambda vectors: VectorStore(make(), vectors)


def _served(name: str, base_url: str | None) -> ApiEncoder:
    return ApiEncoder(served(name, base_url), base_url=base_url, budget=budget())


def _function(given: Any, name: str = "") -> Retriever:
    documents, queries = given if isinstance(given, tuple | list) else (given, None)
    if not callable(documents) or not (queries is None or callable(queries)):
        raise EvaluationError(
            f"{name or given!r} is no encoder; name a model, or give a function from a list of "
            "texts to an array of a row each, or two of them, for documents and for queries"
        )
    name = name or own_objects.label(documents)
    load = _kept(partial(FunctionEncoder, documents, queries, name))
    return Retriever(name, safe(name), load, why_plain="a function returns no token states")


def safe(name: str) -> str:
    """What a name of one's own is in a path."""
    return UNSAFE.sub(".", name.replace(".py:", ":")).strip(".-") or "mine"
