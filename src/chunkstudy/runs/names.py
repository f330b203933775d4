"""Names of a condition's parts, parsed and printed again: encoders, chunkers, orderings.

A chunker's slug is its name, its sizes, and the length function where that is not its first:
``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``, ``fixed-256``.
Where another model than the evaluated one, or the one the paper asked, draws the boundaries, it is
named at the end: ``semantic-by-jinaai__jina-embeddings-v2-small-en``,
``lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF``. A causal model other than the
study's own is too, where its signals draw them: ``signal-surprisal-200-by-owner__name@revision``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from chunkstudy.base.faults import ModelError
from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.structure import check_sizes
from chunkstudy.chunkers.table import CHUNKERS, Entry
from chunkstudy.encoders import models
from chunkstudy.encoders.window_layouts import LAYOUTS
from chunkstudy.llm import providers
from chunkstudy.llm.causal_models import SMOLLM, causal_model
from chunkstudy.llm.interface import LanguageModelError

PRE_EMBEDDING = "pre_embedding"
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
        return name if self.dtype in (None, spec.dtype) else f"{name}-{self.dtype}"

    @property
    def reach(self) -> int:
        """Tokens that it reads at once."""
        return self.window or models.spec(self.model).window


def parse_encoder(slug: str) -> EncoderName:
    """What a slug such as ``owner__name``, ``owner__name-w512`` or ``owner__name-w512-bfloat16``
    names.

    Raises:
        ModelError: if the model is not registered, or a precision is named for one behind an API.
    """
    known = {one.slug: one.id for one in models.MODELS.values()}
    asked = ENCODER.fullmatch(slug)
    if asked and asked["model"] in known:
        model, window, dtype = known[asked["model"]], asked["window"], asked["dtype"]
        if dtype and models.spec(model).kind == "api":
            raise ModelError(f"{model} is computed by its provider; leave -{dtype} out")
        return EncoderName(model, int(window) if window else None, dtype)
    raise ModelError(f"unknown encoder {slug!r}; registered are {', '.join(known)}")


@dataclass(frozen=True, slots=True)
class ChunkerSpec:
    """A chunker and its parameters: size, then overlap, in tokens of ``length``; ``by`` is the slug
    of the model that draws the boundaries, where it is not the evaluated encoder, the language
    model that the paper asked, or the causal model that the study reads with."""

    name: str
    sizes: tuple[int, ...] = ()
    length: str = "cl100k"
    by: str = ""

    def __str__(self) -> str:
        suffix = () if self.length == self.entry.lengths[0] else (self.length,)
        by = ("by", self.by) if self.by else ()
        return "-".join((self.name, *map(str, self.sizes), *suffix, *by))

    @property
    def entry(self) -> Entry:
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

    @property
    def reader(self) -> str:
        """The hub id of the causal model whose signals draw the boundaries; empty where none do."""
        return (self.by.replace("__", "/") or SMOLLM) if self.entry.takes("strengths") else ""


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
        asked = bool(spec.llm) and providers.is_name(spec.llm)
        read = bool(spec.reader) and _is_causal(spec.reader)
        if spec.llm == entry.llm != "" or spec.reader == SMOLLM:
            spec = replace(spec, by="")
        if spec.length in entry.lengths and (spec.needs_encoder or asked or read or not by):
            return spec
    raise ValueError(
        f"unknown chunker {slug!r}; `chunkstudy chunkers` lists them, with their sizes: "
        "recursive-200-0, token-250-125-wordpiece, cluster-400, kamradt"
    )


def _is_causal(name: str) -> bool:
    """Whether it is a registered causal model, or one at a revision of the hub."""
    try:
        causal_model(name)
    except LanguageModelError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Ordering:
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


def parse_ordering(slug: str) -> Ordering:
    """The ordering that a slug names.

    Raises:
        ValueError: if there is none.
    """
    if slug == PRE_EMBEDDING:
        return Ordering()
    if match := CONTEXT.fullmatch(slug):
        found = Ordering(context=match["source"])
        if not found.llm or providers.is_name(found.llm):
            return found
    if match := WINDOWS.fullmatch(slug):
        window = int(match["window"])
        layout = match["layout"] or ""
        overlap = 0 if layout else int(match["overlap"] or window // 4)
        if layout and window > 2:
            return Ordering(window, layout=layout)
        if window > 2 and overlap < window - 2:
            return Ordering(window, overlap)
    raise ValueError(
        f"unknown ordering {slug!r}; use pre_embedding, contextualized-WINDOW or "
        "contextualized-WINDOW-OVERLAP with an overlap smaller than the window, in tokens, or "
        f"contextualized-WINDOW-LAYOUT with one of {', '.join(LAYOUTS)} for other "
        "windows, which leave room for special tokens, or prepended-CONTEXT with "
        f"one of {', '.join(contexts.FREE)} or by-PROVIDER__MODEL to put a context before chunks"
    )
