"""What tools that ship late chunking read and pool, decision by decision, without the tools.

Each function lays one document out as a tool does, in windows without a prefix; the sources and
lines are in docs/protocols.md#late-chunking-as-others-ship-it. A tool's chunk is the mean of one
reading, or of several, of its tokens' states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.contextualized import Frame, Layout, TokenSpans

Ids = Sequence[int]


@dataclass(frozen=True)
class Readings:
    """One document as a tool reads it.

    Attributes:
        layout: its windows, every state of which stands in the sequence.
        spans: (readings, 2), positions in the sequence; empty where a chunk has no vector.
        vector: (readings,), which vector each reading belongs to; a vector is the mean of its
            readings' means.
        tokens: (vectors, 2), first token and one past the last that each vector stands for, in the
            document's content; chunks that a tool cuts in two have two vectors.
    """

    layout: Layout
    spans: TokenSpans
    vector: NDArray[np.int64]
    tokens: TokenSpans

    def pool(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Vectors, (vectors, dimension), of length 1; a zero row where nothing was read.

        Args:
            states: (positions in the sequence, dimension).
        """
        sums = np.zeros((len(self.tokens), states.shape[1]), dtype=np.float64)
        counts = np.zeros((len(self.tokens), 1))
        for (first, last), vector in zip(self.spans.tolist(), self.vector.tolist(), strict=True):
            if last > first:
                sums[vector] += states[first:last].mean(axis=0, dtype=np.float64)
                counts[vector] += 1
        means = sums / np.maximum(counts, 1)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return (means / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def chonkie(
    content: Ids,
    chunks: Sequence[Ids],
    frame: Frame,
    reread: Callable[[Ids], Ids],
) -> Readings:
    """chonkie's LateChunker: chunks are told by how many tokens each has when tokenized alone.

    The document's tokens are cut every window's length of them, put back into text, and read with
    [CLS] and [SEP], for which the last two make room. These states stand in for the two, the first
    chunk takes in [CLS], the last [SEP]; half of whatever else is left over goes to either. Where
    fewer states than tokens come out, each chunk is read by itself.

    Args:
        content: the document's ids without special tokens.
        chunks: of each chunk the ids without special tokens, tokenized alone.
        reread: ids put back into text and tokenized again.
    """
    windows = [
        frame.around(reread(content[start : start + frame.window])[: frame.room])
        for start in range(0, len(content), frame.window)
    ]
    counts = [len(ids) for ids in chunks]
    left = sum(map(len, windows)) - sum(counts)
    if left < 0:
        windows = [frame.around(ids[: frame.room]) for ids in chunks]
        counts = [len(one) for one in windows]
    elif counts:
        counts[0] += left // 2
        counts[-1] += left - left // 2
    last = np.cumsum(counts, dtype=np.int64)
    spans = np.stack([last - counts, last], axis=1)
    tokens = np.cumsum([0, *map(len, chunks)], dtype=np.int64)
    return _single(windows, spans, np.stack([tokens[:-1], tokens[1:]], axis=1))


def conteb(chunks: Sequence[Ids], frame: Frame) -> Readings:
    """ConTEB's contextual-embeddings: chunks joined by [SEP] in one input, cut at the window.

    The first chunk takes in [CLS]; no chunk takes in a separator. Those beyond the window have no
    vector, and the one that it cuts has that of its beginning.

    Args:
        chunks: of each chunk the ids without special tokens, tokenized alone.
    """
    joined: list[int] = []
    spans = np.zeros((len(chunks), 2), dtype=np.int64)
    for i, ids in enumerate(chunks):
        joined += ([frame.ends[1]] if i else []) + list(ids)
        spans[i] = 1 + len(joined) - len(ids), 1 + len(joined)
    if len(chunks):
        spans[0, 0] = 0
    spans = np.minimum(spans, frame.window - 1)
    tokens = np.cumsum([0, *map(len, chunks)], dtype=np.int64)
    windows = [frame.around(joined[: frame.room])] if joined else []
    return _single(windows, spans, np.stack([tokens[:-1], tokens[1:]], axis=1))


def afterthoughts(
    content: Ids,
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    frame: Frame,
) -> Readings:
    """afterthoughts' LateEncoder, its sentences being the chunks and a chunk one sentence.

    A chunk's tokens are those wholly inside it, so a token that a boundary cuts is not read at all.
    Windows hold whole chunks; each keeps the later half of the one before and takes one more,
    whether or not that fits, so that a full window loses its end. A chunk read in several windows
    has the mean of its readings; no special token counts. One longer than a window is cut in parts
    with a vector each.

    Args:
        content: the document's ids without special tokens.
        offsets: (tokens, 2), characters of each.
        starts: (chunks,), first character of each chunk.
        stops: (chunks,), one past its last.
    """
    room = frame.room
    parts = [
        (a, min(a + room, stop))
        for start, stop in tokens_inside(offsets, starts, stops).tolist()
        for a in range(start, stop, room)
    ]
    windows, spans, vectors = [], [], []
    done = 0
    for members in half_over([stop - start for start, stop in parts], room):
        read: list[int] = []
        for part in members:
            start, stop = parts[part]
            at = done + 1 + len(read)
            read += content[start:stop]
            end = done + 1 + room
            spans.append((min(at, end), min(at + stop - start, end)))
            vectors.append(part)
        windows.append(frame.around(read[:room]))
        done += len(windows[-1])
    return Readings(
        _layout(windows),
        np.asarray(spans, dtype=np.int64).reshape(-1, 2),
        np.asarray(vectors, dtype=np.int64),
        np.asarray(parts, dtype=np.int64).reshape(-1, 2),
    )


def tokens_inside(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> TokenSpans:
    """The tokens wholly inside each chunk; see ``contextualized.tokens_between``."""
    first = np.searchsorted(offsets[:, 0], starts, side="left")
    last = np.searchsorted(offsets[:, 1], stops, side="right")
    return np.stack([first, np.maximum(first, last)], axis=1).astype(np.int64)


def disjoint(content: Ids, places: TokenSpans, frame: Frame) -> Readings:
    """Windows side by side that share nothing, every token read once: chonkie's without its seams.

    Args:
        content: the document's ids without special tokens.
        places: (chunks, 2), the tokens of each chunk.
    """
    room = frame.room
    windows = [frame.around(content[at : at + room]) for at in range(0, len(content), room)]
    kept = tuple((1, len(one) - 1) for one in windows)
    numbers = np.arange(len(places), dtype=np.int64)
    return Readings(Layout(tuple(windows), kept), places, numbers, places)


def side_by_side(chunks: Sequence[Ids], frame: Frame) -> Readings:
    """Whole chunks packed in windows with nothing between them: what a [SEP] is compared with.

    Each window holds the chunks that it holds with separators, so that nothing else differs.
    """
    room = frame.room
    spans = np.zeros((len(chunks), 2), dtype=np.int64)
    held: list[list[int]] = []
    taken = room  # tokens of the open window, separators included
    done = 0
    for i, ids in enumerate(chunks):
        for start in range(0, len(ids), room):
            piece = ids[start : start + room]
            if held and taken + 1 + len(piece) <= room:
                taken += 1 + len(piece)
            else:
                held.append([])
                taken = len(piece)
            held[-1].extend(piece)
            spans[i] = spans[i, 0] if start else done, done + len(piece)
            done += len(piece)
    windows = tuple(map(frame.around, held))
    kept = tuple((1, len(one) - 1) for one in windows)
    tokens = np.cumsum([0, *map(len, chunks)], dtype=np.int64)
    numbers = np.arange(len(chunks), dtype=np.int64)
    places = np.stack([tokens[:-1], tokens[1:]], axis=1)
    return Readings(Layout(windows, kept), spans, numbers, places)


def half_over(lengths: Sequence[int], room: int) -> list[list[int]]:
    """Which parts each window of afterthoughts holds."""
    windows: list[list[int]] = []
    held: list[int] = []
    for part, length in enumerate(lengths):
        if held and sum(lengths[i] for i in held) + length > room:
            windows.append(held)
            dropped = math.ceil(len(held) / 2) if len(held) > 1 else 0
            held = [*held[dropped:], part]
        else:
            held = [*held, part]
    return [*windows, held] if held else windows


def _single(windows: Sequence[Sequence[int]], spans: TokenSpans, tokens: TokenSpans) -> Readings:
    """One reading a vector."""
    return Readings(_layout(windows), spans, np.arange(len(spans), dtype=np.int64), tokens)


def _layout(windows: Sequence[Sequence[int]]) -> Layout:
    return Layout(tuple(map(tuple, windows)), tuple((0, len(one)) for one in windows))
