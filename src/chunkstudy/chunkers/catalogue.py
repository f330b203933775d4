"""Every chunker by its slug. They stand in ``table``.

A slug is the name, its sizes, and the length function where that is not the chunker's first:
``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``, ``fixed-256``.
Where another model than the evaluated one, or the one the paper asked, draws the boundaries, it is
named at the end: ``semantic-by-jinaai__jina-embeddings-v2-small-en``,
``lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF``. A causal model other than the
study's own is too, where its signals draw them: ``signal-surprisal-200-by-owner__name@revision``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chunkstudy.base.asking import Ask, LanguageModelError, Reply, Request
from chunkstudy.base.encoding import Embed, TextTokens, Vectors
from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Chunker, Drawn, RewrittenSpan, Span
from chunkstudy.chunkers import structure
from chunkstudy.chunkers.locate import locate
from chunkstudy.chunkers.table import CHUNKERS, Entry, Job, Strengths
from chunkstudy.chunkers.text_tokens import WordPieces, decoded
from chunkstudy.encoders import models
from chunkstudy.llm import providers
from chunkstudy.llm.causal_models import causal_model

SLUG = re.compile(
    r"(?P<name>[a-z]+(?:-[a-z]+)*?)(?P<sizes>(?:-[0-9]+)*)"
    r"(?:-(?P<length>wordpiece-special|wordpiece|characters))?"
    r"(?:-by-(?P<by>[A-Za-z0-9_.@-]+))?"
)


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
        return self.entry.needs_encoder

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
        return self.by.replace("__", "/") if self.entry.reader and self.by else self.entry.reader


def parse(slug: str) -> ChunkerSpec:
    """The chunker that a slug names; ``str`` of it is the slug again.

    Raises:
        ValueError: if there is none, with the names there are, or if its sizes are impossible.
    """
    match = SLUG.fullmatch(slug)
    if match:
        sizes = tuple(map(int, match["sizes"].split("-")[1:]))
        entry = CHUNKERS.get(match["name"])
        if entry and len(sizes) == entry.sizes:
            by = match["by"] or ""
            spec = ChunkerSpec(match["name"], sizes, match["length"] or entry.lengths[0], by)
            if sizes:
                structure.check_sizes(*sizes)
            if by and entry.needs_encoder:
                models.parse_slug(by)
            asked = bool(entry.llm) and providers.is_name(spec.llm)
            if asked and spec.llm == entry.llm:
                spec = replace(spec, by="")
            read = bool(entry.reader) and _is_causal(spec.reader)
            if read and spec.reader == entry.reader:
                spec = replace(spec, by="")
            if spec.length in entry.lengths and (entry.needs_encoder or asked or read or not by):
                return spec
    raise ValueError(
        f"unknown chunker {slug!r}; known are {', '.join(CHUNKERS)} with their sizes, for "
        "instance recursive-200-0, token-250-125-wordpiece, cluster-400, kamradt"
    )


def build(
    slug: str,
    protocol: Protocol,
    embed: Embed | None = None,
    tokenizer: TextTokens | None = None,
    ask: Ask | None = None,
    sentences: bool = False,
    strengths: Strengths | None = None,
) -> Chunker:
    """The chunker of a slug under a protocol.

    Spans by construction; where the protocol joins pieces or locates texts afterwards, triples
    with the text that is embedded.

    ``embed`` is of the model that draws the boundaries; ``tokenizer`` the evaluated encoder's, for
    a protocol that counts in its tokens, WordPiece's where none is given. ``ask`` reaches the
    language model of a chunker that asks one; ``sentences`` shows it those where ielab's code does.
    ``strengths`` measures the signal of a chunker that cuts by one.

    Raises:
        ValueError: if the slug is unknown, its sizes are impossible, or it lacks an encoder, a way
            to ask or a way to measure.
    """
    spec = parse(slug)
    if spec.needs_encoder and embed is None:
        raise ValueError(f"chunker {slug} places its boundaries by embeddings; give it an encoder")
    if spec.llm and ask is None:
        raise ValueError(f"chunker {slug} asks {spec.llm}; give it a way to ask, as Asker().ask is")
    if spec.reader and strengths is None:
        raise ValueError(
            f"chunker {slug} cuts by a signal of {spec.reader}; give it a way to measure it, as "
            "grid.by_signals.measuring does"
        )
    entry = CHUNKERS[spec.name]
    own = tokenizer if protocol.tokenizer == "encoder" else None
    used: TextTokens = own or WordPieces()

    def chunk(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        job = Job(
            text,
            spec.name,
            spec.sizes,
            spec.length,
            protocol,
            embed or _no_encoder,
            used,
            ask or _nobody,
            spec.llm,
            sentences,
            strengths or _nothing_read,
        )
        found = entry.split(job)
        fallbacks = found.fallbacks if isinstance(found, Drawn) else 0
        if protocol.chunk_text == "source" and not entry.rewrites:
            found = [(start, end, text[start:end]) for start, end, _ in found]
        if protocol.offsets == "located":
            found = [(*locate(text, joined), joined) for _, _, joined in found]
        if protocol.chunk_text == "decoded" and entry.decodes:
            found = decoded(text, [(start, end) for start, end, _ in found], used)
        if protocol.chunk_text == "source" and not entry.rewrites:
            return Drawn([(start, end) for start, end, _ in found], fallbacks)
        return Drawn(found, fallbacks)

    return chunk


def _no_encoder(_: Sequence[str]) -> Vectors:
    raise ValueError("this chunker embeds text; set needs_encoder in its entry in CHUNKERS")


def _nobody(_: Request) -> Reply:
    raise ValueError("this chunker asks a language model; set llm in its entry in CHUNKERS")


def _nothing_read(_: str, __: Sequence[int], ___: str) -> Sequence[float]:
    raise ValueError("this chunker cuts by a signal; set reader in its entry in CHUNKERS")


def _is_causal(name: str) -> bool:
    """Whether it is a registered causal model, or one at a revision of the hub."""
    try:
        causal_model(name)
    except LanguageModelError:
        return False
    return True
