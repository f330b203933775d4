"""How often chunkers ask a language model, said before anybody is asked: requests, tokens, dollars.

How often a model is asked for boundaries depends on what it answers. It is taken to answer as it
did where that is known: Gemini's chunks and the propositions of Emma are published, Chroma prints
the mean size of its chunks, Jina one post cut by topic. What a model thinks before it answers is
not counted. Emma's figures stand in docs/protocols.md, the others at the constants; texts are
counted in WordPiece tokens, Chroma's texts, those of a run and all prompts in cl100k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import breakpoints, lumberchunker, written_contexts
from chunkstudy.llm.prices import Estimate, expected

EMMA_TOKENS = 205_014
EMMA_CHUNKS = 476
EMMA_PARAGRAPHS = 2_287
EMMA_PROPOSITIONS = 11_834
PROPOSITION_TOKENS = 16 + 4
"""Of a proposition of Emma, and of the quotation marks and comma around it."""
LUMBER_PROMPT = 97
LUMBER_ANSWER = 8
"""``Answer: ID 0012``"""
PROPOSITION_PROMPT = 999
"""Instruction and example (ielab's proposition_chunker.py)."""
CHROMA_WINDOW = 825
"""More than 800 tokens, by pieces of up to 50 (llm_semantic_chunker.py:131)."""
CHROMA_PIECES = 20
CHROMA_TAGS = 15
"""Around each piece."""
CHROMA_PROMPT = 197
CHROMA_ANSWER = 12
"""``split_after: 12, 17``"""
CHROMA_CHUNK = 240
"""Mean tokens of its chunks (Chroma's report, summary, main table, row LLM)."""
SEGMENT = 257
"""Mean tokens of a segment of the one post that Jina prints cut by topic."""
SEGMENT_ANSWER = 40
CONTEXT = 60
"""Tokens of a context: those that Anthropic reports have 50 to 100."""


def of_boundaries(chunker: str, model: str, documents: int, tokens: int) -> Estimate:
    """What drawing boundaries would take in documents with so many tokens in all.

    Args:
        chunker: its name alone, one of ``METHODS``.
    """
    return expected(model, *METHODS[chunker](documents, tokens))


def of_contexts(model: str, documents: Iterable[tuple[str, Sequence[str]]]) -> Estimate:
    """What having the contexts of chunks written would take.

    Args:
        documents: of each its text and the texts of its chunks.
    """
    count = counter("cl100k").count
    total = Estimate()
    for text, chunks in documents:
        for request in written_contexts.requests(model, text, chunks[:1]):
            shown = [count(chunk[: written_contexts.CHUNK_SHOWN]) for chunk in chunks]
            read = len(chunks) * (request.tokens - shown[0]) + sum(shown)
            total += expected(model, len(chunks), read, CONTEXT * len(chunks))
    return total


def _lumberchunker(documents: int, tokens: int) -> tuple[int, int, int]:
    """One call for each chunk, and at least one for each document."""
    calls = max(documents, round(tokens * EMMA_CHUNKS / EMMA_TOKENS))
    shown = min(lumberchunker.LIMIT, tokens // documents)
    return calls, calls * (LUMBER_PROMPT + shown), calls * LUMBER_ANSWER


def _proposition(documents: int, tokens: int) -> tuple[int, int, int]:
    """One call for each paragraph: a book has Emma's, a short document is one."""
    whole = tokens / documents > EMMA_TOKENS / 10
    calls = round(tokens * EMMA_PARAGRAPHS / EMMA_TOKENS) if whole else documents
    written = round(tokens * EMMA_PROPOSITIONS * PROPOSITION_TOKENS / EMMA_TOKENS)
    return calls, calls * PROPOSITION_PROMPT + tokens, written


def _chroma(_: int, tokens: int) -> tuple[int, int, int]:
    """At most one call for each chunk: a reply may name several."""
    calls = round(tokens / CHROMA_CHUNK)
    shown = CHROMA_WINDOW + CHROMA_PIECES * CHROMA_TAGS
    return calls, calls * (CHROMA_PROMPT + shown), calls * CHROMA_ANSWER


def _breakpoints(kind: breakpoints.Kind, documents: int, tokens: int) -> tuple[int, int, int]:
    """One call for each window, whose last segment begins the next one."""
    calls = max(documents, round(tokens / (breakpoints.LIMIT - SEGMENT)))
    shown = min(breakpoints.LIMIT, tokens // documents)
    prompt = breakpoints.request("", "", kind).tokens
    return calls, calls * (prompt + shown), calls * SEGMENT_ANSWER * (1 + shown // SEGMENT)


METHODS: dict[str, Callable[[int, int], tuple[int, int, int]]] = {
    "lumberchunker": _lumberchunker,
    "proposition": _proposition,
    "llm": _chroma,
    **{f"breakpoints-{kind}": partial(_breakpoints, kind) for kind in breakpoints.TASKS},
}
"""By a chunker's name: of documents and tokens, how many calls, tokens read, tokens written."""
