"""What a chunker's slug says.

A slug is the chunker's name, its sizes, and the length function where that is not its first:
``recursive-400-200``, ``token-250-125-wordpiece``, ``cluster-200``, ``kamradt``, ``fixed-256``.
Where another model than the evaluated one, or the one the paper asked, draws the boundaries, it is
named at the end: ``semantic-by-jinaai__jina-embeddings-v2-small-en``,
``lumberchunker-by-local__QuantFactory__SmolLM2-135M-Instruct-GGUF``. A causal model other than the
study's own is too, where its signals draw them: ``signal-surprisal-200-by-owner__name@revision``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from chunkstudy.base.asking import LanguageModelError
from chunkstudy.chunkers.structure import check_sizes
from chunkstudy.chunkers.table import CHUNKERS, Entry
from chunkstudy.encoders import models
from chunkstudy.llm import providers
from chunkstudy.llm.causal_models import SMOLLM, causal_model

CHUNKER = re.compile(
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
        ValueError: if there is none, with the names there are, or if its sizes are impossible.
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
            models.parse_slug(by)
        asked = bool(spec.llm) and providers.is_name(spec.llm)
        read = bool(spec.reader) and _is_causal(spec.reader)
        if spec.llm == entry.llm != "" or spec.reader == SMOLLM:
            spec = replace(spec, by="")
        if spec.length in entry.lengths and (spec.needs_encoder or asked or read or not by):
            return spec
    raise ValueError(
        f"unknown chunker {slug!r}; known are {', '.join(CHUNKERS)} with their sizes, for "
        "instance recursive-200-0, token-250-125-wordpiece, cluster-400, kamradt"
    )


def _is_causal(name: str) -> bool:
    """Whether it is a registered causal model, or one at a revision of the hub."""
    try:
        causal_model(name)
    except LanguageModelError:
        return False
    return True
