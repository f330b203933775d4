"""Other ways to read a document longer than the window, to be held beside ``most_context``.

Each takes a document's own tokens and the chunks among them; no special token or prefix, which
stand in every window, counts to a chunk. What does not fit a window is never left out but by
``afterthoughts``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.contextualized import Frame, Layout, TokenSpans, window_starts

Tokens = tuple[int, int]
"""First token and one past the last, in a document's content."""


def averaged(content: Sequence[int], chunks: TokenSpans, frame: Frame) -> tuple[Layout, TokenSpans]:
    """Windows moved by half of their content; a token's state is the mean over all that hold it.

    The last window reaches back so that it is full.

    Args:
        content: the document's ids without special tokens.
        chunks: (chunks, 2), the tokens of each.
        frame: of every window.
    """
    room = frame.room
    starts = window_starts(len(content), room, room // 2, full=True)
    read = [(start, min(start + room, len(content))) for start in starts]
    return _layout(content, read, read, frame, tuple(starts)), chunks


def centred(content: Sequence[int], chunks: TokenSpans, frame: Frame) -> tuple[Layout, TokenSpans]:
    """Each chunk in a window of its own with as much text before it as behind it.

    At the document's ends the window is moved so that it stays full; neighbours that then have the
    same one share it. A chunk longer than a window is read in pieces as long as one, the rest
    centred like a chunk. Arguments are those of ``averaged``.
    """
    room = frame.room
    last = max(0, len(content) - room)

    def around(piece: Tokens, _: Tokens | None) -> Tokens:
        start = min(max(0, (sum(piece) - room) // 2), last)
        return start, min(start + room, len(content))

    return _by_chunk(content, chunks, frame, around)


def whole_chunks(
    content: Sequence[int], chunks: TokenSpans, frame: Frame
) -> tuple[Layout, TokenSpans]:
    """Chunks side by side, a window filled greedily, as ielab's but with the document's own tokens.

    A chunk longer than a window takes several, so that every token counts, and the next chunks
    share the last of them. Arguments are those of ``averaged``.
    """
    room = frame.room

    def filled(piece: Tokens, before: Tokens | None) -> Tokens:
        if before and before[0] <= piece[0] and piece[1] - before[0] <= room:
            return before[0], max(before[1], piece[1])
        return piece

    return _by_chunk(content, chunks, frame, filled)


def afterthoughts(
    content: Sequence[int], chunks: TokenSpans, frame: Frame
) -> tuple[Layout, TokenSpans]:
    """The windows of afterthoughts' LateEncoder, a token's state being the mean of its readings.

    Where no window loses its end, a chunk's vector is the tool's, the mean of its readings. A token
    that every window loses has no state, which moves no vector's direction. A chunk longer than a
    window is read in parts and has one vector, where the tool gives each part its own. Arguments
    are those of ``averaged``; see ``half_over`` for the windows and ``tokens_inside`` for the
    chunks.
    """
    room = frame.room
    parts = [(at, min(at + room, last)) for first, last in chunks.tolist()
             for at in range(first, last, room)]  # fmt: skip
    begins = np.cumsum([0, *(last - first for first, last in parts)])
    windows, places = [], []
    for members in half_over([last - first for first, last in parts], room):
        read = [token for part in members for token in content[slice(*parts[part])]]
        windows.append(frame.around(read[:room]))
        places.append(int(begins[members[0]]))
    kept = tuple((frame.lead, len(ids) - 1) for ids in windows)
    read_to = max((at + b - a for at, (a, b) in zip(places, kept, strict=True)), default=0)
    stops = np.cumsum(np.maximum(0, chunks[:, 1] - chunks[:, 0]), dtype=np.int64)
    spans = np.stack([np.concatenate([[0], stops])[:-1], stops], axis=1).astype(np.int64)
    return Layout(tuple(windows), kept, tuple(places)), np.minimum(spans, read_to)


def tokens_inside(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> TokenSpans:
    """The tokens wholly inside each chunk; see ``contextualized.tokens_between``."""
    first = np.searchsorted(offsets[:, 0], starts, side="left")
    last = np.searchsorted(offsets[:, 1], stops, side="right")
    return np.stack([first, np.maximum(first, last)], axis=1).astype(np.int64)


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


def _by_chunk(
    content: Sequence[int],
    chunks: TokenSpans,
    frame: Frame,
    reads: Callable[[Tokens, Tokens | None], Tokens],
) -> tuple[Layout, TokenSpans]:
    """Every chunk in pieces that fit a window; ``reads`` says which tokens are read for a piece,
    given the window before, and a piece for which that one is only made longer lies in it."""
    spans = np.zeros((len(chunks), 2), dtype=np.int64)
    read: list[Tokens] = []
    kept: list[Tokens] = []
    done = 0
    for i, (first, last) in enumerate(chunks.tolist()):
        for at in range(first, last, frame.room):
            stop = min(at + frame.room, last)
            window = reads((at, stop), read[-1] if read else None)
            # A chunk's pieces follow each other in the sequence, so a window never grows forwards.
            if read and window[0] == read[-1][0] and kept[-1][0] <= at:
                read[-1], kept[-1] = window, (kept[-1][0], max(kept[-1][1], stop))
            else:
                done += kept[-1][1] - kept[-1][0] if kept else 0
                read.append(window)
                kept.append((at, stop))
            place = done + at - kept[-1][0]
            spans[i] = place if at == first else spans[i, 0], place + stop - at
    return _layout(content, read, kept, frame), spans


def _layout(
    content: Sequence[int],
    read: Sequence[Tokens],
    kept: Sequence[Tokens],
    frame: Frame,
    places: tuple[int, ...] | None = None,
) -> Layout:
    """Windows that read some tokens and of which some count."""
    windows = tuple(frame.around(content[a:b]) for a, b in read)
    counted = tuple(
        (first - start + frame.lead, last - start + frame.lead)
        for (start, _), (first, last) in zip(read, kept, strict=True)
    )
    return Layout(windows, counted, places)


AFTERTHOUGHTS = "afterthoughts"
LAYOUTS = {
    "averaged": averaged,
    "centred": centred,
    "packed": whole_chunks,
    AFTERTHOUGHTS: afterthoughts,
}
"""By the name that an ordering's slug has for each."""
