"""The generation: a text is shown, a question comes back, is checked, and is kept or rejected. How
the official code finds offsets is told in docs/protocols.md, "Chroma: how the questions were made".

Requests follow each other, since each shows questions that came before. They are decided by the
documents, the settings and the replies so far, so that a run that was stopped goes on from its
recorded replies and ends in the same questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, pairwise
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from chunkstudy.base.spans import Document, Span
from chunkstudy.collections import quoted
from chunkstudy.llm.interface import Ask, Reply, Request
from chunkstudy.llm.prices import Estimate, expected
from chunkstudy.studies.generated_questions import prompts
from chunkstudy.studies.generated_questions.prompts import (
    EARLIER,
    MOST_EXCERPTS,
    GenerationSettings,
)

SEEDS = 2**31
ANSWER = 200
"""Tokens of a reply that brings a question (Chroma's report, Time & Cost Analysis)."""
SECONDS = 10.0
"""Seconds a question took, attempts included (the same place: 3 to 16, 10 on average)."""
EARLIER_QUESTION = (
    "Which of the several facts that this text states about its subject is asked about here?"
)
"""18 cl100k tokens, as Chroma's 472 have on average."""


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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question whose excerpts stand in their document.

    Attributes:
        number: which of the questions tried for, from 1.
        excerpts: characters of the document, in the order of the reply.
    """

    number: int
    question: str
    document: str
    excerpts: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A reply about a document, by its id, and why it was of no use; empty where it was."""

    document: str
    rejected: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generation brought, in order."""

    candidates: list[Candidate] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)


def generate(
    documents: Sequence[Document],
    settings: GenerationSettings,
    ask: Ask,
    say: Callable[[str], object] = lambda _: None,
) -> Generated:
    """Ask for questions on documents, which take turns in an order drawn by the seed.

    No more than ``questions * attempts`` requests are made, whatever the replies.

    Args:
        documents: at least one, none without text.
    """
    made = Generated()
    for number, document in enumerate(islice(turns(documents, settings), settings.questions), 1):
        for attempt in range(1, settings.attempts + 1):
            passage, request = ask_about(document, settings, number, attempt, made.candidates)
            reply, rejected = ask(request), ""
            try:
                proposal = read(reply)
                asked = proposal.question.casefold()
                if any(asked == each.question.casefold() for each in made.candidates):
                    raise RejectedError(ASKED)
                excerpts = place(proposal.references, document.text, passage)
                made.candidates.append(Candidate(number, proposal.question, document.id, excerpts))
            except RejectedError as error:
                rejected = str(error)
            made.attempts.append(Attempt(document.id, rejected, reply))
            if not rejected:
                question = made.candidates[-1].question
                say(f"{number} of {settings.questions}, attempt {attempt}: {question}")
                break
        else:
            say(
                f"{number} of {settings.questions}: given up after {settings.attempts} attempts on "
                f"{document.id}, the last time because {rejected}"
            )
    return made


def price(documents: Sequence[Document], settings: GenerationSettings) -> tuple[Estimate, Estimate]:
    """What a generation would take at least, if the first reply to each question can be used, and
    at most, if none can, of which nobody knows the time; passages are those that will be shown
    first."""
    read = 0
    made: list[Candidate] = []
    for number, document in enumerate(islice(turns(documents, settings), settings.questions), 1):
        read += ask_about(document, settings, number, 1, made)[1].tokens
        made.append(Candidate(number, EARLIER_QUESTION, document.id, ()))
    calls, limit, more = settings.questions, settings.output_limit, settings.attempts
    least = expected(settings.model, calls, read, calls * min(ANSWER, limit))
    most = expected(settings.model, calls * more, read * more, calls * more * limit)
    return least + Estimate(seconds=calls * SECONDS), most


def turns(documents: Sequence[Document], settings: GenerationSettings) -> Iterator[Document]:
    """The document that each question is about: none comes again before all others have come."""
    for turn in count():
        yield from prompts.sample(f"{settings.seed}/turn {turn}", documents, len(documents))


def ask_about(
    document: Document,
    settings: GenerationSettings,
    number: int,
    attempt: int,
    before: Sequence[Candidate],
) -> tuple[Span, Request]:
    """A passage of a document, and the request for a question on it."""
    key = f"{settings.seed}/{number}/{attempt}"
    passage = prompts.draw(document, settings.characters, key)
    earlier = [candidate.question for candidate in before]
    shown = prompts.sample(f"{key}/earlier", earlier, EARLIER)
    request = Request(
        settings.model,
        prompts.messages(document.text[slice(*passage)], shown),
        settings.output_limit,
        settings.temperature,
        seed=prompts.number(f"{key}/seed", SEEDS),
        json=True,
    )
    return passage, request


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
