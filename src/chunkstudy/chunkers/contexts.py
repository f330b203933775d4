"""What is put before a chunk: what its document offers, or what a language model writes.

Contextual retrieval shows a language model each chunk with its document; it answers with a sentence
that tells what the chunk is about and where it stands, and the two are embedded together
(Anthropic, Introducing Contextual Retrieval, 2024; second post, Late Chunking vs. Contextual
Retrieval). Instruction and example are in our words. What is ``FREE`` is found in the text instead,
so that one sees what the model adds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from chunkstudy.chunkers import markup
from chunkstudy.chunkers.markup import Heading
from chunkstudy.chunkers.structure import sentences
from chunkstudy.core.spans import Chunks, Collection, Document
from chunkstudy.llm.interface import PROMPTS, Reply, Request, conversation, runs_here

MOST = 300
"""Characters of a context, some 60 tokens; a longer one ends with the last whole word within."""
TITLE = 200
"""Characters of a first line that still passes for a title."""
TITLED = re.compile(r"""^title:[ \t]*(["']?)(?P<title>\S.*?)\1[ \t]*$""", re.MULTILINE)
"""A title in front matter."""
NO_LETTERS = re.compile(
    r"(?:[^\w<]|_|<!--[^<>]*-->|</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>)*", re.IGNORECASE
)
"""Text without a letter or digit: blanks, thematic breaks, signs, tags."""
SEPARATOR = "\n\n"
"""Between context and chunk."""
REPLY = 100
"""Tokens of a reply: the contexts that Anthropic reports have 50 to 100."""
LOCAL_REPLY = 40
SHOWN = 400_000
"""Characters of a document that are shown, some 100,000 tokens."""
LOCAL_SHOWN = 600
"""The same where a small model runs here: it sees the beginning alone."""
CHUNK_SHOWN = 12_000
ASKED = PROMPTS["context"]


def title(text: str, starts: Sequence[int]) -> list[str]:
    """The title in the front matter, else the first line that is not blank, where it is short
    enough to be a title; before every chunk but those that begin with it."""
    spans = markup.lines(text)
    front = markup.front_matter(text, spans)
    named = TITLED.search("\n".join(text[slice(*span)] for span in spans[:front]))
    contents = ((start, text[start:end]) for start, end in spans[front:])
    # a line of signs above a title is not the title
    titles = (
        (s, t) for s, t in contents if t.strip() and not markup.ADORNMENT.fullmatch(t.strip())
    )
    at, first = next(titles, (0, ""))
    if named:
        at, first = text.find(named["title"]), named["title"]
    if len(first.strip()) > TITLE:
        return [""] * len(starts)
    heading = next((h for h in markup.headings(text) if h.start <= at < h.end), None)
    name = short(heading.name if heading and not named else first.strip(markup.MARK))
    return [name if start > at else "" for start in starts]


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
        contexts.append(short(text[slice(*spans[before])][::-1])[::-1] if before >= 0 else "")
    return contexts


def headings(text: str, starts: Sequence[int]) -> list[str]:
    """The headings under which the chunk begins, from the widest to the narrowest; none where the
    text marks no headings, or none above."""
    marked = markup.headings(text)
    positions = [heading.start for heading in marked]
    names = [text.find(heading.name.split()[0], heading.start) for heading in marked]
    paths: list[tuple[Heading, ...]] = [()]
    for heading in marked:
        paths.append((*(h for h in paths[-1] if h.level < heading.level), heading))
    contexts = []
    for start in starts:
        opening = NO_LETTERS.match(text, start)
        first_letter = opening.end() if opening else start
        section = bisect_right(positions, first_letter)
        path = paths[section]
        if section and names[section - 1] >= start:  # the chunk holds the heading
            path = path[:-1]
        contexts.append(short(" > ".join(heading.name for heading in path)))
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


def with_chunks(documents: Sequence[Document], chunks: Chunks) -> list[tuple[str, list[str]]]:
    """Each document's text with the texts of its chunks, in their order."""
    rows: list[tuple[str, list[str]]] = [(document.text, []) for document in documents]
    for i, text in zip(chunks.document.tolist(), chunks.texts(documents), strict=True):
        rows[i][1].append(text)
    return rows


def requests(model: str, text: str, chunks: Sequence[str]) -> Iterator[Request]:
    """What is asked about the chunks of one document, given by their texts, in their order."""
    most, limit = (LOCAL_SHOWN, LOCAL_REPLY) if runs_here(model) else (SHOWN, REPLY)
    show = ASKED["show"].format
    examples = [
        (show(document=example["document"], passage=example["passage"]), example["context"])
        for example in ASKED["examples"]
    ]
    for chunk in chunks:
        question = show(document=text[:most], passage=chunk[:CHUNK_SHOWN])
        yield Request(model, conversation(ASKED["instruction"], examples, question), limit)


def context(reply: Reply) -> str:
    """The context that a reply gives, in one line; empty where it declines, says nothing, or says
    what an example said.

    Of a reply that was cut off, what it says up to its last whole word.
    """
    if reply.finish in ("refused", "blocked"):
        return ""
    text = reply.text.strip()
    if reply.finish == "length":
        text = text.rpartition(" ")[0] or text
    text = short(text.removeprefix('"').removesuffix('"'))
    return "" if text in (example["context"] for example in ASKED["examples"]) else text
