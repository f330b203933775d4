"""A reply read strictly: a question and what it names as its excerpts, or why it is of no use."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from chunkstudy.llm.interface import Reply
from chunkstudy.runs.generation.prompts import OATH
from chunkstudy.runs.generation.settings import MOST_EXCERPTS

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
AND = re.compile(r"(\w+)\W* and \W*(\w+)")


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


def joins_with_and(question: str) -> bool:
    """Whether an ``and`` stands between two words that are not both parts of a name."""
    return any(not (a[:1].isupper() and b[:1].isupper()) for a, b in AND.findall(question))
