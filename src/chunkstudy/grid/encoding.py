"""From chunks to vectors under either ordering; every vector goes through the store."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.contextualized import (
    Layout,
    TokenSpans,
    centred,
    continuous,
    in_sequence,
    packed,
    tokens_between,
)
from chunkstudy.grid.store import TokenEncoder, VectorStore
from chunkstudy.protocols import Protocol
from chunkstudy.spans import Chunks, Document

PRE_EMBEDDING = "pre_embedding"
CONTEXTUALIZED = "contextualized"


@dataclass(frozen=True, slots=True)
class Ordering:
    """When chunking takes place; the window is in tokens, special ones included.

    A slug is ``pre_embedding``, ``contextualized-512``, or ``contextualized-512-64`` where
    neighbouring windows share another number of tokens than a quarter of the window.
    """

    window: int = 0
    overlap: int = 0

    def __str__(self) -> str:
        if not self.window:
            return PRE_EMBEDDING
        other = () if self.overlap == self.window // 4 else (str(self.overlap),)
        return "-".join((CONTEXTUALIZED, str(self.window), *other))


def parse_ordering(slug: str) -> Ordering:
    """The ordering that a slug names.

    Raises:
        ValueError: if there is none.
    """
    if slug == PRE_EMBEDDING:
        return Ordering()
    name, *numbers = slug.split("-")
    if name == CONTEXTUALIZED and 1 <= len(numbers) <= 2 and all(map(str.isdecimal, numbers)):
        window = int(numbers[0])
        overlap = int(numbers[1]) if len(numbers) == 2 else window // 4
        if window > 2 and overlap < window - 2:
            return Ordering(window, overlap)
    raise ValueError(
        f"unknown ordering {slug!r}; use pre_embedding, contextualized-WINDOW or "
        "contextualized-WINDOW-OVERLAP with an overlap smaller than the window, in tokens"
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
    """Lay out every document that has chunks, as the protocol says.

    Rewritten chunks, whose text the document does not hold, are packed under every protocol.
    """
    encoder = cast(TokenEncoder, store.encoder)
    index, first = np.unique(chunks.document, return_index=True)
    limits = [*first.tolist(), len(chunks)]
    rewritten = chunks.text is not None and protocol.chunk_text == "source"
    if protocol.layout == "packed" or rewritten:
        ids = [one for one, _ in encoder.content(chunks.texts(documents))]
        parts = [
            packed(ids[a:b], ordering.window, encoder.ends, encoder.prefix_ids)
            for a, b in itertools.pairwise(limits)
        ]
        return Jobs([layout for layout, _ in parts], [spans for _, spans in parts])
    layouts = []
    spans = []
    ends, prefix = encoder.ends, encoder.prefix_ids
    contents = encoder.content([documents[i].text for i in index.tolist()])
    for (content, offsets), a, b in zip(contents, limits, limits[1:], strict=False):
        if protocol.layout == "continuous":
            whole = [ends[0], *prefix, *content, ends[1]]
            layouts.append(continuous(whole, ordering.window, ordering.overlap))
        else:
            layouts.append(centred(content, ordering.window, ordering.overlap, ends, prefix))
        places = tokens_between(offsets, chunks.start[a:b], chunks.end[a:b])
        spans.append(in_sequence(places, protocol.special_tokens == "document", len(prefix)))
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
            np.concatenate([places, [[0, layout.tokens]]]) if len(layout.windows) == 1 else places
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
) -> tuple[NDArray[np.float32], int]:
    """Vectors of all chunks, shape (chunks, dimension), and how many chunks got no token."""
    if not ordering.window:
        texts = chunks.texts(documents)
        return store.encode(texts, "document", label), sum(not text.strip() for text in texts)
    wanted = jobs(store, documents, chunks, ordering, protocol)
    return store.pool(wanted.layouts, wanted.spans, label), wanted.without_tokens
