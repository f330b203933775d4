"""Sections under headings, as Markdown marks them: what readers of documentation expect.

A section begins at its heading and ends before the next one, of whatever level; a heading without
text of its own stays with the section below it. One that is too long is split recursively.
"""

from __future__ import annotations

import re

from chunkstudy.base.spans import Span
from chunkstudy.base.tokens import TokenCounter
from chunkstudy.chunkers import structure

HEADING = re.compile(r"^(?:#{1,6}[ \t]+\S.*|\S.*\n(?:={3,}|-{3,}))[ \t]*$", re.MULTILINE)
"""A line after one to six number signs, or one underlined by equals signs or hyphens (CommonMark's
ATX and Setext headings)."""
FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?=[\w-]+:).*?^---[ \t]*$", re.MULTILINE | re.DOTALL)
"""What a site generator keeps before a text."""
ASIDE = re.compile(
    FRONT_MATTER.pattern + r"|^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""Front matter, or a block of code: in both a number sign begins a comment."""


def sections(text: str, *, size: int, count: TokenCounter) -> list[Span]:
    """The sections of a text in spans of at most ``size``; text before the first heading is one.

    Raises:
        ValueError: if the size is not positive.
    """
    structure.check_sizes(size)
    headings = [heading.span() for heading in marked(HEADING, text)]
    starts = [0]
    body = 0  # where the text under the last heading begins
    for start, end in headings:
        if text[body:start].strip():
            starts.append(start)
        body = end
    spans = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = text[start:end]
        if count.count(part.strip()) > size:
            inner = structure.recursive(part, size=size, count=count)
            spans += [(start + low, start + high) for low, high in inner]
        elif part.strip():
            spans.append(structure.stripped(text, start, end))
    return spans


def marked(heading: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The headings of a text, those in its front matter and in code aside."""
    aside = [match.span() for match in ASIDE.finditer(text)]
    return [
        match
        for match in heading.finditer(text)
        if not any(start <= match.start() < end for start, end in aside)
    ]
