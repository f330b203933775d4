"""Where a chunk could end: the ends of sentences and paragraphs, the same for all signals.

The report compares all tokens, or pieces of 50; which places a chunker would choose among it leaves
open. A boundary inside a sentence is of no use to a reader, so that sentences are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from chunkstudy.base.spans import Span
from chunkstudy.chunkers.passages import paragraphs

if TYPE_CHECKING:
    from nltk.tokenize import PunktSentenceTokenizer

ABBREVIATIONS = (
    "mr", "mrs", "ms", "messrs", "dr", "st", "prof", "rev", "capt", "col", "gen", "vs", "cf",
    "e.g", "i.e", "al", "fig", "lit", "approx",
)  # fmt: skip
"""What ends with a full stop that ends no sentence."""
LETTER = re.compile(r"[^\W\d_]")
QUOTED = re.compile(r"[.?!…]+[\"'”’)\]]+$")
MARKS = (".", "?", "!")
QUOTE, OTHER = "quote", "other"


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text[start:end]`` is a sentence; ``opens`` says whether it opens a paragraph."""

    start: int
    end: int
    opens: bool


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text, ascending; between them lies nothing but white space.

    A line is a paragraph, as in :func:`passages.paragraphs`. Within it sentences are NLTK's Punkt's
    under a fixed list of abbreviations. What holds no letter, such as the number of a list item,
    belongs to the sentence that it precedes, and what begins with a small letter, as *said she*
    after a question, to the one before it.
    """
    found = []
    for start, end in paragraphs(text):
        for n, (first, last) in enumerate(within(text[start:end])):
            found.append(Sentence(start + first, start + last, n == 0))
    return found


def within(paragraph: str) -> list[Span]:
    """The sentences of one paragraph."""
    joined: list[Span] = []
    begun: int | None = None
    for start, end in _punkt().span_tokenize(paragraph):
        begun = start if begun is None else begun
        if LETTER.search(paragraph, start, end):
            goes_on = bool(joined) and paragraph[begun].islower()
            joined.append((joined.pop()[0] if goes_on else begun, end))
            begun = None
    if begun is not None:
        first = joined.pop()[0] if joined else begun
        joined.append((first, len(paragraph.rstrip())))
    return joined


def mark(sentence: str) -> str:
    """What a sentence ends with: one of ``MARKS``, ``quote`` where a quotation or bracket closes
    behind the mark, or ``other``."""
    if QUOTED.search(sentence):
        return QUOTE
    return sentence[-1:] if sentence[-1:] in MARKS else OTHER


@cache
def _punkt() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer  # takes seconds

    known = PunktParameters()
    known.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(known)
