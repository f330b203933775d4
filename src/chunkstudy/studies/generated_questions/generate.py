"""The generation: a text is shown, a question comes back, is checked, and is kept or rejected.

Requests follow each other, since each shows questions that came before. They are decided by the
documents, the settings and the replies so far, so that a run that was stopped goes on from its
recorded replies and ends in the same questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

from chunkstudy.base.spans import Document, Span
from chunkstudy.llm.interface import Ask, Reply, Request
from chunkstudy.llm.prices import Estimate, expected
from chunkstudy.studies.generated_questions import prompts, replies
from chunkstudy.studies.generated_questions.prompts import EARLIER, GenerationSettings
from chunkstudy.studies.generated_questions.replies import ASKED, RejectedError

SEEDS = 2**31
ANSWER = 200
"""Tokens of a reply that brings a question (Chroma's report, Time & Cost Analysis)."""
SECONDS = 10.0
"""Seconds a question took, attempts included (the same place: 3 to 16, 10 on average)."""
EARLIER_QUESTION = (
    "Which of the several facts that this text states about its subject is asked about here?"
)
"""18 cl100k tokens, as Chroma's 472 have on average."""


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
                made.candidates.append(check(reply, document, passage, number, made.candidates))
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
    at most, if none can; passages are those that will be shown first."""
    read = 0
    made: list[Candidate] = []
    for number, document in enumerate(islice(turns(documents, settings), settings.questions), 1):
        read += ask_about(document, settings, number, 1, made)[1].tokens
        made.append(Candidate(number, EARLIER_QUESTION, document.id, ()))
    calls, limit, more = settings.questions, settings.output_limit, settings.attempts
    least = expected(settings.model, calls, read, calls * min(ANSWER, limit))
    return least, expected(settings.model, calls * more, read * more, calls * more * limit)


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


def check(
    reply: Reply, document: Document, passage: Span, number: int, before: Sequence[Candidate]
) -> Candidate:
    """The question that a reply brings.

    Raises:
        RejectedError: if it brings none that can be used.
    """
    proposal = replies.read(reply)
    question = proposal.question
    if any(question.casefold() == candidate.question.casefold() for candidate in before):
        raise RejectedError(ASKED)
    excerpts = replies.place(proposal.references, document.text, passage)
    return Candidate(number, question, document.id, excerpts)
