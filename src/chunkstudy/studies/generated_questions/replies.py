"""A reply read strictly: a question and where its excerpts stand, or why it is of no use.

The official code's way to offsets, faults included, stands beside: docs/protocols.md, "Chroma: how
the questions were made".
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chunkstudy.base import folding
from chunkstudy.base.spans import Span
from chunkstudy.chunkers import locate
from chunkstudy.llm.interface import Reply
from chunkstudy.studies.generated_questions.prompts import (
    MOST_EXCERPTS,
    OATH,
    Passage,
    Protocol,
    Variant,
    pieces,
)

DECLINED = "the model declined to answer"
CUT = "the reply was cut off"
NOT_JSON = "the reply is not a JSON object"
NO_QUESTION = "it has no question"
ASKED = "the question was asked before"
NO_EXCERPTS = "it has no excerpts"
TOO_MANY = f"it has more than {MOST_EXCERPTS} excerpts"
NO_TEXT = "an excerpt is not of the kind that was asked for"
EMPTY = "an excerpt is empty"
NOWHERE = "an excerpt does not stand in the text shown"
OUTSIDE = "an excerpt names pieces that were not shown"
OVERLAP = "two excerpts share characters"
REASONS = (
    DECLINED, CUT, NOT_JSON, NO_QUESTION, ASKED, NO_EXCERPTS, TOO_MANY, NO_TEXT, EMPTY, NOWHERE,
    OUTSIDE, OVERLAP,
)  # fmt: skip
"""Every reason for which a reply is rejected, in the order in which they are looked for."""
FENCE = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
ALIKE = 98
"""The least fuzzy score of a sentence that the official code takes, of 100 (utils.py:63)."""


class RejectedError(ValueError):
    """A reply that gives no question; the message is one of ``REASONS``."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question with its excerpts as the reply names them; whether the oath was said."""

    question: str
    references: list[Any]
    oath: bool


def read(reply: Reply) -> Proposal:
    """What a reply proposes. A fence of back ticks around the object is taken off; the white space
    in the question becomes single blanks.

    Raises:
        RejectedError: if it proposes nothing that can be used.
    """
    if reply.finish in ("refused", "blocked"):
        raise RejectedError(DECLINED)
    fenced = FENCE.fullmatch(reply.text)
    try:
        content = json.loads(fenced.group(1) if fenced else reply.text)
    except (ValueError, RecursionError):
        raise RejectedError(CUT if reply.finish == "length" else NOT_JSON) from None
    if not isinstance(content, dict):
        raise RejectedError(NOT_JSON)
    question = content.get("question")
    if not isinstance(question, str) or not (asked := " ".join(question.split())):
        raise RejectedError(NO_QUESTION)
    if any("\ud800" <= char <= "\udfff" for char in asked):  # halves of a character: no text
        raise RejectedError(NO_QUESTION)
    references = content.get("references")
    if not isinstance(references, list) or not references:
        raise RejectedError(NO_EXCERPTS)
    if len(references) > MOST_EXCERPTS:
        raise RejectedError(TOO_MANY)
    oath = content.get("oath")
    return Proposal(asked, references, isinstance(oath, str) and oath.strip() == OATH)


def place(
    references: list[Any], passage: Passage, variant: Variant, protocol: Protocol
) -> tuple[Span, ...]:
    """The characters of the document behind each reference, in the order of the reply.

    Corrected, a quotation has to stand in the passage that was shown: letter by letter, else
    whatever the case, white space, quotation marks, dashes and Unicode form; the first place is
    taken. No two excerpts may share a character; as published they may.

    Raises:
        RejectedError: if one reference is wrong.
    """
    text = passage.document.text
    if variant == "approximate":
        spans = _numbered(references, passage, protocol)
    elif any(not isinstance(one, str) for one in references):
        raise RejectedError(NO_TEXT)
    elif any(not one.strip() for one in references):
        raise RejectedError(EMPTY)
    elif protocol == "as_published":
        spans = [officially(text, one) for one in references]
    else:
        spans = [_quoted(one, passage) for one in references]
    if any(not text[start:end].strip() for start, end in spans):
        raise RejectedError(EMPTY)
    if any(end > len(text) for _, end in spans):
        raise RejectedError(OUTSIDE)
    if protocol == "corrected" and any(a[1] > b[0] for a, b in pairwise(sorted(spans))):
        raise RejectedError(OVERLAP)
    return tuple(spans)


def _quoted(quotation: str, passage: Passage) -> Span:
    target = quotation.strip()
    start, length = passage.text.find(target), len(target)
    if start < 0:
        sought = folding.folded(target).text.strip()
        spans = folding.folded(passage.text).find_all(sought) if sought else []
        if not spans:
            raise RejectedError(NOWHERE)
        start, length = spans[0][0], spans[0][1] - spans[0][0]
    return passage.start + start, passage.start + start + length


def _numbered(references: list[Any], passage: Passage, protocol: Protocol) -> list[Span]:
    named = [numbers(one) for one in references]
    cut = pieces(passage.text)
    if any(not 0 <= first <= last < len(cut) for first, last in named):
        raise RejectedError(OUTSIDE)
    if protocol == "as_published":
        return list(accumulated(named, cut, passage.start))
    return [(passage.start + cut[first][0], passage.start + cut[last][1]) for first, last in named]


def numbers(reference: Any) -> tuple[int, int]:
    """The first and the last piece that a reference names.

    Raises:
        RejectedError: if it names none.
    """
    named = reference if isinstance(reference, dict) else {}
    first, last = named.get("start_chunk"), named.get("end_chunk")
    if type(first) is not int or type(last) is not int:
        raise RejectedError(NO_TEXT)
    return first, last


def accumulated(
    numbers: Sequence[tuple[int, int]], cut: Sequence[Span], start: int
) -> Iterator[Span]:
    """Offsets of the approximate variant as the official code has them: each excerpt begins to
    count where the one before it began, so that all but the first are shifted
    (synthetic_evaluation.py:217-224)."""
    for first, last in numbers:
        end = start + cut[last][1]
        start += cut[first][0]
        yield start, end


def officially(document: str, quotation: str) -> Span:
    """The first place in the whole document, not in the passage shown (utils.py:26-69).

    A final full stop is dropped; then as :func:`chunkers.locate.locate`; else the sentence most
    alike, from 98 of 100 up. A quotation that is only a full stop stands at the start, without a
    character.

    Raises:
        RejectedError: if it stands nowhere.
    """
    try:
        return locate.locate(document, quotation)
    except locate.LocateError:
        pass
    target = _sorted_words(quotation.removesuffix("."))
    best, most = "", 0
    for sentence in dict.fromkeys(re.split(r"[.!?]\s*|\n", document)):
        score = _alike(target, _sorted_words(sentence), most)
        if score > most:
            best, most = sentence, score
    if most < ALIKE:
        raise RejectedError(NOWHERE)
    start = document.find(best)
    return start, start + len(best)


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
