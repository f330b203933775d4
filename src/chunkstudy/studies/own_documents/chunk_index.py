"""The chunks of a system before anything is ranked, and how much of them its model reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base import tokens
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Document
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.runs.encoding import SPECIAL, jobs
from chunkstudy.runs.store import VectorStore
from chunkstudy.studies.own_documents.systems import System

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ChunkIndex:
    """The chunks of a system before anything is ranked.

    Attributes:
        chunks: what is matched with the spans of what is returned.
        before: the context that is embedded before each; empty where there is none.
        returned: what is returned, each span once.
        place: shape (chunks,), which of them each chunk returns.
        texts: what is matched, contexts included.
        lengths: shape (chunks,), characters of each without its context.
    """

    chunks: Chunks
    before: tuple[str, ...]
    returned: Chunks
    place: Ints
    texts: tuple[str, ...]
    lengths: Ints


def characters_read(system: System, store: VectorStore | None, index: ChunkIndex) -> Ints | None:
    """Of each matched text, its context aside, the characters that the encoder reads; None where
    that is unknown. BM25 and late chunking read all; where an encoder only counts tokens, its
    window's share of them is taken."""
    if store is None or system.method.window:
        return index.lengths
    encoder = store.encoder
    whole = np.array([len(text) for text in index.texts], dtype=np.int64)
    if hasattr(encoder, "characters_read"):
        read = np.asarray(encoder.characters_read(index.texts), dtype=np.int64)
    elif hasattr(encoder, "token_count") and (window := getattr(encoder, "window", None)):
        counted = np.asarray(encoder.token_count(index.texts)) + SPECIAL
        read = (whole * np.minimum(1, window / counted)).astype(np.int64)
    else:
        return None
    return np.clip(read - (whole - index.lengths), 0, index.lengths)


def shares_unread(index: ChunkIndex, read: Ints | None) -> dict[str, float]:
    """The share of chunks of which something, and of characters that, an encoder never reads."""
    total = int(index.lengths.sum())
    if read is None or not total:
        return {"cut": float("nan"), "unread": float("nan")}
    return {"cut": float((read < index.lengths).mean()), "unread": 1 - int(read.sum()) / total}


def tokens_read(
    documents: Sequence[Document], system: System, store: VectorStore | None, index: ChunkIndex
) -> int:
    """Tokens that the encoder reads for a system's chunks, special ones included."""
    if store is None:
        return 0
    if system.method.window:
        plan = jobs(store, documents, index.chunks, system.method, CORRECTED)
        return sum(layout.tokens for layout in plan.layouts)
    return int(text_tokens(store, index.texts).sum())


def text_tokens(store: VectorStore, texts: Sequence[str]) -> NDArray[np.float64]:
    """Of each text the tokens that the encoder reads, special ones included, as it counts them, or
    as WordPiece does where it does not."""
    count: Callable[[Sequence[str]], list[int]] | None
    count = getattr(store.encoder, "token_count", None) or tokens.counter("wordpiece").count_many
    special = 0 if isinstance(store.encoder, ApiEncoder) else SPECIAL
    window = getattr(store.encoder, "window", None) or np.inf
    return np.minimum(np.asarray(count(texts)) + special, window)
