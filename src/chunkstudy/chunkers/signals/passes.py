"""Cutting a text into passes that a model can read, and who reads which place.

A model could read a whole book at once, at a cost that grows with its square. Passes hold ``SIZE``
tokens. A place is read where at least ``CONTEXT`` tokens stand before it, or all there are, and
``AFTER + 1`` behind it. How much further back a pass reaches differs from place to place, so that
values depend on the cut a little; the study of boundary signals measures how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunkstudy.chunkers.signals.entropy import AFTER

SIZE, CONTEXT = 512, 128


class Pass(NamedTuple):
    """Tokens ``start`` to ``end`` are read together; ``places`` are what is looked at, counted from
    the text's first token."""

    start: int
    end: int
    places: tuple[int, ...]


def plan(
    places: Sequence[int], tokens: int, size: int = SIZE, context: int = CONTEXT, after: int = AFTER
) -> list[Pass]:
    """Passes for all places that have a token before and ``after + 1`` behind them.

    Each begins ``context`` tokens before the first place that is not read yet, and ends with what
    its last place needs, so that scattered places cost little more than themselves.

    Args:
        places: token indices, ascending.
        tokens: of the text.
        size: tokens of a pass at most.
        context: tokens that stand before a place at least, if there are so many.
        after: tokens that are looked at behind a place.

    Raises:
        ValueError: if a pass could not hold a place with what it needs.
    """
    if size < context + after + 1:
        raise ValueError(
            f"a pass of {size} tokens cannot hold {context} before a place and {after + 1} behind "
            "it; make it longer"
        )
    rest = [place for place in places if place > 0 and place + after < tokens]
    found = []
    while rest:
        start = max(0, rest[0] - context)
        own = tuple(place for place in rest if place + after < start + size)
        found.append(Pass(start, own[-1] + after + 1, own))
        rest = rest[len(own) :]
    return found
