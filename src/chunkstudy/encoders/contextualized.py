"""Contextualized encoding (late chunking): a document laid out in windows, chunks pooled from it.

A layout says which token ids are read together and which of their states count; one after the
other, the states that count form the document's sequence, and a chunk is a span of it. Three
layouts are in use (docs/protocols.md#jina-long-documents, #ielab-late-encoder): Jina's, ielab's,
and one without their faults. Two more are held beside the last (``LAYOUTS``): each takes a
document's own tokens and the chunks among them; no special token or prefix counts to a chunk, and
what does not fit a window is never left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.interface import batches

Ids = tuple[int, ...]
TokenSpans = NDArray[np.int64]
"""Shape (chunks, 2): first token and one past the last, in a layout's sequence; empty where a
chunk has no token."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A document in windows.

    Attributes:
        windows: the ids of each window, special tokens included.
        kept: of each window, the half-open range of positions whose states count.
        places: of each window, where in the sequence these begin, states that fall on one place
            being averaged; None where they stand one after the other.
    """

    windows: tuple[Ids, ...]
    kept: tuple[tuple[int, int], ...]
    places: tuple[int, ...] | None = None

    @property
    def tokens(self) -> int:
        """Tokens the model reads, overlaps counted twice."""
        return sum(map(len, self.windows))

    @property
    def is_whole(self) -> bool:
        """Whether it is one window, every state of which counts: what plain encoding reads."""
        return self.places is None and self.kept == ((0, self.tokens),)

    def digest(self) -> bytes:
        """32 bytes that decide the states."""
        total = hashlib.sha256()
        for ids, kept in zip(self.windows, self.kept, strict=True):
            total.update(np.asarray([len(ids), *kept, *ids], dtype="<i4").tobytes())
        if self.places is not None:
            total.update(b"places" + np.asarray(self.places, dtype="<i4").tobytes())
        return total.digest()


@dataclass(frozen=True, slots=True)
class Frame:
    """A window, and what stands in it around a document's own tokens.

    Attributes:
        window: tokens read together, special ones included.
        ends: the ids of [CLS] and [SEP].
        prefix: the ids of the model's document prefix, behind [CLS].

    Raises:
        ValueError: if no document's token fits.
    """

    window: int
    ends: tuple[int, int]
    prefix: Sequence[int] = ()

    def __post_init__(self) -> None:
        check_sizes(self.room, 0)

    @property
    def lead(self) -> int:
        """Tokens before the document's own."""
        return 1 + len(self.prefix)

    @property
    def room(self) -> int:
        """Tokens of the document that a window holds."""
        return self.window - self.lead - 1

    def around(self, content: Iterable[int]) -> Ids:
        """The ids of a window that holds these of the document."""
        return (self.ends[0], *self.prefix, *content, self.ends[1])


def whole(ids: Sequence[int]) -> Layout:
    """One window, every state of which counts: what plain encoding reads."""
    return Layout((tuple(ids),), ((0, len(ids)),))


def continuous(ids: Sequence[int], window: int, overlap: int) -> Layout:
    """Jina's: one sequence, its special tokens only at its ends, in overlapping windows.

    Of every window but the first, the first ``overlap`` states are dropped
    (mteb_chunked_eval.py:128-159), so tokens early in a window's rest saw little to their right.

    Args:
        ids: [CLS], the model's document prefix, content, [SEP]; only the first window sees the
            prefix.
        window: tokens read together.
        overlap: tokens that two neighbouring windows share.
    """
    check_sizes(window, overlap)
    starts = window_starts(len(ids), window, overlap)
    windows = tuple(tuple(ids[start : start + window]) for start in starts)
    kept = tuple((overlap if i else 0, len(ids)) for i, ids in enumerate(windows))
    return Layout(windows, kept)


def most_context(content: Sequence[int], frame: Frame, overlap: int) -> Layout:
    """Without faults: every window has its own [CLS], prefix and [SEP].

    Of these only the first [CLS] and prefix and the last [SEP] stand in the sequence, where no
    chunk takes them in, so that a document of one window is laid out like plain text.

    A token's state is taken from the window that holds most context on both its sides: in the
    middle of two windows' common part the later one takes over. The last window reaches back so
    that it is full.

    Args:
        content: ids without special tokens.
        frame: of every window.
        overlap: content tokens that two neighbouring windows share, at least.
    """
    room, lead = frame.room, frame.lead
    check_sizes(room, overlap)
    starts = window_starts(len(content), room, overlap, full=True)
    stops = [min(start + room, len(content)) for start in starts]
    cuts = [-1, *((stop + start) // 2 for stop, start in zip(stops, starts[1:], strict=False))]
    cuts.append(len(content) + 1)
    windows = tuple(frame.around(content[a:b]) for a, b in zip(starts, stops, strict=True))
    kept = tuple(
        (cuts[i] - start + lead if i else 0, cuts[i + 1] - start + lead)
        for i, start in enumerate(starts)
    )
    return Layout(windows, kept)


def packed(chunks: Sequence[Sequence[int]], frame: Frame) -> tuple[Layout, TokenSpans]:
    """ielab's: whole chunks, each tokenized alone, side by side in windows without overlap.

    A window is filled greedily; [CLS] and the prefix count to its first chunk and [SEP] to its
    last; a chunk longer than a window is cut; one without tokens stays empty (late_encoder.py;
    docs/protocols.md#ielab-late-encoder).

    Args:
        chunks: the ids of each chunk without special tokens.
        frame: of every window.
    """
    cut = [tuple(ids[: frame.room]) for ids in chunks]
    sizes = np.array([len(ids) for ids in cut], dtype=np.int64)
    spans = np.zeros((len(chunks), 2), dtype=np.int64)
    windows: list[Ids] = []
    done = 0
    for batch in batches(sizes.tolist(), frame.room):
        members = [i for i in batch if cut[i]]
        if members:
            windows.append(frame.around(token for i in members for token in cut[i]))
            ends = done + frame.lead + sizes[members].cumsum()
            spans[members] = np.stack([ends - sizes[members], ends], axis=1)
            spans[members[0], 0] = done
            done += len(windows[-1])
            spans[members[-1], 1] = done
    return Layout(tuple(windows), tuple((0, len(ids)) for ids in windows)), spans


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
    read: list[tuple[int, int]] = []
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
    read: Sequence[tuple[int, int]],
    frame: Frame,
    places: tuple[int, ...] | None = None,
) -> Layout:
    """Windows that read some tokens, all of which count."""
    windows = tuple(frame.around(content[start:stop]) for start, stop in read)
    counted = tuple((frame.lead, frame.lead + stop - start) for start, stop in read)
    return Layout(windows, counted, places)


LAYOUTS = {"averaged": averaged, "packed": whole_chunks}
"""By the name that an ordering's slug has for each."""


def in_sequence(spans: TokenSpans, document_ends: bool, prefix: int = 0) -> TokenSpans:
    """Spans of content tokens as positions in a sequence that starts with [CLS] and a prefix of
    so many tokens.

    With ``document_ends`` the first chunk takes in [CLS] and the prefix, and the last one position
    more, which is [SEP] unless a tail was lost (mteb_chunked_eval.py:400-421).
    """
    moved = spans + 1 + prefix
    if document_ends and len(moved):
        moved[0, 0] = 0
        moved[-1, 1] += 1
    return moved


def window_starts(length: int, window: int, overlap: int, full: bool = False) -> list[int]:
    """Where windows start; the last is the first that reaches the end, moved back where it shall be
    ``full``."""
    starts = [0] if length else []
    while starts and starts[-1] + window < length:
        starts.append(starts[-1] + window - overlap)
    if full and len(starts) > 1:
        starts[-1] = length - window
    return starts


def check_sizes(window: int, overlap: int) -> None:
    """Refuse windows that no document can be read in."""
    if window < 1 or not 0 <= overlap < window:
        raise ValueError(
            f"windows of {window} tokens with an overlap of {overlap} are impossible; the overlap "
            "must be at least 0 and smaller than the window"
        )
