"""Where an answer stands: in its chunk, among its document's tokens, and in the window that its
tokens are read in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkstudy.base.spans import Chunks
from chunkstudy.base.tokens import tokens_between
from chunkstudy.encoders.contextualized import Frame, most_context

Ints = NDArray[np.int64]
CLS = 1
"""The token before a window's first."""


class Read(NamedTuple):
    """Where tokens are read under the corrected layout; each of shape (tokens,).

    Attributes:
        place: in the window whose state counts, [CLS] being at 0.
        from_end: tokens of the document between it and that window's nearer end.
    """

    place: Ints
    from_end: Ints


def read_at(tokens: ArrayLike, length: int, window: int, overlap: int, prefix: int = 0) -> Read:
    """Where the tokens of a document are read.

    Args:
        tokens: how many tokens stand before each.
        length: of the document, in tokens.
        window: tokens read together, special ones included.
        overlap: tokens that two windows share, at least.
        prefix: tokens that the model puts before every document.
    """
    first, kept, sizes = _windows(length, window, overlap, prefix)
    sequence = np.asarray(tokens, dtype=np.int64) + CLS + prefix
    at = np.searchsorted(first, sequence, side="right") - 1
    place = sequence - first[at] + kept[at]
    before = place - CLS - prefix
    after = sizes[at] - 2 - place
    return Read(place, np.minimum(before, after))


@lru_cache(maxsize=1024)
def _windows(length: int, window: int, overlap: int, prefix: int) -> tuple[Ints, Ints, Ints]:
    """Of each window the place in the sequence of its first state that counts, that state's place
    in the window, and the window's tokens."""
    layout = most_context(range(length), Frame(window, (-1, -1), [-1] * prefix), overlap)
    kept = np.asarray(layout.kept, dtype=np.int64).reshape(-1, 2)
    counts = kept[:, 1] - kept[:, 0]
    sizes = np.asarray([len(ids) for ids in layout.windows], dtype=np.int64)
    return np.cumsum(counts) - counts, kept[:, 0], sizes


def middle_token(offsets: Ints, start: int, end: int) -> int:
    """How many tokens of a document stand before the middle one of a span that is not blank.

    Args:
        offsets: (tokens, 2), characters of each token, ascending.
    """
    first, last = tokens_between(offsets, np.asarray([start]), np.asarray([end]))[0].tolist()
    return min((first + max(first, last - 1)) // 2, len(offsets) - 1)


def token_counts(offsets: Sequence[Ints], chunks: Chunks) -> Ints:
    """The tokens of each chunk, shape (chunks,); one that a boundary cuts counts on both sides.

    Args:
        offsets: of each document, (tokens, 2).
    """
    counts = np.zeros(len(chunks), dtype=np.int64)
    for i in np.unique(chunks.document).tolist():
        own = chunks.document == i
        spans = tokens_between(offsets[i], chunks.start[own], chunks.end[own])
        counts[own] = spans[:, 1] - spans[:, 0]
    return counts


def holding(starts: Ints, ends: Ints, start: int, end: int) -> int | None:
    """Which chunk shares most characters with a span, the first of equals; None if none shares any.

    Args:
        starts: (chunks,), of one document; ``ends`` likewise.
    """
    shared = np.minimum(ends, end) - np.maximum(starts, start)
    if not len(shared) or shared.max() <= 0:
        return None
    return int(shared.argmax())


def from_boundary(chunk_start: int, chunk_end: int, start: int, end: int) -> tuple[int, bool]:
    """Characters between a span and the nearer end of the chunk that holds it, and whether the
    chunk's ends cut it; then there are none."""
    distance = min(start - chunk_start, chunk_end - end)
    return max(distance, 0), distance < 0
