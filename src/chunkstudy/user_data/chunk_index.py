"""The chunks of a system, and everything that is computed from their texts alone.

Systems that match the same texts share one index, so each of these values is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers import contexts
from chunkstudy.core import spans, tokens
from chunkstudy.core.spans import Document
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.interface import Encoder, ReadingReporter, Role, TokenCountingEncoder
from chunkstudy.evaluation.retrieval.bm25 import BM25
from chunkstudy.pipeline.encoding import SPECIAL
from chunkstudy.pipeline.vector_store import VectorStore

Ints = NDArray[np.int64]
CountTokens = Callable[[Sequence[str]], Sequence[int] | Ints]


@dataclass(frozen=True, eq=False)
class ChunkIndex(spans.ChunkIndex):
    """The chunks of a system before anything is ranked.

    The texts are not stored: they are slices of the documents, and take as much memory as these.

    Attributes:
        documents: the documents of the collection.
        contexts: the context of each matched text, empty where it has none.
    """

    documents: Sequence[Document]
    contexts: Sequence[str]
    _token_counts: dict[VectorStore | None, Ints] = field(default_factory=dict, init=False)
    _characters_read: dict[VectorStore, Ints | None] = field(default_factory=dict, init=False)

    @property
    def texts(self) -> list[str]:
        """The matched texts, each behind its context; built at every access."""
        texts = self.matched.texts(self.documents)
        return [contexts.before(*pair) for pair in zip(self.contexts, texts, strict=True)]

    @cached_property
    def lengths(self) -> Ints:
        """Characters of each matched text without its context, shape (matched,)."""
        if self.matched.text is None:
            return self.matched.lengths
        return np.array([len(text) for text in self.matched.text], dtype=np.int64)

    @cached_property
    def bm25(self) -> BM25:
        """The BM25 index of the matched texts with their contexts."""
        return BM25(self.texts, "any")

    def token_counts(self, store: VectorStore) -> Ints:
        """Return the tokens of each matched text, special ones left out, shape (matched,)."""
        counts = isinstance(store.encoder, TokenCountingEncoder)
        key = store if counts else None  # WordPiece, for all others
        if key not in self._token_counts:
            count = token_counter(store.encoder)
            self._token_counts[key] = np.asarray(count(self.texts), dtype=np.int64)
        return self._token_counts[key]

    def tokens_read(self, store: VectorStore) -> int:
        """Return the tokens that an encoder reads of all matched texts, one at a time."""
        return int(within_window(store.encoder, self.token_counts(store)).sum())

    def characters_read(self, store: VectorStore) -> Ints | None:
        """Return the characters that an encoder reads of each matched text, its context left out,
        shape (matched,); None if unknown."""
        if store not in self._characters_read:
            texts = self.texts
            read = read_of_texts(store.encoder, texts, count=lambda _: self.token_counts(store))
            if read is not None:
                whole = np.array([len(text) for text in texts], dtype=np.int64)
                read = np.clip(read - (whole - self.lengths), 0, self.lengths)
            self._characters_read[store] = read
        return self._characters_read[store]


def read_of_texts(
    encoder: Encoder,
    texts: Sequence[str],
    role: Role = "document",
    count: CountTokens | None = None,
) -> Ints | None:
    """Count the characters of each text that an encoder reads; None where that is unknown.

    Where an encoder only counts tokens, its window's share of them is taken.

    Args:
        encoder: the encoder.
        texts: the texts.
        role: documents or queries.
        count: a function that knows the tokens of these texts already, if they get no prefix.
    """
    if isinstance(encoder, ReadingReporter):
        return np.asarray(encoder.characters_read(texts, role), dtype=np.int64)
    if not isinstance(encoder, TokenCountingEncoder) or not (window := encoder.window):
        return None
    prefix = encoder.describe().get(f"{role}_prefix", "")
    if prefix or count is None:
        count = encoder.token_count
    whole = np.array([len(text) for text in texts], dtype=np.int64)
    counts = np.asarray(count([prefix + text for text in texts])) + SPECIAL
    return (whole * np.minimum(1, window / counts)).astype(np.int64)


def text_tokens(encoder: Encoder, texts: Sequence[str]) -> float:
    """Count the tokens that an encoder reads of all texts, special ones included."""
    return float(within_window(encoder, np.asarray(token_counter(encoder)(texts))).sum())


def token_counter(encoder: Encoder) -> CountTokens:
    """Return the encoder's function that counts tokens, or WordPiece's if it has none."""
    if isinstance(encoder, TokenCountingEncoder):
        return encoder.token_count
    return tokens.counter("wordpiece").count_many


def within_window(encoder: Encoder, counts: Ints) -> NDArray[np.float64]:
    """Return the tokens of each text that an encoder reads, special ones included.

    Args:
        encoder: the encoder.
        counts: tokens of each text, special ones left out.
    """
    special = 0 if isinstance(encoder, ApiEncoder) else SPECIAL
    window = encoder.window if isinstance(encoder, TokenCountingEncoder) else None
    return np.minimum(counts + special, window or np.inf)
