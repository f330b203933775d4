"""Texts with boundaries that are known, taken apart: what is text, what is markup, what begins
where.

Formats: Markdown with ``#`` headings (the built-in articles), WikiText's ``= headings =``
(Chroma's wikitexts), and lists of messages in JSON or in Python's own notation (the built-in chats;
Chroma's chat logs, the last of which breaks off).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HEADING = re.compile(r"(#+) ")
WIKI_HEADING = re.compile(r" ?(=(?: =)*) .*= ?$")
MESSAGE = re.compile(
    r"""["']content["']: (?:"((?:[^"\\]|\\.)*)(?:"|$)|'((?:[^'\\]|\\.)*)(?:'|$))""", re.DOTALL
)
BROKEN = re.compile(r"(?:\\n)+")
ESCAPES = {r"\"": '"', r"\'": "'", r"\\": "\\", r"\t": " ", r"\n": " "}
DOCUMENT, PART, PARAGRAPH = "document", "part", "paragraph"
RANKS = (PARAGRAPH, PART, DOCUMENT)


@dataclass(frozen=True, slots=True)
class Block:
    """``raw[start:end]`` is a paragraph; ``begins`` says what else begins with it: a ``document``
    (article, chat, chapter), a ``part`` of one (section, turn), or the ``paragraph`` alone."""

    start: int
    end: int
    begins: str


def markdown(raw: str, document: int, part: int) -> Iterator[Block]:
    """The paragraphs of a Markdown text.

    Args:
        raw: the text.
        document: the level of headings that begin a document.
        part: the level of those that begin a part; headings of other levels begin a paragraph.
    """
    levels = {document: DOCUMENT, part: PART}
    return _lines(raw, HEADING, lambda signs: levels.get(len(signs), PARAGRAPH))


def wikipedia(raw: str) -> Iterator[Block]:
    """The paragraphs of Wikipedia's articles as WikiText has them; sections of any depth are
    parts."""
    return _lines(raw, WIKI_HEADING, lambda signs: DOCUMENT if signs == "=" else PART)


def messages(raw: str) -> Iterator[Block]:
    """The paragraphs of conversations; each message begins a part, the first of a list a document.

    Backslashes stand in the text as in the file; :func:`unescaped` takes them out.
    """
    last = 0
    for message in MESSAGE.finditer(raw):
        begins = DOCUMENT if "[" in raw[last : message.start()] else PART
        last = message.end()
        start, end = message.span(1 if message[1] is not None else 2)
        for first, after in _between(BROKEN, raw, start, end):
            if stripped := raw[first:after].strip():
                first += raw[first:after].index(stripped)
                yield Block(first, first + len(stripped), begins)
                begins = PARAGRAPH


def unescaped(text: str) -> str:
    """What a message says, without the backslashes of its notation."""
    return re.sub(r"\\.", lambda found: ESCAPES.get(found[0], found[0]), text)


def _lines(raw: str, heading: re.Pattern[str], kind: Callable[[str], str]) -> Iterator[Block]:
    """Paragraphs, each beginning the most that the headings before it name."""
    begins, at = DOCUMENT, 0
    for line in raw.split("\n"):
        if found := heading.match(line):
            begins = max(begins, kind(found[1]), key=RANKS.index)
        elif stripped := line.strip():
            start = at + line.index(stripped)
            yield Block(start, start + len(stripped), begins)
            begins = PARAGRAPH
        at += len(line) + 1


def _between(gap: re.Pattern[str], raw: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in gap.finditer(raw, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end
