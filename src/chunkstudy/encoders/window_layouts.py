"""Other ways to read a document longer than the window, to be held beside ``most_context``.

Each takes a document's own tokens and the chunks among them; no special token or prefix, which
stand in every window, counts to a chunk. What does not fit a window is never left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
    return _layout(content, read, frame, tuple(starts)), chunks


def whole_chunks(
    content: Sequence[int], chunks: TokenSpans, frame: Frame
) -> tuple[Layout, TokenSpans]:
    """Chunks side by side, a window filled greedily, as ielab's but with the document's own tokens.

    A chunk longer than a window takes several, so that every token counts, and the next chunks
    share the last of them. Arguments are those of ``averaged``.
    """
    spans = np.zeros((len(chunks), 2), dtype=np.int64)
    read: list[Tokens] = []
    done = 0
    for i, (first, last) in enumerate(chunks.tolist()):
        for start in range(first, last, frame.room):
            stop = min(start + frame.room, last)
            # A chunk's pieces follow each other in the sequence, so a window never grows forwards.
            if read and read[-1][0] <= start and stop - read[-1][0] <= frame.room:
                read[-1] = read[-1][0], max(read[-1][1], stop)
            else:
                done += read[-1][1] - read[-1][0] if read else 0
                read.append((start, stop))
            place = done + start - read[-1][0]
            spans[i] = place if start == first else spans[i, 0], place + stop - start
    return _layout(content, read, frame), spans


def _layout(
    content: Sequence[int],
    read: Sequence[Tokens],
    frame: Frame,
    places: tuple[int, ...] | None = None,
) -> Layout:
    """Windows that read some tokens, all of which count."""
    windows = tuple(frame.around(content[start:stop]) for start, stop in read)
    counted = tuple((frame.lead, frame.lead + stop - start) for start, stop in read)
    return Layout(windows, counted, places)


LAYOUTS = {"averaged": averaged, "packed": whole_chunks}
"""By the name that an ordering's slug has for each."""
