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
from chunkstudy.chunkers import breakpoints, contexts, lumberchunker
from chunkstudy.llm.prices import Estimate, expected

EMMA_TOKENS, EMMA_CHUNKS, EMMA_PARAGRAPHS, EMMA_PROPOSITIONS = 205_014, 476, 2_287, 11_834
LUMBER_PROMPT, LUMBER_ANSWER = 97, 8
"""The answer: ``Answer: ID 0012``."""
PROPOSITION_PROMPT, PROPOSITION_TOKENS = 999, 16 + 4
"""Instruction and example (ielab's proposition_chunker.py); of a proposition of Emma, and of the
quotation marks and comma around it."""
CHROMA_CHUNK, CHROMA_PROMPT, CHROMA_WINDOW, CHROMA_ANSWER = 240, 197, 825 + 20 * 15, 12
"""Mean tokens of its chunks (Chroma's report, summary, main table, row LLM); a window: more than
800 tokens, by 20 pieces of up to 50 (llm_semantic_chunker.py:131), tags of 15 around each; the
answer: ``split_after: 12, 17``."""
SEGMENT, SEGMENT_ANSWER = 257, 40
"""Mean tokens of a segment of the one post that Jina prints cut by topic."""
CONTEXT = 60
"""Tokens of a context: those that Anthropic reports have 50 to 100."""


def of_boundaries(chunker: str, model: str, documents: int, tokens: int) -> Estimate:
    """What drawing boundaries would take in documents with so many tokens in all.

    Args:
        chunker: its name alone, one of ``METHODS``.
    """
    calls, prompt, shown, written = METHODS[chunker](documents, tokens)
    return expected(model, calls, calls * prompt + shown, written)


def of_contexts(model: str, documents: Iterable[tuple[str, Sequence[str]]]) -> Estimate:
    """What having the contexts of chunks written would take.

    Args:
        documents: of each its text and the texts of its chunks.
    """
    count = counter("cl100k").count
    total = Estimate()
    for text, chunks in documents:
        for request in contexts.requests(model, text, chunks[:1]):
            shown = [count(chunk[: contexts.CHUNK_SHOWN]) for chunk in chunks]
            read = len(chunks) * (request.tokens - shown[0]) + sum(shown)
            total += expected(model, len(chunks), read, CONTEXT * len(chunks))
    return total


Takes = tuple[int, int, int, int]
"""Calls, tokens of each one's prompt, tokens of the texts that all show, tokens that all write."""


def _lumberchunker(documents: int, tokens: int) -> Takes:
    """One call for each chunk, and at least one for each document."""
    calls = max(documents, round(tokens * EMMA_CHUNKS / EMMA_TOKENS))
    shown = min(lumberchunker.LIMIT, tokens // documents)
    return calls, LUMBER_PROMPT, calls * shown, calls * LUMBER_ANSWER


def _proposition(documents: int, tokens: int) -> Takes:
    """One call for each paragraph: a book has Emma's, a short document is one."""
    whole = tokens / documents > EMMA_TOKENS / 10
    calls = round(tokens * EMMA_PARAGRAPHS / EMMA_TOKENS) if whole else documents
    written = round(tokens * EMMA_PROPOSITIONS * PROPOSITION_TOKENS / EMMA_TOKENS)
    return calls, PROPOSITION_PROMPT, tokens, written


def _chroma(_: int, tokens: int) -> Takes:
    """At most one call for each chunk: a reply may name several."""
    calls = round(tokens / CHROMA_CHUNK)
    return calls, CHROMA_PROMPT, calls * CHROMA_WINDOW, calls * CHROMA_ANSWER


def _breakpoints(kind: breakpoints.Kind, documents: int, tokens: int) -> Takes:
    """One call for each window, whose last segment begins the next one."""
    calls = max(documents, round(tokens / (breakpoints.LIMIT - SEGMENT)))
    shown = min(breakpoints.LIMIT, tokens // documents)
    prompt = breakpoints.request("", "", kind).tokens
    return calls, prompt, calls * shown, calls * SEGMENT_ANSWER * (1 + shown // SEGMENT)


METHODS: dict[str, Callable[[int, int], Takes]] = {
    "lumberchunker": _lumberchunker,
    "proposition": _proposition,
    "llm": _chroma,
    **{f"breakpoints-{kind}": partial(_breakpoints, kind) for kind in breakpoints.KINDS},
}
"""By a chunker's name: what documents with so many tokens take."""
