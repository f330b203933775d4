"""Sections under headings, as ``markup`` finds them: what readers of documentation expect.

A section begins at its heading and ends before the next one, of whatever level; a heading without
text of its own stays with the section below it. One that is too long is split recursively.
"""

from __future__ import annotations

from chunkstudy.base.spans import Span
from chunkstudy.base.tokens import TokenCounter
from chunkstudy.chunkers import structure
from chunkstudy.chunkers.markup import headings


def sections(text: str, *, size: int, count: TokenCounter) -> list[Span]:
    """The sections of a text in spans of at most ``size``; text before the first heading is one.

    Raises:
        ValueError: if the size is not positive.
    """
    structure.check_sizes(size)
    starts = [0]
    body = 0  # where the text under the last heading begins
    for heading in headings(text):
        if text[body : heading.start].strip():
            starts.append(heading.start)
        body = heading.end
    spans = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        if count.count(part.strip()) > size:
            inner = structure.recursive(part, size=size, count=count)
            spans += [(start + low, start + high) for low, high in inner]
        elif part.strip():
            spans.append(structure.stripped(text, start, end))
    return spans
