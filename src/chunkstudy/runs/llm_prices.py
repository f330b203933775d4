"""What asking for a text's boundaries or contexts would take, foretold from the text itself; nobody
is asked.

How often a model is asked depends on where it ends its chunks: the chunker is run on replies that
end them where the papers' models did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from chunkstudy.base.asking import Reply, Request
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import llm_windows, written_contexts
from chunkstudy.llm import estimates
from chunkstudy.llm.estimates import Estimate
from chunkstudy.runs.chunkers import build_chunker
from chunkstudy.runs.names import parse_chunker

LUMBER_SHARE = 0.72
"""Of a window, what Gemini's chunks of Emma take up: 330 words of the 458 that 550 tokens are."""
LUMBER_ANSWER = 8
CHROMA_CHUNK = 240
"""Mean tokens of a chunk (Chroma's report, summary, main table, row LLM)."""
CHROMA_ANSWER = 12
SEGMENT = 257
"""Mean tokens of a segment of the one post printed by topic."""
SEGMENT_ANSWER = 40
PROPOSITION_SHARE = 1.15
"""Tokens of Emma's propositions, with quotation marks and commas, to those of its text."""
CONTEXT = 60
"""Tokens that a context is expected to have."""
UNIT = re.compile(r"^ID (\d+): ", re.MULTILINE)
PIECE = re.compile(r"<\|start_chunk_(\d+)\|>(.*?)<\|end_chunk_\1\|>", re.DOTALL)


def foretold(slug: str, texts: Iterable[str]) -> Estimate:
    """What drawing the boundaries of some texts would take.

    Raises:
        ValueError: if the chunker asks nobody.
    """
    spec = parse_chunker(slug)
    if not spec.llm:
        raise ValueError(f"chunker {slug} asks no language model, so it takes nothing")
    reply = REPLIES[spec.name.partition("-")[0]]
    total = Estimate()

    def ask(request: Request) -> Reply:
        nonlocal total
        said, tokens = reply(request.messages[-1].text)
        total += estimates.of_requests([request], tokens)
        return Reply(said, "stop", 0, 0, "foretold", request.model)

    chunker = build_chunker(slug, CORRECTED, ask=ask)
    for text in texts:
        chunker(text)
    return total


def of_contexts(model: str, documents: Iterable[tuple[str, Sequence[str]]]) -> Estimate:
    """What having the contexts of chunks written would take, nothing recorded.

    Args:
        model: by provider and name.
        documents: of each its text and the texts of its chunks.
    """
    count = counter("cl100k").count
    total = Estimate()
    for text, chunks in documents:
        for one in written_contexts.requests(model, text, chunks[:1]):
            shown = [count(chunk[: written_contexts.CHUNK_SHOWN]) for chunk in chunks]
            read = len(chunks) * (estimates.input_tokens(one) - shown[0]) + sum(shown)
            total += estimates.of_calls(model, len(chunks), read, CONTEXT * len(chunks))
    return total


def _lumberchunker(asked: str) -> tuple[str, int]:
    units = UNIT.findall(asked)
    after = max(1, min(len(units) - 1, round(LUMBER_SHARE * len(units))))
    return f"Answer: ID {int(units[0]) + after}", LUMBER_ANSWER


def _llm(asked: str) -> tuple[str, int]:
    total, last = 0, ""
    for number, piece in PIECE.findall(asked):
        if total < CHROMA_CHUNK:
            total, last = total + counter("cl100k").count(piece), number
    return f"{llm_windows.MARK} {last}", CHROMA_ANSWER


def _breakpoints(asked: str) -> tuple[str, int]:
    return "", SEGMENT_ANSWER * (1 + counter("cl100k").count(asked) // SEGMENT)


def _proposition(asked: str) -> tuple[str, int]:
    return "", max(1, round(PROPOSITION_SHARE * counter("cl100k").count(asked)))


REPLIES: dict[str, Callable[[str], tuple[str, int]]] = {
    "lumberchunker": _lumberchunker,
    "llm": _llm,
    "breakpoints": _breakpoints,
    "proposition": _proposition,
}
"""By the first word of a chunker's name: of what is asked, a reply and the tokens that one has."""
