"""What asking for a text's boundaries would take, foretold from the text itself; nobody is asked.

How often a model is asked depends on where it ends its chunks: it is taken to end them where the
papers' models did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from chunkstudy.base.estimates import Estimate
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers import breakpoints, catalogue, llm_windows, lumberchunker, propositions
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.structure import pieces
from chunkstudy.llm import estimates
from chunkstudy.llm.interface import Reply, Request

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

Asked = Callable[[Request, int], None]
"""Takes a request, and the tokens that its reply is expected to have."""


def foretold(slug: str, texts: Iterable[str]) -> Estimate:
    """What drawing the boundaries of some texts would take.

    Raises:
        ValueError: if the chunker asks nobody.
    """
    spec = catalogue.parse(slug)
    if spec.name not in METHODS:
        raise ValueError(f"chunker {slug} asks no language model, so it takes nothing")
    total = Estimate()

    def asked(request: Request, output: int) -> None:
        nonlocal total
        total += estimates.of_requests([request], output)

    for text in texts:
        METHODS[spec.name](text, spec.llm, asked)
    return total


def _lumberchunker(text: str, model: str, asked: Asked) -> None:
    unit, spans = lumberchunker.units(text)

    def choose(first: int, shown: Sequence[str]) -> int:
        asked(lumberchunker.request(model, unit, first, shown), LUMBER_ANSWER)
        return first + max(1, min(len(shown) - 1, round(LUMBER_SHARE * len(shown))))

    for _ in lumberchunker.blocks((text[start:end] for start, end in spans), choose):
        pass


def _propositions(text: str, model: str, asked: Asked) -> None:
    count = counter("cl100k").count
    for start, end in paragraphs(text):
        passage = text[start:end]
        expected = round(PROPOSITION_SHARE * count(passage))
        asked(propositions.request(model, passage), max(1, expected))


def _llm_windows(text: str, model: str, asked: Asked) -> None:
    spans = pieces(text, counter("cl100k"))
    texts = [text[start:end] for start, end in spans]
    sizes = counter("cl100k").count_many(texts)

    def choose(begin: int, after: int) -> list[int]:
        asked(llm_windows.request(model, texts, begin, after), CHROMA_ANSWER)
        end, total = begin, 0
        while end < after and total < CHROMA_CHUNK:
            total += sizes[end]
            end += 1
        return [end]

    llm_windows.splits(sizes, choose)


def _breakpoints(kind: breakpoints.Kind, text: str, model: str, asked: Asked) -> None:
    count = counter("cl100k").count

    def ask(one: Request) -> Reply:
        segments = 1 + count(one.messages[-1].text) // SEGMENT
        asked(one, segments * SEGMENT_ANSWER)
        return Reply("", "stop", 0, 0, "foretold", model)

    breakpoints.chunk(text, ask, model, kind)


METHODS: dict[str, Callable[[str, str, Asked], None]] = {
    "lumberchunker": _lumberchunker,
    "proposition": _propositions,
    "llm": _llm_windows,
    **{f"breakpoints-{kind}": partial(_breakpoints, kind) for kind in breakpoints.TASKS},
}
