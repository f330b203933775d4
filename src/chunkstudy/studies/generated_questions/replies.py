"""A reply read strictly: a question and where its excerpts stand, or why it is of no use.

How the official code finds offsets is told in docs/protocols.md, "Chroma: how the questions were
made".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from chunkstudy.base.spans import Span
from chunkstudy.collections import quoted
from chunkstudy.llm.interface import Reply
from chunkstudy.studies.generated_questions.prompts import MOST_EXCERPTS

DECLINED = "the model declined to answer"
CUT = "the reply was cut off"
NOT_JSON = "the reply is not a JSON object"
NO_QUESTION = "it has no question"
NO_EXCERPTS = "it has no excerpts"
TOO_MANY = f"it has more than {MOST_EXCERPTS} excerpts"
NO_TEXT = "an excerpt is not of the kind that was asked for"
ASKED = "the question was asked before"
NOWHERE = "an excerpt does not stand in the text shown"
OVERLAP = "two excerpts share characters"
FENCE = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)


class RejectedError(ValueError):
    """A reply that gives no question; the message is one of the reasons above."""


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Proposal(BaseModel):
    """What a reply proposes: a question and the passages that answer it."""

    model_config = ConfigDict(strict=True)
    question: Text
    references: list[Text] = Field(min_length=1, max_length=MOST_EXCERPTS)


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
        proposal = Proposal.model_validate_json(fenced.group(1) if fenced else reply.text)
    except ValidationError as error:
        reason = _reason(error)
        cut = reason == NOT_JSON and reply.finish == "length"
        raise RejectedError(CUT if cut else reason) from None
    proposal.question = " ".join(proposal.question.split())
    if not proposal.question:
        raise RejectedError(NO_QUESTION)
    return proposal


def _reason(error: ValidationError) -> str:
    """In which of the ways a reply is not of the form that was asked for."""
    fault = error.errors(include_url=False, include_input=False)[0]
    match fault["loc"]:
        case ():
            return NOT_JSON
        case ("question", *_):
            return NO_QUESTION
        case ("references",):
            return TOO_MANY if fault["type"] == "too_long" else NO_EXCERPTS
        case _:
            return NO_TEXT


def place(quotations: Sequence[str], text: str, passage: Span) -> tuple[Span, ...]:
    """The characters of a text behind each quotation, in the order of the reply.

    A quotation has to stand in the passage that was shown: letter by letter, else whatever the
    case, white space, quotation marks, dashes and Unicode form, as in questions of one's own; the
    first place is taken. No two excerpts may share a character.

    Raises:
        RejectedError: if one quotation is wrong.
    """
    first, shown = passage[0], {"": text[slice(*passage)]}
    excerpts = []
    for words in map(str.strip, quotations):
        found = quoted.letter_by_letter(words, shown) or quoted.whatever_the_form(words, shown)
        if not found:
            raise RejectedError(NOWHERE)
        excerpts.append((first + found[0].start, first + found[0].end))
    if any(before[1] > after[0] for before, after in pairwise(sorted(excerpts))):
        raise RejectedError(OVERLAP)
    return tuple(excerpts)
