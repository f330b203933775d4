"""The official code's way to offsets, faults included: see docs/protocols.md, "Chroma: how the
questions were made"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from chunkstudy.base.spans import Span
from chunkstudy.chunkers import locate as chunks
from chunkstudy.chunkers.locate import LocateError
from chunkstudy.runs.generation.replies import NOWHERE, RejectedError

ALIKE = 98
"""The least fuzzy score of a sentence, of 100 (utils.py:63)."""


def locate(document: str, quotation: str) -> Span:
    """The first place in the whole document, not in the passage shown (utils.py:26-69).

    A final full stop is dropped; then as :func:`chunkers.locate.locate`; else the sentence most
    alike, from 98 of 100 up. A quotation that is only a full stop stands at the start, without a
    character.

    Raises:
        RejectedError: if it stands nowhere.
    """
    try:
        return chunks.locate(document, quotation)
    except LocateError:
        pass
    target = _sorted_words(quotation[:-1] if quotation.endswith(".") else quotation)
    best, most = "", 0
    for sentence in dict.fromkeys(re.split(r"[.!?]\s*|\n", document)):
        score = _alike(target, _sorted_words(sentence), most)
        if score > most:
            best, most = sentence, score
    if most < ALIKE:
        raise RejectedError(NOWHERE)
    start = document.find(best)
    return start, start + len(best)


def accumulated(
    numbers: Sequence[tuple[int, int]], cut: Sequence[Span], start: int
) -> Iterator[Span]:
    """Offsets of the approximate variant: each excerpt begins to count where the one before it
    began, so that all but the first are shifted (synthetic_evaluation.py:217-224)."""
    for first, last in numbers:
        end = start + cut[last][1]
        start += cut[first][0]
        yield start, end


def _sorted_words(text: str) -> str:
    """As fuzzywuzzy's token_sort_ratio compares a text: letters and digits only, lower case, words
    in the order of the alphabet."""
    return " ".join(sorted(re.sub(r"\W", " ", text).lower().split()))


def _alike(one: str, other: str, least: int) -> int:
    """How alike two texts are, of 100; 0 where it is certain that it is not more than ``least``."""
    if not one or not other:
        return 0
    matcher = difflib.SequenceMatcher(None, one, other)
    for bound in (matcher.real_quick_ratio, matcher.quick_ratio):
        if round(100 * bound()) <= max(least, ALIKE - 1):
            return 0
    return round(100 * matcher.ratio())
