"""The chunks of a condition, and what its ordering puts before each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.encoding import Embed, TextTokens
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunker, Chunks, Collection, chunk_documents
from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.table import Entry
from chunkstudy.runs import by_language_model, by_signals
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.names import parse_chunker, parse_ordering
from chunkstudy.runs.store import VectorStore


def chunk(
    condition: Condition,
    collection: Collection,
    store: VectorStore | None,
    chunker: Chunker | None = None,
    boundaries: VectorStore | None = None,
) -> Chunks:
    """The chunks of a condition; what its chunker embeds is encoded together beforehand.

    Raises:
        ValueError: if another model draws the boundaries and ``boundaries`` was not given.
    """
    if chunker is None:
        spec = parse_chunker(condition.chunker)
        if spec.llm:
            return by_language_model.chunk(condition, collection, _tokenizer(store))
        if spec.reader:
            return by_signals.chunk(condition, collection)
        drawing = boundaries if spec.encoder else store
        embed: Embed | None = drawing.encode if drawing else None
        if drawing and spec.entry.windows:
            embed = _remembered(drawing, collection, spec.entry)
        protocol = PROTOCOLS[condition.protocol]
        chunker = build_chunker(condition.chunker, protocol, embed, _tokenizer(store))
    return chunk_documents(chunker, collection.documents)


def contexts_of(condition: Condition, collection: Collection, chunks: Chunks) -> list[str]:
    """What the ordering puts before each chunk; empty where it puts nothing before any."""
    ordering = parse_ordering(condition.ordering)
    if ordering.llm:
        return by_language_model.contexts(condition, collection, chunks)
    if ordering.context:
        return contexts.of(ordering.context, collection, chunks)
    return []


def drawing(condition: Condition, boundaries: VectorStore | None) -> dict[str, Any] | None:
    """The description of another model that draws the boundaries."""
    if llm := parse_chunker(condition.chunker).llm:
        return by_language_model.describe(llm)
    if reader := parse_chunker(condition.chunker).reader:
        return by_signals.describe(reader)
    return boundaries.encoder.describe() if boundaries else None


def _tokenizer(store: VectorStore | None) -> TextTokens | None:
    """The encoder's own tokenizer; None where it shows none."""
    if store and hasattr(store.encoder, "content") and hasattr(store.encoder, "decode"):
        return cast(TextTokens, store.encoder)
    return None


def _remembered(store: VectorStore, collection: Collection, chunker: Entry) -> Embed:
    """An embedding function that knows all that the chunker embeds of the collection already."""
    assert chunker.windows
    texts = [text for d in collection.documents for text in chunker.windows(d.text)]
    windows = list(dict.fromkeys(texts))
    vectors = store.encode(windows, label="sentence windows")
    places = {text: i for i, text in enumerate(windows)}

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return vectors[[places[text] for text in texts]]

    return embed
