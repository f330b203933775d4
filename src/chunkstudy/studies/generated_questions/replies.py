"""A reply read strictly: a question and where its excerpts stand, or why it is of no use.

How the official code finds offsets is told in docs/protocols.md, "Chroma: how the questions were
made".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from chunkstudy.base import folding
from chunkstudy.base.spans import Span
from chunkstudy.llm.interface import Reply
from chunkstudy.studies.generated_questions.prompts import (
    MOST_EXCERPTS,
    OATH,
    Passage,
    Variant,
    pieces,
)

DECLINED = "the model declined to answer"
CUT = "the reply was cut off"
NOT_JSON = "the reply is not a JSON object"
NO_QUESTION = "it has no question"
NO_EXCERPTS = "it has no excerpts"
TOO_MANY = f"it has more than {MOST_EXCERPTS} excerpts"
NO_TEXT = "an excerpt is not of the kind that was asked for"
ASKED = "the question was asked before"
EMPTY = "an excerpt is empty"
NOWHERE = "an excerpt does not stand in the text shown"
OUTSIDE = "an excerpt names pieces that were not shown"
OVERLAP = "two excerpts share characters"
REASONS = (
    DECLINED, CUT, NOT_JSON, NO_QUESTION, NO_EXCERPTS, TOO_MANY, NO_TEXT, ASKED, EMPTY, NOWHERE,
    OUTSIDE, OVERLAP,
)  # fmt: skip
"""Every reason for which a reply is rejected, in the order in which they are looked for."""
FENCE = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)


class RejectedError(ValueError):
    """A reply that gives no question; the message is one of ``REASONS``."""


class Pieces(BaseModel):
    """An excerpt by the numbers of its first and its last piece of the text shown."""

    model_config = ConfigDict(strict=True)
    start_chunk: int
    end_chunk: int


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Reference = TypeVar("Reference")


class Proposal(BaseModel, Generic[Reference]):
    """What a reply proposes: a question, its excerpts, each a quotation or :class:`Pieces`, and the
    oath, if it was said."""

    model_config = ConfigDict(strict=True)
    question: Text
    references: list[Reference] = Field(min_length=1, max_length=MOST_EXCERPTS)
    oath: Any = None

    @property
    def sworn(self) -> bool:
        """Whether the oath was said word for word."""
        return isinstance(self.oath, str) and self.oath.strip() == OATH


AnyProposal = Proposal[Text] | Proposal[Pieces]
FORMS: dict[Variant, type[Proposal[Text]] | type[Proposal[Pieces]]] = {
    "exact": Proposal[Text],
    "approximate": Proposal[Pieces],
}


def read(reply: Reply, variant: Variant) -> AnyProposal:
    """What a reply proposes. A fence of back ticks around the object is taken off; the white space
    in the question becomes single blanks.

    Raises:
        RejectedError: if it proposes nothing that can be used.
    """
    if reply.finish in ("refused", "blocked"):
        raise RejectedError(DECLINED)
    fenced = FENCE.fullmatch(reply.text)
    try:
        proposal = FORMS[variant].model_validate_json(fenced.group(1) if fenced else reply.text)
    except ValidationError as error:
        reason = _reason(error)
        raise RejectedError(
            CUT if reason == NOT_JSON and reply.finish == "length" else reason
        ) from None
    question = " ".join(proposal.question.split())
    if not question:
        raise RejectedError(NO_QUESTION)
    return proposal.model_copy(update={"question": question})


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
            return EMPTY if fault["type"] == "string_too_short" else NO_TEXT


def place(references: Sequence[str] | Sequence[Pieces], passage: Passage) -> tuple[Span, ...]:
    """The characters of the document behind each reference, in the order of the reply.

    A quotation has to stand in the passage that was shown: letter by letter, else whatever the
    case, white space, quotation marks, dashes and Unicode form; the first place is taken. No two
    excerpts may share a character.

    Raises:
        RejectedError: if one reference is wrong.
    """
    cut = pieces(passage.text)
    inside = [
        _quoted(reference, passage.text) if isinstance(reference, str) else _named(reference, cut)
        for reference in references
    ]
    if any(not passage.text[start:end].strip() for start, end in inside):
        raise RejectedError(EMPTY)
    if any(first[1] > second[0] for first, second in pairwise(sorted(inside))):
        raise RejectedError(OVERLAP)
    return tuple((passage.start + start, passage.start + end) for start, end in inside)


def _quoted(quotation: str, shown: str) -> Span:
    target = quotation.strip()
    start = shown.find(target)
    if start >= 0:
        return start, start + len(target)
    sought = folding.folded(target).text.strip()
    spans = folding.folded(shown).find_all(sought) if sought else []
    if not spans:
        raise RejectedError(NOWHERE)
    return spans[0]


def _named(reference: Pieces, cut: Sequence[Span]) -> Span:
    if not 0 <= reference.start_chunk <= reference.end_chunk < len(cut):
        raise RejectedError(OUTSIDE)
    return cut[reference.start_chunk][0], cut[reference.end_chunk][1]
