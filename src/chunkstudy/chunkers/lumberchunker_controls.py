"""What LumberChunker is worth without a language model: answers that read nothing.

The windows are LumberChunker's. What is answered is always the last candidate, which a model that
prefers late ones comes near to, or any candidate at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunkstudy.base.spans import Span
from chunkstudy.chunkers.lumberchunker import Block, Choose, blocks, units
from chunkstudy.chunkers.random_boundaries import generator

Answers = Callable[[str], Choose]
"""Of a text, what is answered to its windows."""


def last(_: str) -> Choose:
    """The last candidate of every window."""

    def choose(first: int, shown: Sequence[str]) -> int:
        return first + len(shown) - 1

    return choose


def at_random(draw: int) -> Answers:
    """A candidate of each window, every one as likely; the same draw gives a text the same ones."""

    def answers(text: str) -> Choose:
        random = generator(draw, text)

        def choose(first: int, shown: Sequence[str]) -> int:
            return first + int(random.integers(1, len(shown)))

        return choose

    return answers


def chunk(text: str, answers: Answers) -> list[Span]:
    """The chunks of a text whose windows get these answers."""
    _, spans = units(text)
    found = blocks((text[start:end] for start, end in spans), answers(text))
    return [_span(spans, one) for one in found]


def _span(spans: Sequence[Span], block: Block) -> Span:
    return spans[block.first][0], spans[block.after - 1][1]
