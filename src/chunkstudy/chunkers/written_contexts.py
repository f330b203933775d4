"""Contexts that a language model writes: contextual retrieval.

Each chunk is shown with its document; the model answers with a sentence that tells what the chunk
is about and where it stands, and the two are embedded together (Anthropic, Introducing Contextual
Retrieval, 2024; second post, Late Chunking vs. Contextual Retrieval). Instruction and example are
in our words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkstudy.base.spans import Chunks, Document
from chunkstudy.chunkers.contexts import short
from chunkstudy.chunkers.prompts import PROMPTS
from chunkstudy.llm.interface import Reply, Request, conversation, runs_here

REPLY = 100
"""Tokens of a reply: the contexts that Anthropic reports have 50 to 100."""
LOCAL_REPLY = 40
SHOWN = 400_000
"""Characters of a document that are shown, some 100,000 tokens."""
LOCAL_SHOWN = 600
"""The same where a small model runs here: it sees the beginning alone."""
CHUNK_SHOWN = 12_000
ASKED = PROMPTS["context"]


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
