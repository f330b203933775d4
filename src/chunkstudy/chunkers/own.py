"""A user's own chunker: whatever it returns becomes spans, or an error that names the document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import index
from typing import Any, NamedTuple

from chunkstudy.base.folding import View, solid
from chunkstudy.base.spans import Chunker, Document, RewrittenSpan, Span

OwnChunker = Callable[[str], Iterable[Any]]
"""``f(text)`` that gives ``(start, end)`` pairs, ``(start, end, rewritten text)``, or strings."""


class ChunkerError(ValueError):
    """A user's chunker that failed on a document; the message names the document."""


class Piece(NamedTuple):
    """A chunk's text and, where the chunker says so, its offsets."""

    text: str
    span: Span | None = None


def checked(chunker: OwnChunker, documents: Iterable[Document]) -> Chunker:
    """The chunker as one that gives spans, for these documents only; it is asked once for each,
    since asking again might cost or give other chunks.

    Raises, when it is called:
        ChunkerError: if the chunker raises (the original error is chained), returns nothing or no
            chunk for a text that has any, returns something else than spans or strings, or a
            string that stands nowhere in the document after the chunk before it.
    """
    names = {document.text: document.id for document in documents}

    @cache
    def spans(text: str) -> list[Span] | list[RewrittenSpan]:
        name = names[text]
        try:
            returned = chunker(text)
            chunks = None if returned is None or isinstance(returned, str) else list(returned)
        except Exception as error:
            raise ChunkerError(
                f"your chunker failed on document {name!r}: {type(error).__name__}: {error}"
            ) from error
        if chunks is None:
            raise ChunkerError(
                f"your chunker returned {'one text' if returned else 'nothing'} for document "
                f"{name!r}; return a list of (start, end) pairs or of strings"
            )
        if not chunks and text.strip():
            raise ChunkerError(
                f"your chunker returned no chunk for document {name!r}; return at least one"
            )
        if chunks and all(isinstance(chunk, str) for chunk in chunks):
            return locate_in_order(text, chunks, name)
        if chunks and all(isinstance(chunk, Piece) for chunk in chunks):
            return _as_said(text, chunks, name)
        return [_span(chunk, number, name) for number, chunk in enumerate(chunks, start=1)]

    return spans


def locate_in_order(text: str, chunks: Sequence[str], name: str) -> list[Span]:
    """Where strings that were cut from a text in this order stand in it.

    They are searched character by character; only if that fails, whatever the white space. Either
    way first without overlap, every search starting at the end of the chunk before, then with it,
    starting after that chunk's beginning; the reading that leaves nothing but white space out is
    preferred. So the strings of a splitter that neither overlaps nor leaves out text are located
    exactly, whatever is repeated in it.

    Raises:
        ChunkerError: naming document and chunk if no reading finds every chunk.
    """
    for number, chunk in enumerate(chunks, start=1):
        if not chunk:
            raise ChunkerError(f"chunk {number} of document {name!r} is an empty string; drop it")
    exact = View(text, range(len(text)), range(1, len(text) + 1))
    most: list[Span] = []
    for view, needles in (
        (exact, chunks),
        (solid(text), ["".join(chunk.split()) for chunk in chunks]),
    ):
        readings = [_search(view, needles, overlapping) for overlapping in (False, True)]
        complete = [spans for spans in readings if len(spans) == len(chunks)]
        if complete:
            return next((spans for spans in complete if not _left_out(text, spans)), complete[0])
        most = max(most, *readings, key=len)
    lost = chunks[len(most)]
    raise ChunkerError(
        f"chunk {len(most) + 1} of {len(chunks)} of document {name!r} stands nowhere after the "
        f"beginning of the chunk before it: {lost[:60]!r}; return texts as they stand in the "
        "document and in its order, or (start, end) pairs"
    )


def _as_said(text: str, pieces: Sequence[Piece], name: str) -> list[Span]:
    """Where pieces stand: as their offsets say, if these give their texts and leave nothing but
    white space out; else where the texts are found; else as the offsets say after all.

    Libraries that search for a piece to tell its offsets take an earlier place of the same words.
    """
    spans = [piece.span or (0, 0) for piece in pieces]
    true = all(
        0 <= start < end and text[start:end] == piece.text
        for (start, end), piece in zip(spans, pieces, strict=True)
    )
    if true and not _left_out(text, spans):
        return spans
    try:
        return locate_in_order(text, [piece.text for piece in pieces], name)
    except ChunkerError:
        if true:
            return spans
        raise


def _search(view: View, needles: Sequence[str], overlapping: bool) -> list[Span]:
    """The spans of the needles up to the first that is not found."""
    spans: list[Span] = []
    start = 0
    for needle in needles:
        place = view.text.find(needle, start) if needle else -1
        if place < 0:
            break
        spans.append(view.span(place, len(needle)))
        start = place + 1 if overlapping else place + len(needle)
    return spans


def _left_out(text: str, spans: Sequence[Span]) -> str:
    """The characters outside of all spans, without white space."""
    reached, gaps = 0, []
    for start, end in spans:
        gaps.append(text[reached:start])
        reached = max(reached, end)
    return "".join([*gaps, text[reached:]]).strip()


def _span(chunk: Any, number: int, name: str) -> Any:
    try:
        start, end, *rewritten = chunk
        if len(rewritten) > 1 or not all(isinstance(one, str) for one in rewritten):
            raise TypeError
        return (index(start), index(end), *rewritten)
    except (TypeError, ValueError) as error:
        raise ChunkerError(
            f"chunk {number} of document {name!r} is {type(chunk).__name__} {str(chunk)[:60]!r}; "
            "return (start, end) pairs of whole numbers or strings, one kind for all chunks"
        ) from error
