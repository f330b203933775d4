"""A condition: collection, chunker, encoder, embedding method, protocol, as values and as a path.

Each part has a slug, parsed and printed here and nowhere else; slugs are for paths, tables and the
command line. A chunker's slug is its name, its sizes, and the length function where that is not its
first: ``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``,
``fixed-256``. Where another model than the evaluated one, or the one the paper asked, draws the
boundaries, it is named at the end: ``semantic-by-jinaai__jina-embeddings-v2-small-en``,
``lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF``. Whether a model that is named
can be asked is decided when it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import PurePosixPath
from typing import NamedTuple

from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.structure import check_sizes
from chunkstudy.chunkers.table import CHUNKERS, ChunkerEntry
from chunkstudy.collections import registry
from chunkstudy.collections.registry import Task
from chunkstudy.core import models
from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.core.models import is_language_model
from chunkstudy.core.protocols import CORRECTED, PROTOCOLS, Protocol
from chunkstudy.encoders.contextualized import LAYOUTS

NONE = "none"
MINILM = "sentence-transformers__all-MiniLM-L6-v2"
MINILM_512 = f"{MINILM}-w512"
"""MiniLM with all its positions, so that a chunk of 256 tokens is read whole."""
MPNET = "sentence-transformers__all-mpnet-base-v2"
LARGE = "text-embedding-3-large"
LOCAL_SMOLLM = "local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
LATE_512 = "contextualized-512"
"""Late chunking in windows of as many tokens as ``MINILM_512`` reads."""

PRE_EMBEDDING = "pre_embedding"
PLAIN, LATE = "plain", "late"
"""Embedding methods in output; stored slugs say ``pre_embedding`` and ``contextualized``."""
CONTEXTUALIZED = "contextualized"
PREPENDED = "prepended"
BY = "by-"
CHUNKER = re.compile(
    r"(?P<name>[a-z]+(?:-[a-z]+)*?)(?P<sizes>(?:-[0-9]+)*)"
    r"(?:-(?P<length>wordpiece-special|wordpiece|characters))?"
    r"(?:-by-(?P<by>[A-Za-z0-9_.@-]+))?"
)
ENCODER = re.compile(
    r"(?P<model>.+?)(?:-w(?P<window>[0-9]+))?(?:-(?P<dtype>float32|bfloat16|float16))?"
)
WINDOWS = re.compile(
    CONTEXTUALIZED
    + f"-(?P<window>[0-9]+)(?:-(?P<layout>{'|'.join(LAYOUTS)})|-(?P<overlap>[0-9]+))?"
)
CONTEXT = re.compile(rf"{PREPENDED}-(?P<source>{'|'.join(contexts.FREE)}|{BY}[A-Za-z0-9_.@-]+)")

FIRST_MEASURE: dict[Task, str] = {
    "token_overlap": "SpanRecall@5",
    "in_corpus": "nDCG@10",
    "in_document": "DCG@10",
}


class EncoderName(NamedTuple):
    """A model's hub id and, where they are not its own, the window it reads, in tokens, and the
    precision it computes in, such as ``bfloat16``."""

    model: str
    window: int | None = None
    dtype: str | None = None

    def __str__(self) -> str:
        name, spec = self.model.replace("/", "__"), models.spec(self.model)
        if self.window not in (None, spec.window):
            name += f"-w{self.window}"
        return name if self.dtype in (None, "float32") else f"{name}-{self.dtype}"

    @property
    def reach(self) -> int:
        """Tokens that it reads at once."""
        return self.window or models.spec(self.model).window


def parse_encoder(slug: str) -> EncoderName:
    """What a slug such as ``owner__name``, ``owner__name-w512`` or ``owner__name-w512-bfloat16``
    names.

    Raises:
        ResourceError: if the model is not registered, or a precision is named for one behind an
            API.
    """
    known = {spec.slug: spec.id for spec in models.MODELS.values()}
    match = ENCODER.fullmatch(slug)
    if match and match["model"] in known:
        model, window, dtype = known[match["model"]], match["window"], match["dtype"]
        if dtype and models.spec(model).kind == "api":
            raise ResourceError(f"{model} is computed by its provider; leave -{dtype} out")
        return EncoderName(model, int(window) if window else None, dtype)
    raise ResourceError(f"unknown encoder {slug!r}; registered are {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """A chunker and its parameters: size, then overlap, in tokens of ``length``; ``by`` is the slug
    of the model that draws the boundaries, where it is neither the evaluated encoder nor the
    language model that the paper asked."""

    name: str
    sizes: tuple[int, ...] = ()
    length: str = "cl100k"
    by: str = ""

    def __str__(self) -> str:
        suffix = () if self.length == self.entry.lengths[0] else (self.length,)
        by = ("by", self.by) if self.by else ()
        return "-".join((self.name, *map(str, self.sizes), *suffix, *by))

    @property
    def entry(self) -> ChunkerEntry:
        """Its line in the table."""
        return CHUNKERS[self.name]

    @property
    def needs_encoder(self) -> bool:
        """Whether boundaries are placed by embeddings."""
        return self.entry.takes("embed")

    @property
    def encoder(self) -> str:
        """The slug of the encoder that draws the boundaries, empty where it is the evaluated one or
        none does."""
        return self.by if self.needs_encoder else ""

    @property
    def llm(self) -> str:
        """The language model that draws the boundaries, by provider and name; empty where none
        does."""
        return self.by.replace("__", "/") if self.entry.llm and self.by else self.entry.llm


EXAMPLES = ("recursive-200-0", "token-250-125", "fixed-256", "sentence-5", "cluster-200")
"""Chunkers with sizes, which a mistyped one may have meant."""


def parse_chunker(slug: str) -> ChunkerSpec:
    """The chunker that a slug names; ``str`` of it is the slug again.

    Raises:
        ValueError: if there is none, or if its sizes are impossible.
    """
    match = CHUNKER.fullmatch(slug)
    entry = CHUNKERS.get(match["name"]) if match else None
    sizes = tuple(map(int, match["sizes"].split("-")[1:])) if match else ()
    if match and entry and len(sizes) == len(entry.sizes):
        by = match["by"] or ""
        spec = ChunkerSpec(match["name"], sizes, match["length"] or entry.lengths[0], by)
        if sizes:
            check_sizes(*sizes)
        if spec.encoder:
            parse_encoder(by)
        asks = bool(spec.llm) and is_language_model(spec.llm)
        if spec.llm == entry.llm != "":
            spec = replace(spec, by="")
        if spec.length in entry.lengths and (spec.needs_encoder or asks or not by):
            return spec
    meant = ""
    for near in get_close_matches(slug, [*CHUNKERS, *EXAMPLES], n=1):
        with_sizes = (example for example in EXAMPLES if example.startswith(near))
        meant = f"did you mean {next(with_sizes, near)}? "
    raise ValueError(
        f"unknown chunker {slug!r}; {meant}`chunkstudy chunkers` lists them, with their sizes: "
        "recursive-200-0, token-250-125-wordpiece, cluster-400, kamradt"
    )


@dataclass(frozen=True, slots=True)
class EmbeddingMethod:
    """When chunking takes place; the window is in tokens, special ones included.

    A slug is ``pre_embedding``, ``contextualized-512``, or ``contextualized-512-64`` where
    neighbouring windows share another number of tokens than a quarter of the window.

    ``contextualized-512-averaged`` and the other ``LAYOUTS`` choose the windows and the states of
    the document's tokens in other ways.

    ``prepended-title`` reads one chunk at a time with a context before it, which the document
    offers (``contexts.FREE``) or, as in ``prepended-by-openai__gpt-4o-mini``, a language model
    writes: contextual retrieval.

    Attributes:
        window: tokens read together; 0 where chunks are read one at a time.
        overlap: tokens that two windows share.
        layout: how windows are chosen, one of ``LAYOUTS``; empty where they share ``overlap``
            tokens.
        context: what is put before a chunk; empty where nothing is.
    """

    window: int = 0
    overlap: int = 0
    layout: str = ""
    context: str = ""

    def __str__(self) -> str:
        if self.context:
            return f"{PREPENDED}-{self.context}"
        if not self.window:
            return PRE_EMBEDDING
        if self.layout:
            return f"{CONTEXTUALIZED}-{self.window}-{self.layout}"
        other = () if self.overlap == self.window // 4 else (str(self.overlap),)
        return "-".join((CONTEXTUALIZED, str(self.window), *other))

    @property
    def beside(self) -> bool:
        """Whether it is there to be compared with the study's own reading only, so that its records
        hold the measure that is compared and no ranking."""
        return bool(self.layout) or self.overlap == 0 < self.window // 4

    @property
    def llm(self) -> str:
        """The language model that writes the contexts, by provider and name; empty where none
        does."""
        by = self.context.startswith(BY)
        return self.context.removeprefix(BY).replace("__", "/") if by else ""


def parse_method(slug: str) -> EmbeddingMethod:
    """The ordering that a slug names.

    Raises:
        ValueError: if there is none.
    """
    if slug in (PLAIN, PRE_EMBEDDING):
        return EmbeddingMethod()
    if slug.startswith(f"{LATE}-"):
        slug = CONTEXTUALIZED + slug.removeprefix(LATE)
    if match := CONTEXT.fullmatch(slug):
        method = EmbeddingMethod(context=match["source"])
        if not method.llm or is_language_model(method.llm):
            return method
    if match := WINDOWS.fullmatch(slug):
        window = int(match["window"])
        layout = match["layout"] or ""
        overlap = 0 if layout else int(match["overlap"] or window // 4)
        if layout and window > 2:
            return EmbeddingMethod(window, layout=layout)
        if window > 2 and overlap < window - 2:
            return EmbeddingMethod(window, overlap)
    raise ValueError(
        f"unknown ordering {slug!r}; use pre_embedding, contextualized-WINDOW or "
        "contextualized-WINDOW-OVERLAP with an overlap smaller than the window, in tokens, or "
        f"contextualized-WINDOW-LAYOUT with one of {', '.join(LAYOUTS)} for other "
        "windows, which leave room for special tokens, or prepended-CONTEXT with "
        f"one of {', '.join(contexts.FREE)} or by-PROVIDER__MODEL to put a context before chunks"
    )


def get_protocol(protocol: str | Protocol) -> Protocol:
    """Return the protocol of a name; a protocol itself is returned as it is.

    Raises:
        UserError: if the name is unknown; the message names the protocols.
    """
    if isinstance(protocol, Protocol):
        return protocol
    if protocol not in PROTOCOLS:
        raise UserError(f"unknown protocol {protocol!r}; use one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[protocol]


@dataclass(frozen=True, order=True)
class Condition:
    """collection x chunker x encoder x ordering x protocol, by their slugs, and what these name;
    encoder and ordering are ``none`` where no model takes part."""

    collection: str
    chunker: str
    encoder: str
    ordering: str
    protocol: str

    @cached_property
    def chunking(self) -> ChunkerSpec:
        """The chunker and its sizes."""
        return parse_chunker(self.chunker)

    @cached_property
    def model(self) -> EncoderName | None:
        """The encoder that is evaluated; None where no model takes part."""
        return None if self.encoder == NONE else parse_encoder(self.encoder)

    @cached_property
    def method(self) -> EmbeddingMethod:
        """How chunks are embedded; the plain method where no model takes part."""
        return EmbeddingMethod() if self.ordering == NONE else parse_method(self.ordering)

    @property
    def rules(self) -> Protocol:
        """What the protocol says."""
        return get_protocol(self.protocol)

    def __post_init__(self) -> None:
        collection = registry.find(self.collection)
        quoted = get_protocol(self.protocol).relevance == "substring"
        _refuse_another_name(self.chunker, str(self.chunking))
        if (self.encoder == NONE) != (self.ordering == NONE):
            raise UserError("encoder and ordering are both none, or neither is")
        if self.model:
            self._check_method(self.model)
        elif collection.task != "token_overlap":
            raise UserError(f"{self} ranks by vectors; name an encoder and an ordering")
        elif self.chunking.needs_encoder:
            raise UserError(f"chunker {self.chunker} needs an encoder to find its boundaries")
        if self.chunking.encoder == self.encoder:
            raise UserError(f"chunker {self.chunker} names the evaluated encoder; leave `-by-` out")
        if collection.task == "in_document" and quoted and collection.quotations is None:
            raise UserError(
                f"protocol {self.protocol} looks for a quotation in every chunk, and the passages "
                f"of {self.collection} are spans; use corrected"
            )

    def _check_method(self, model: EncoderName) -> None:
        """Refuse what the encoder has no positions for, and a second name for one condition."""
        spec, method = models.spec(model.model), self.method
        _refuse_another_name(self.ordering, str(method))
        last = max(model.reach, method.window)
        if last > spec.positions or (model.window is not None and model.window < 3):
            raise UserError(
                f"{self} reads a window of {model.reach} tokens and up to position "
                f"{last}; {spec.id} has {spec.positions} positions, and 3 are the fewest"
            )
        _refuse_another_name(self.encoder, str(model))
        if (method.layout or method.context) and self.protocol != CORRECTED.name:
            raise UserError(
                f"{self.ordering} is defined under {CORRECTED.name} only, since no paper under "
                "study reads chunks so; use that protocol"
            )
        if method.layout and self.chunking.entry.rewrites:
            raise UserError(
                f"{self.ordering} reads documents, which do not hold the rewritten chunks of "
                f"{self.chunker}; use contextualized-{method.window}"
            )

    def __str__(self) -> str:
        return self.path.as_posix()

    @property
    def task(self) -> Task:
        """What is asked of the collection."""
        return registry.find(self.collection).task

    @property
    def measure(self) -> str:
        """By which conditions of its task are compared first."""
        return FIRST_MEASURE[self.task]

    @property
    def path(self) -> PurePosixPath:
        """The record's folder below ``results/runs``."""
        return PurePosixPath(
            self.collection, self.chunker, self.encoder, self.ordering, self.protocol
        )

    @property
    def encoders(self) -> tuple[EncoderName, ...]:
        """The models that take part: the evaluated one, then another that draws boundaries."""
        drawing = self.chunking.encoder
        named = (self.model, parse_encoder(drawing) if drawing else None)
        return tuple(name for name in named if name)


def _refuse_another_name(given: str, name: str) -> None:
    """One condition has one record, so one name."""
    if given != name:
        raise UserError(f"{given!r} is another name of {name!r}; write {name}")


def parse(path: str) -> Condition:
    """A condition from its path, for instance ``chroma/recursive-200-0/none/none/corrected``."""
    parts = path.strip("/").split("/")
    if len(parts) != 5:
        raise UserError(
            f"{path!r} is not a condition; write collection/chunker/encoder/ordering/protocol, "
            "as `chunkstudy list` prints them"
        )
    return Condition(*parts)
