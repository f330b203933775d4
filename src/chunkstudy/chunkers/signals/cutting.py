"""Chunks of at most so many tokens, cut where a signal is strongest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from chunkstudy.base.spans import Span
from chunkstudy.base.tokens import TokenCounter
from chunkstudy.chunkers.signals.candidates import Sentence
from chunkstudy.chunkers.structure import check_sizes, recursive

LEAST = 4
"""A chunk has at least the LEAST-th part of the size, where there is a choice."""


def cut(
    text: str,
    sentences: Sequence[Sentence],
    strengths: Sequence[float],
    *,
    size: int,
    count: TokenCounter,
) -> list[Span]:
    """Cut what is longer than ``size`` tokens at its strongest boundary, and so on with both parts.

    Boundaries that leave less than a quarter of the size on one side are chosen only where there is
    no other; an earlier one wins a tie, and one that was not measured loses to all that were. A
    single sentence that is too long is cut as the recursive chunker does.

    Args:
        text: the document.
        sentences: of it, ascending.
        strengths: of the boundary behind each sentence but the last; NaN where not measured.
        size: tokens of a chunk at most.
        count: the length function.

    Raises:
        ValueError: if the size is not positive, or boundaries and sentences do not match.
    """
    check_sizes(size)
    if len(strengths) != max(0, len(sentences) - 1):
        raise ValueError(f"{len(sentences)} sentences have not {len(strengths)} boundaries")
    lengths = count.count_many([text[one.start : one.end] for one in sentences])
    before = [0, *accumulate(lengths)]
    found: list[Span] = []
    waiting = [(0, len(sentences))] if sentences else []
    while waiting:
        first, after = waiting.pop()
        start, end = sentences[first].start, sentences[after - 1].end
        if count.count(text[start:end]) <= size:
            found.append((start, end))
        elif after - first == 1:
            spans = recursive(text[start:end], size=size, count=count)
            found += [(start + a, start + b) for a, b in spans]
        else:
            middle = _strongest(strengths, before, first, after, size / LEAST)
            waiting += [(middle, after), (first, middle)]
    return found


def _strongest(
    strengths: Sequence[float], before: Sequence[int], first: int, after: int, least: float
) -> int:
    """The sentence that the strongest boundary between ``first`` and ``after`` precedes."""

    def rank(middle: int) -> tuple[bool, bool, float, int]:
        strength = strengths[middle - 1]
        roomy = min(before[middle] - before[first], before[after] - before[middle]) >= least
        measured = strength == strength
        return roomy, measured, strength if measured else 0.0, -middle

    return max(range(first + 1, after), key=rank)
