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
from chunkstudy.runs.generation import excerpts, passages, prompts, replies
from chunkstudy.runs.generation.passages import Passage
from chunkstudy.runs.generation.replies import ASKED, RejectedError
from chunkstudy.runs.generation.settings import Settings

SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question whose excerpts stand in their document.

    Attributes:
        number: which of the questions tried for, from 1.
        excerpts: characters of the document, in the order of the reply.
        recurring: excerpts whose text stands in the document more than once.
        oath: whether the model said it.
        joins: whether the question joins two things by "and" all the same.
    """

    number: int
    question: str
    document: str
    excerpts: tuple[Span, ...]
    recurring: int
    oath: bool
    joins: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and what became of it.

    Attributes:
        number: of the question tried for, from 1.
        start: where the passage shown begins in the document.
        rejected: why the reply was of no use, empty where it was.
    """

    number: int
    attempt: int
    document: str
    start: int
    rejected: str
    finish: str
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass
class Generated:
    """What a generation brought, in order.

    ``given_up`` counts questions for which no attempt brought one.
    """

    candidates: list[Candidate] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    given_up: int = 0


def generate(
    documents: Sequence[Document],
    settings: Settings,
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
                made.candidates.append(check(reply, passage, settings, number, made.candidates))
            except RejectedError as error:
                rejected = str(error)
            asked = Asked(
                number,
                attempt,
                document.id,
                passage.start,
                rejected,
                reply.finish,
                reply.input_tokens,
                reply.output_tokens,
                reply.seconds,
            )
            made.asked.append(asked)
            if not rejected:
                question = made.candidates[-1].question
                say(f"{number} of {settings.questions}, attempt {attempt}: {question}")
                break
        else:
            made.given_up += 1
            say(
                f"{number} of {settings.questions}: given up after {settings.attempts} attempts on "
                f"{document.id}, the last time because {made.asked[-1].rejected}"
            )
    return made


def turns(documents: Sequence[Document], settings: Settings) -> Iterator[Document]:
    """The document that each question is about: none comes again before all others have come."""
    for turn in count():
        yield from passages.sample(f"{settings.seed}/turn {turn}", documents, len(documents))


def ask_about(
    document: Document,
    settings: Settings,
    number: int,
    attempt: int,
    before: Sequence[Candidate],
) -> tuple[Passage, Request]:
    """A passage of a document, and the request for a question on it."""
    key = f"{settings.seed}/{number}/{attempt}"
    passage = passages.draw(document, settings.characters, key)
    earlier = [one.question for one in before]
    if settings.protocol == "as_published":
        earlier = [one.question for one in before if one.document == document.id]
    shown = passages.sample(f"{key}/earlier", earlier, settings.earlier)
    request = Request(
        settings.model,
        prompts.messages(passage.text, shown, settings.variant),
        settings.output_limit,
        settings.temperature,
        seed=passages.number(f"{key}/seed", SEEDS),
        json=True,
    )
    return passage, request


def check(
    reply: Reply,
    passage: Passage,
    settings: Settings,
    number: int,
    before: Sequence[Candidate],
) -> Candidate:
    """The question that a reply brings.

    Raises:
        RejectedError: if it brings none that can be used.
    """
    proposal = replies.read(reply)
    if any(proposal.question.casefold() == one.question.casefold() for one in before):
        raise RejectedError(ASKED)
    found = excerpts.place(proposal.references, passage, settings.variant, settings.protocol)
    text = passage.document.text
    return Candidate(
        number,
        proposal.question,
        passage.document.id,
        found,
        sum(text.find(text[start:end]) != text.rfind(text[start:end]) for start, end in found),
        proposal.oath,
        replies.joins_with_and(proposal.question),
    )
