"""Contexts that cost nothing: what a document itself offers to put before a chunk.

Contextual retrieval has a language model write a sentence that tells where a chunk stands in its
document, and embeds the two together (second post, Late Chunking vs. Contextual Retrieval;
``written_contexts``). These are found in the text instead, so that one sees what the model adds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.chunkers import sections
from chunkstudy.chunkers.structure import sentences

MOST = 300
"""Characters of a context, some 60 tokens; a longer one ends with the last whole word within."""
TITLE = 200
"""Characters of a first line that still passes for a title."""
TITLED = re.compile(r"""^title:[ \t]*(["']?)(?P<title>\S.*?)\1[ \t]*$""", re.MULTILINE)
"""A title in front matter."""
SEPARATOR = "\n\n"
"""Between context and chunk."""
HEADING = re.compile(
    r"^(?:(?P<marks>\#{1,6})[ ]+(?P<markdown>\S.*?)[ ]*\#*"
    r"|[ ]*(?P<equals>=(?:[ ]?=){0,5})[ ]*(?P<wiki>[^=\s].*?)[ ]*(?P=equals)[ ]*)$",
    re.MULTILINE,
)
"""A line that Markdown or MediaWiki shows as a heading; WikiText has blanks between its signs."""


def title(text: str, starts: Sequence[int]) -> list[str]:
    """The title in the front matter, else the first line that is not blank, where it is short
    enough to be a title; before every chunk but those that begin with it."""
    front = sections.FRONT_MATTER.match(text)
    named = TITLED.search(front[0]) if front else None
    lines = (line for line in text[front.end() if front else 0 :].split("\n") if line.strip())
    first = named["title"] if named else next(lines, "")
    if len(first.strip()) > TITLE:
        return [""] * len(starts)
    heading = HEADING.fullmatch(first)
    name = short(_name(heading) if heading else first)
    return [name if start > text.find(first) else "" for start in starts]


def first_sentence(text: str, starts: Sequence[int]) -> list[str]:
    """The document's first sentence, cut after ``MOST`` characters; before every chunk but those
    that begin with it."""
    begin, end = next(iter(sentences(text)), (0, 0))
    shown = short(text[begin:end])
    return [shown if start > begin else "" for start in starts]


def preceding_sentence(text: str, starts: Sequence[int]) -> list[str]:
    """The last sentence that ends where the chunk begins or before, of a long one its last
    ``MOST`` characters; none before the first."""
    spans = sentences(text)
    ends = [end for _, end in spans]
    contexts = []
    for start in starts:
        before = bisect_right(ends, start) - 1
        contexts.append(_last_words(text[slice(*spans[before])]) if before >= 0 else "")
    return contexts


def headings(text: str, starts: Sequence[int]) -> list[str]:
    """The headings under which the chunk begins, from the widest to the narrowest; none where the
    text marks no headings, or none above."""
    marked = [(m.start(), _level(m), _name(m)) for m in sections.marked(HEADING, text)]
    positions = [start for start, _, _ in marked]
    paths: list[tuple[tuple[int, str], ...]] = [()]
    for _, level, name in marked:
        above = tuple(heading for heading in paths[-1] if heading[0] < level)
        paths.append((*above, (level, name)))
    contexts = []
    for start in starts:
        # A heading at the chunk's own start is in the chunk.
        above = paths[bisect_right(positions, start - 1)]
        contexts.append(short(" > ".join(name for _, name in above)))
    return contexts


FREE: dict[str, Callable[[str, Sequence[int]], list[str]]] = {
    "title": title,
    "first-sentence": first_sentence,
    "preceding-sentence": preceding_sentence,
    "headings": headings,
}
"""By name: takes a document's text and where its chunks start; gives each one's context, which
may be empty."""


def of(source: str, collection: Collection, chunks: Chunks) -> list[str]:
    """Each chunk's context from ``FREE``, shape (chunks,); a title is its owner's where the
    document came with one, before every chunk but the first."""
    contexts = [""] * len(chunks)
    for i in np.unique(chunks.document).tolist():
        members = np.flatnonzero(chunks.document == i)
        document, starts = collection.documents[i], chunks.start[members].tolist()
        texts = FREE[source](document.text, starts)
        if source == "title" and (given := collection.titles.get(document.id)):
            texts = [short(given) if start > 0 else "" for start in starts]
        for member, text in zip(members.tolist(), texts, strict=True):
            contexts[member] = text
    return contexts


def before(context: str, chunk: str) -> str:
    """What is embedded; a chunk without context stays as it is."""
    return f"{context}{SEPARATOR}{chunk}" if context else chunk


def short(context: str) -> str:
    """In one line, cut after the last whole word of ``MOST`` characters."""
    line = " ".join(context.split())
    if len(line) <= MOST:
        return line
    return line[: MOST + 1].rpartition(" ")[0] or line[:MOST]


def _last_words(context: str) -> str:
    line = " ".join(context.split())
    if len(line) <= MOST:
        return line
    return line[-MOST - 1 :].partition(" ")[2] or line[-MOST:]


def _level(heading: re.Match[str]) -> int:
    return len(heading["marks"]) if heading["marks"] else heading["equals"].count("=")


def _name(heading: re.Match[str]) -> str:
    return (heading["markdown"] or heading["wiki"]).strip()
