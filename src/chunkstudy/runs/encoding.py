"""From chunks to vectors under either ordering; every vector goes through the store."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Chunks, Document
from chunkstudy.base.tokens import tokens_between
from chunkstudy.chunkers import contexts
from chunkstudy.encoders import window_layouts
from chunkstudy.encoders.contextualized import (
    Layout,
    TokenSpans,
    continuous,
    in_sequence,
    most_context,
    packed,
    separated,
)
from chunkstudy.encoders.contextualized_elsewhere import tokens_inside
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.llm import providers
from chunkstudy.runs.store import VectorStore

SPECIAL = 2
"""[CLS] and [SEP], which take two of a window's tokens."""
PRE_EMBEDDING = "pre_embedding"
CONTEXTUALIZED = "contextualized"
HALVED = "halved"
SEPARATED = "separated"
AFTERTHOUGHTS = "afterthoughts"
LAYOUTS = {
    "averaged": window_layouts.averaged,
    "centred": window_layouts.centred,
    "packed": window_layouts.whole_chunks,
    AFTERTHOUGHTS: window_layouts.afterthoughts,
}
"""How a document longer than the window is read, to be held beside each token's state from the
window that shows most around it."""
PREPENDED = "prepended"
BY = "by-"
SLUG = re.compile(
    CONTEXTUALIZED + f"-(?P<window>[0-9]+)(?:-(?P<layout>{'|'.join((SEPARATED, *LAYOUTS))})|"
    f"(?:-(?P<overlap>[0-9]+))?(?:-at-(?P<at>[1-9][0-9]*|{HALVED}))?)"
)
CONTEXT = re.compile(rf"{PREPENDED}-(?P<source>{'|'.join(contexts.FREE)}|{BY}[A-Za-z0-9_.@-]+)")


@dataclass(frozen=True, slots=True)
class Ordering:
    """When chunking takes place; the window is in tokens, special ones included.

    A slug is ``pre_embedding``, ``contextualized-512``, or ``contextualized-512-64`` where
    neighbouring windows share another number of tokens than a quarter of the window.

    Positions tell what they do from what context does. ``contextualized-256-at-256`` reads a
    narrow window where only a wide one reaches: [CLS] at 0 and the token at place p at position
    p + 256. ``contextualized-512-at-halved`` reads a wide window where a narrow one reads: the
    token at place p at position p // 2.

    ``contextualized-512-separated`` reads whole chunks with a [SEP] between them, in windows that
    share nothing; ``contextualized-512-averaged`` and the other ``LAYOUTS`` choose the windows and
    the states of the document's tokens in other ways.

    ``prepended-title`` reads one chunk at a time with a context before it, which the document
    offers (``contexts.FREE``) or, as in ``prepended-by-openai__gpt-4o-mini``, a language model
    writes: contextual retrieval.

    Attributes:
        window: tokens read together; 0 where chunks are read one at a time.
        overlap: tokens that two windows share.
        at: how far on tokens are read, or ``halved``; empty where they are read in their order.
        layout: how windows are chosen, ``separated`` or one of ``LAYOUTS``; empty where they share
            ``overlap`` tokens.
        context: what is put before a chunk; empty where nothing is.
    """

    window: int = 0
    overlap: int = 0
    at: str = ""
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
        at = ("at", self.at) if self.at else ()
        return "-".join((CONTEXTUALIZED, str(self.window), *other, *at))

    @property
    def beside(self) -> bool:
        """Whether it is there to be compared with the study's own reading only, so that its records
        hold the measure that is compared and no ranking."""
        no_overlap = not self.layout and self.overlap == 0 < self.window // 4
        return self.layout in LAYOUTS or no_overlap

    @property
    def llm(self) -> str:
        """The language model that writes the contexts, by provider and name; empty where none
        does."""
        by = self.context.startswith(BY)
        return self.context.removeprefix(BY).replace("__", "/") if by else ""

    @property
    def positions(self) -> tuple[int, ...] | None:
        """At which position each place of a window is read; None in their order."""
        if not self.at:
            return None
        if self.at == HALVED:
            return tuple(place // 2 for place in range(self.window))
        return (0, *(place + int(self.at) for place in range(1, self.window)))

    @property
    def read_at(self) -> str:
        """The positions in words, for records."""
        if self.at == HALVED:
            return f"0 to {(self.window - 1) // 2}, two tokens each"
        first = int(self.at or 0)
        return f"[CLS] at 0, the other tokens at {first + 1} to {first + self.window - 1}"


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
    if match := SLUG.fullmatch(slug):
        window = int(match["window"])
        layout = match["layout"] or ""
        overlap = 0 if layout else int(match["overlap"] or window // 4)
        if layout and window > 2:
            return Ordering(window, layout=layout)
        if window > 2 and overlap < window - 2:
            return Ordering(window, overlap, match["at"] or "")
    raise ValueError(
        f"unknown ordering {slug!r}; use pre_embedding, contextualized-WINDOW or "
        "contextualized-WINDOW-OVERLAP with an overlap smaller than the window, in tokens, and "
        "`-at-256` or `-at-halved` behind it to read tokens at other positions, or "
        f"contextualized-WINDOW-LAYOUT with one of {', '.join((SEPARATED, *LAYOUTS))} for other "
        "windows, which leave room for special tokens, or prepended-CONTEXT with "
        f"one of {', '.join(contexts.FREE)} or by-PROVIDER__MODEL to put a context before chunks"
    )


@dataclass(frozen=True)
class Jobs:
    """What contextualized encoding has to read and pool for one set of chunks.

    Attributes:
        layouts: of each document that has chunks.
        spans: of each, (chunks, 2) positions in its sequence.
    """

    layouts: list[Layout]
    spans: list[TokenSpans]

    @property
    def without_tokens(self) -> int:
        """Chunks that get no token and therefore a zero vector."""
        return sum(int((one[:, 0] >= one[:, 1]).sum()) for one in self.spans)


def jobs(
    store: VectorStore,
    documents: Sequence[Document],
    chunks: Chunks,
    ordering: Ordering,
    protocol: Protocol,
) -> Jobs:
    """Lay out every document that has chunks, as the ordering and the protocol say.

    Rewritten chunks, whose text the document does not hold, are packed under every protocol, or
    put apart where the ordering says so. A document that fits the window is read as one whatever
    the layout, but by afterthoughts, which leaves out what is not wholly inside a chunk.
    """
    encoder = cast(TokenEncoder, store.encoder)
    index, first = np.unique(chunks.document, return_index=True)
    limits = [*first.tolist(), len(chunks)]
    rewritten = chunks.text is not None and protocol.chunk_text == "source"
    if ordering.layout == SEPARATED or protocol.layout == "packed" or rewritten:
        lay_out = separated if ordering.layout == SEPARATED else packed
        ids = [one for one, _ in encoder.content(chunks.texts(documents))]
        parts = [
            lay_out(ids[a:b], ordering.window, encoder.ends, encoder.prefix_ids)
            for a, b in itertools.pairwise(limits)
        ]
        return Jobs([layout for layout, _ in parts], [spans for _, spans in parts])
    layouts = []
    spans = []
    window, ends, prefix = ordering.window, encoder.ends, encoder.prefix_ids
    document_ends = protocol.special_tokens == "document"
    contents = encoder.content([documents[i].text for i in index.tolist()])
    for (content, offsets), a, b in zip(contents, limits, limits[1:], strict=False):
        bounds = chunks.start[a:b], chunks.end[a:b]
        places = tokens_between(offsets, *bounds)
        fits = len(content) + SPECIAL + len(prefix) <= window
        if protocol.layout == "continuous":
            whole = [ends[0], *prefix, *content, ends[1]]
            layout = continuous(whole, window, ordering.overlap)
            span = in_sequence(places, document_ends, len(prefix))
        elif ordering.layout == AFTERTHOUGHTS or (ordering.layout and not fits):
            if ordering.layout == AFTERTHOUGHTS:
                places = tokens_inside(offsets, *bounds)
            layout, span = LAYOUTS[ordering.layout](content, places, window, ends, prefix)
        else:
            layout = most_context(content, window, ordering.overlap, ends, prefix)
            span = in_sequence(places, document_ends, len(prefix))
        layouts.append(layout)
        spans.append(span)
    return Jobs(layouts, spans)


def read_once(store: VectorStore, many: Iterable[Jobs], label: str = "reading") -> None:
    """One pass over the documents for several sets of chunks; vectors stay in the store.

    Documents of one window are pooled as a whole too, since that is their plain vector.
    """
    layouts = []
    spans = []
    for one in many:
        layouts += one.layouts
        spans += [
            np.concatenate([places, [[0, layout.tokens]]]) if layout.is_whole else places
            for layout, places in zip(one.layouts, one.spans, strict=True)
        ]
    store.fill(layouts, spans, label)


def encode(
    store: VectorStore,
    documents: Sequence[Document],
    chunks: Chunks,
    ordering: Ordering,
    protocol: Protocol,
    label: str = "encoding",
    before: Sequence[str] = (),
) -> tuple[NDArray[np.float32], int]:
    """Vectors of all chunks, shape (chunks, dimension), and how many chunks got no token.

    Args:
        before: each chunk's context, where the ordering puts one before it.
    """
    if not ordering.window:
        texts = chunks.texts(documents)
        if ordering.context:
            texts = [contexts.before(*one) for one in zip(before, texts, strict=True)]
        return store.encode(texts, "document", label), sum(not text.strip() for text in texts)
    wanted = jobs(store, documents, chunks, ordering, protocol)
    return store.pool(wanted.layouts, wanted.spans, label), wanted.without_tokens
