"""The third step: from chunks to vectors, plain, late, or with a context before each; every vector
goes through the store."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from chunkstudy.chunkers import contexts, expected_requests
from chunkstudy.core.protocols import CORRECTED, Protocol
from chunkstudy.core.spans import Chunks, Collection, Document
from chunkstudy.core.tokens import tokens_between
from chunkstudy.encoders.contextualized import (
    LAYOUTS,
    Layout,
    TokenSpans,
    continuous,
    in_sequence,
    most_context,
    packed,
)
from chunkstudy.encoders.interface import require_states
from chunkstudy.llm.asking import Asker
from chunkstudy.pipeline.conditions import EmbeddingMethod, parse_method
from chunkstudy.pipeline.vector_store import VectorStore

SPECIAL = 2
"""[CLS] and [SEP], which take two of a window's tokens."""


class Jobs(NamedTuple):
    """What contextualized encoding has to read and pool for one set of chunks: layouts, and of each
    its chunks, (chunks, 2) positions in its sequence."""

    layouts: list[Layout]
    spans: list[TokenSpans]


def jobs(
    store: VectorStore,
    documents: Sequence[Document],
    chunks: Chunks,
    method: EmbeddingMethod,
    protocol: Protocol,
) -> Jobs:
    """Lay out every document that has chunks, as the method and the protocol say.

    Rewritten chunks, whose text the document does not hold, are packed under every protocol. A
    document that fits the window is read as one whatever the layout.
    """
    encoder = require_states(store.encoder)
    frame = encoder.frame(method.window)
    index, first = np.unique(chunks.document, return_index=True)
    limits = [*first.tolist(), len(chunks)]
    if protocol.layout == "packed" or chunks.rewritten:
        ids = [tokens for tokens, _ in encoder.content(chunks.texts(documents))]
        parts = [packed(ids[a:b], frame) for a, b in itertools.pairwise(limits)]
        return Jobs([layout for layout, _ in parts], [spans for _, spans in parts])
    layouts = []
    spans = []
    document_ends = protocol.special_tokens == "document"
    contents = encoder.content([documents[i].text for i in index.tolist()])
    for (content, offsets), a, b in zip(contents, limits, limits[1:], strict=False):
        places = tokens_between(offsets, chunks.start[a:b], chunks.end[a:b])
        if protocol.layout == "continuous":
            layout = continuous(frame.around(content), method.window, method.overlap)
            span = in_sequence(places, document_ends, len(frame.prefix))
        elif method.layout and len(content) > frame.room:
            layout, span = LAYOUTS[method.layout](content, places, frame)
        else:
            layout = most_context(content, frame, method.overlap)
            span = in_sequence(places, document_ends, len(frame.prefix))
        layouts.append(layout)
        spans.append(span)
    return Jobs(layouts, spans)


def read_once(store: VectorStore, many: Sequence[Jobs], label: str = "reading") -> None:
    """One pass over the documents for several sets of chunks; vectors stay in the store."""
    layouts = [layout for plan in many for layout in plan.layouts]
    store.pool(layouts, [spans for plan in many for spans in plan.spans], label)


def contexts_of(
    method: EmbeddingMethod, collection: Collection, chunks: Chunks, asker: Asker | None = None
) -> list[str]:
    """What the method puts before each chunk: what the document offers, or a sentence of a language
    model, empty where its reply cannot be used; no text at all where it puts nothing before any.

    Raises:
        LanguageModelError: if replies can neither be had nor are recorded.
        BudgetError: before the first request, if all of them would exceed the ceiling.
    """
    if not method.llm:
        return contexts.of(method.context, collection, chunks) if method.context else []
    shown = contexts.with_chunks(collection.documents, chunks)
    asker = asker or Asker()
    if asker.mode != "replay":
        expected = expected_requests.of_contexts(method.llm, shown)
        asker.say_price(f"{collection.name}, {method}", expected)
    requests = (
        request for text, of in shown for request in contexts.requests(method.llm, text, of)
    )
    replies = asker.together(asker.ask, requests)
    bar = tqdm(replies, "contexts", len(chunks), unit="chunk", disable=None, leave=False)
    return [contexts.context(reply) for reply in bar]


class Vectors(NamedTuple):
    """``queries``, (queries, dimension), and ``chunks``, (chunks, dimension); float32, length 1."""

    queries: NDArray[np.float32]
    chunks: NDArray[np.float32]


def encode_both(
    store: VectorStore,
    collection: Collection,
    chunks: Chunks,
    method: EmbeddingMethod,
    protocol: Protocol,
    before: Sequence[str] = (),
    label: str = "encoding",
) -> Vectors:
    """Vectors of queries and chunks; see :func:`encode`."""
    of_chunks = encode(store, collection.documents, chunks, method, protocol, label, before)
    of_queries = store.encode([query.text for query in collection.queries], "query")
    return Vectors(of_queries, of_chunks)


def encode(
    store: VectorStore,
    documents: Sequence[Document],
    chunks: Chunks,
    method: EmbeddingMethod,
    protocol: Protocol,
    label: str = "encoding",
    before: Sequence[str] = (),
) -> NDArray[np.float32]:
    """Vectors of all chunks, shape (chunks, dimension); zero of a chunk that got no token.

    Args:
        before: each chunk's context, where the method puts one before it (:func:`contexts_of`).
    """
    if not method.window:
        texts = chunks.texts(documents)
        if method.context:
            texts = [contexts.before(*spans) for spans in zip(before, texts, strict=True)]
        return store.encode(texts, "document", label)
    return store.pool(*jobs(store, documents, chunks, method, protocol), label)


def encode_together(
    store: VectorStore, collection: Collection, sets: Sequence[Chunks], ordering: str
) -> list[NDArray[np.float32]]:
    """Vectors of several sets of chunks of one collection, shape (chunks, dimension) each, under
    the corrected protocol; late chunking reads each document once for all of them."""
    documents, method = collection.documents, parse_method(ordering)
    if not method.window:
        return [encode(store, documents, chunks, method, CORRECTED) for chunks in sets]
    plans = [jobs(store, documents, chunks, method, CORRECTED) for chunks in sets]
    read_once(store, plans)
    return [store.pool(*plan) for plan in plans]
