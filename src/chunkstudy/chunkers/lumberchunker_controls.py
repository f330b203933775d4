"""What LumberChunker is worth without a language model: answers that read nothing.

The windows are LumberChunker's. What is answered is always the last candidate, which a model that
prefers late ones comes near to, or any candidate at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunkstudy.base.spans import Span
from chunkstudy.chunkers.lumberchunker import Choose, blocks, units
from chunkstudy.chunkers.random_boundaries import generator


def last(text: str) -> list[Span]:
    """Cut at the last candidate of every window."""
    return _cut(text, lambda first, shown: first + len(shown) - 1)


def at_random(text: str, *, draw: int) -> list[Span]:
    """Cut at a candidate of each window, every one as likely; the same draw gives a text the same
    ones."""
    random = generator(draw, text)

    def choose(first: int, shown: Sequence[str]) -> int:
        return first + int(random.integers(1, len(shown)))

    return _cut(text, choose)


def _cut(text: str, choose: Choose) -> list[Span]:
    _, spans = units(text)
    found = blocks((text[start:end] for start, end in spans), choose)
    return [(spans[one.first][0], spans[one.after - 1][1]) for one in found]
