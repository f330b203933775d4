"""Where the excerpts of a reply stand in their document."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from chunkstudy.base import folding
from chunkstudy.base.spans import Span
from chunkstudy.runs.generation import passages, published
from chunkstudy.runs.generation.passages import Passage
from chunkstudy.runs.generation.replies import (
    EMPTY,
    NO_TEXT,
    NOWHERE,
    OUTSIDE,
    OVERLAP,
    RejectedError,
)
from chunkstudy.runs.generation.settings import Protocol, Variant


def place(
    references: list[Any], passage: Passage, variant: Variant, protocol: Protocol
) -> tuple[Span, ...]:
    """The characters of the document behind each reference, in the order of the reply.

    Corrected, a quotation has to stand in the passage that was shown: letter by letter, else
    whatever the case, white space, quotation marks, dashes and Unicode form; the first place is
    taken. No two excerpts may share a character; as published they may.

    Raises:
        RejectedError: if one reference is wrong.
    """
    text = passage.document.text
    if variant == "exact":
        if any(not isinstance(one, str) for one in references):
            raise RejectedError(NO_TEXT)
        if any(not one.strip() for one in references):
            raise RejectedError(EMPTY)
        if protocol == "as_published":
            found = tuple(published.locate(text, one) for one in references)
        else:
            found = tuple(_quoted(one, passage) for one in references)
    else:
        found = _numbered(references, passage, protocol)
    if any(not text[start:end].strip() for start, end in found):
        raise RejectedError(EMPTY)
    if any(end > len(text) for _, end in found):
        raise RejectedError(OUTSIDE)
    if protocol == "corrected" and any(a[1] > b[0] for a, b in pairwise(sorted(found))):
        raise RejectedError(OVERLAP)
    return found


def _quoted(quotation: str, passage: Passage) -> Span:
    target = quotation.strip()
    at = passage.text.find(target)
    if at >= 0:
        return passage.start + at, passage.start + at + len(target)
    sought = folding.folded(target).text.strip()
    spans = folding.folded(passage.text).find_all(sought) if sought else []
    if not spans:
        raise RejectedError(NOWHERE)
    return passage.start + spans[0][0], passage.start + spans[0][1]


def _numbered(references: list[Any], passage: Passage, protocol: Protocol) -> tuple[Span, ...]:
    named = [numbers(one) for one in references]
    cut = passages.pieces(passage.text)
    if any(not 0 <= first <= last < len(cut) for first, last in named):
        raise RejectedError(OUTSIDE)
    if protocol == "as_published":
        return tuple(published.accumulated(named, cut, passage.start))
    return tuple(
        (passage.start + cut[first][0], passage.start + cut[last][1]) for first, last in named
    )


def numbers(reference: Any) -> tuple[int, int]:
    """The first and the last piece that a reference names.

    Raises:
        RejectedError: if it names none.
    """
    if not isinstance(reference, dict):
        raise RejectedError(NO_TEXT)
    found = reference.get("start_chunk"), reference.get("end_chunk")
    if type(found[0]) is not int or type(found[1]) is not int:
        raise RejectedError(NO_TEXT)
    return found[0], found[1]
