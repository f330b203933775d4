"""The generation: a text is shown, a question comes back, is checked, and is kept or rejected. How
the official code finds offsets is told in docs/protocols.md, "Chroma: how the questions were made".

Requests follow each other, since each shows questions that came before. They are decided by the
documents, the settings and the replies so far, so that a run that was stopped goes on from its
recorded replies and ends in the same questions. What is drawn a key decides, the same on every
machine and under every Python.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice, pairwise
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chunkstudy.collections import quoted
from chunkstudy.collections.user_documents import OwnDocuments
from chunkstudy.collections.user_questions import Question, Quotation
from chunkstudy.core.errors import UserError
from chunkstudy.core.spans import Document, Span
from chunkstudy.llm.interface import PROMPTS, Ask, Message, Reply, Request, conversation
from chunkstudy.llm.prices import Estimate, expected

ASKED = PROMPTS["question"]
EARLIER = 50
"""Earlier questions shown at most, as the report says."""
MOST_EXCERPTS = 5
CHARACTERS = 4_000
"""Of a document shown at once."""
ATTEMPTS = 10
"""Replies asked for until a question is given up; the official code asks until one can be used."""
OUTPUT_LIMIT = 600
"""Tokens that a reply may have."""
TEMPERATURE = 1.0
"""The official code names none, and this is what its server then takes."""
SEEDS = 2**31
ANSWER = 200
"""Tokens of a reply that brings a question (Chroma's report, Time & Cost Analysis)."""
SECONDS = 10.0
"""Seconds a question took, attempts included (the same place: 3 to 16, 10 on average)."""
EARLIER_QUESTION = (
    "Which of the several facts that this text states about its subject is asked about here?"
)
"""18 cl100k tokens, as Chroma's 472 have on average."""

UNFINISHED = {
    "length": "the reply was cut off",
    "refused": "the model declined to answer",
    "blocked": "the model was kept from answering",
}
"""By how a reply ended."""
OTHER_FORM = "the reply is not the JSON object that was asked for"
REPEATED = "the question was asked before"
NOWHERE = "an excerpt does not stand in the text shown"
OVERLAP = "two excerpts share characters"
FENCE = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
Text = Annotated[str, AfterValidator(str.strip), Field(min_length=1)]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """What decides the requests, beside the documents.

    Attributes:
        model: whom to ask, provider and name.
        questions: how many to try for.
        seed: another one shows other passages.
    """

    model: str
    questions: int
    seed: int = 0


class Proposal(BaseModel):
    """What a reply proposes: a question and the passages that answer it."""

    model_config = ConfigDict(strict=True)
    question: Text
    references: list[Text] = Field(min_length=1, max_length=MOST_EXCERPTS)


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generation brought: questions whose excerpts stand in their document, every reply, and
    how many of these were rejected for which reason."""

    questions: list[Question] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)


def generate(
    documents: Sequence[Document],
    settings: GenerationSettings,
    ask: Ask,
    say: Callable[[str], object] = lambda _: None,
) -> Generated:
    """Ask for questions on documents, which take turns in an order drawn by the seed.

    Args:
        documents: at least one, none without text.
    """
    made = Generated()
    for number, document in enumerate(turns(documents, settings), 1):
        earlier = [question.question for question in made.questions]
        for attempt in range(1, ATTEMPTS + 1):
            passage, request = ask_about(document, settings, f"{number}/{attempt}", earlier)
            made.replies.append(ask(request))
            try:
                proposal = read(made.replies[-1])
                if proposal.question.casefold() in map(str.casefold, earlier):
                    raise UserError(REPEATED)
                spans = place(proposal.references, document.text, passage)
            except UserError as error:
                made.rejected[str(error)] += 1
                continue
            excerpts = tuple(_excerpt(document, span, documents) for span in spans)
            made.questions.append(
                Question(id=str(number), question=proposal.question, excerpts=excerpts)
            )
            say(f"{number} of {settings.questions}: {proposal.question}")
            break
        else:
            say(f"{number} of {settings.questions}: given up, on {document.id}")
    return made


def price(documents: OwnDocuments, settings: GenerationSettings) -> str:
    """What a generation would take at least, if the first reply to each question can be used, and
    at most, if none can, of which nobody knows the time; passages are those that will be shown
    first."""
    tokens = sum(
        ask_about(document, settings, f"{number}/1", [EARLIER_QUESTION] * (number - 1))[1].tokens
        for number, document in enumerate(turns(documents.documents, settings), 1)
    )
    asked, most_asked = settings.questions, settings.questions * ATTEMPTS
    least = expected(settings.model, asked, tokens, asked * ANSWER)
    least += Estimate(seconds=asked * SECONDS)
    most = expected(settings.model, most_asked, tokens * ATTEMPTS, most_asked * OUTPUT_LIMIT)
    return f"{documents}\nat least {least}; at most {most}"


def turns(documents: Sequence[Document], settings: GenerationSettings) -> Iterator[Document]:
    """The document that each question is about: none comes again before all others have come."""
    rounds = (sample(f"{settings.seed}/turn {turn}", documents, len(documents)) for turn in count())
    return islice(chain.from_iterable(rounds), settings.questions)


def ask_about(
    document: Document, settings: GenerationSettings, attempt: str, earlier: Sequence[str]
) -> tuple[Span, Request]:
    """A passage of a document, and the request for another question on it than the earlier ones;
    the seed and the name of the attempt decide what is drawn."""
    key = f"{settings.seed}/{attempt}"
    length = len(document.text)
    start = number_below(max(0, length - CHARACTERS) + 1, f"{key}/slice")
    end = min(start + CHARACTERS, length)
    shown = sample(f"{key}/earlier", earlier, EARLIER)
    request = Request(
        settings.model,
        messages(document.text[start:end], shown),
        OUTPUT_LIMIT,
        TEMPERATURE,
        seed=number_below(SEEDS, f"{key}/seed"),
        json=True,
    )
    return (start, end), request


def messages(text: str, earlier: Sequence[str]) -> tuple[Message, ...]:
    """What is asked about a passage of a document."""
    example = _about(ASKED["example"], [ASKED["before"]]), ASKED["reply"]
    return conversation(ASKED["rules"], [example], _about(text, earlier))


def _about(text: str, earlier: Sequence[str]) -> str:
    asked = "\n".join(earlier) or "none"
    return f"Text:\n{text}\n\nQuestions asked before:\n{asked}\n\n{ASKED['another']}"


def sample(key: str, items: Sequence[Item], size: int) -> list[Item]:
    """``size`` of the items, or all if they are fewer, in an order drawn as well."""
    order = sorted(range(len(items)), key=lambda i: _digest(f"{key}/{i}"))
    return [items[i] for i in order[:size]]


def number_below(limit: int, key: str) -> int:
    """One of 0 to ``limit`` - 1, all as likely."""
    return int.from_bytes(_digest(key)) % limit


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def read(reply: Reply) -> Proposal:
    """What a reply proposes. A fence of back ticks around the object is taken off; the white space
    in the question becomes single blanks.

    Raises:
        UserError: if it proposes nothing that can be used.
    """
    if reply.finish in UNFINISHED:
        raise UserError(UNFINISHED[reply.finish])
    fenced = FENCE.fullmatch(reply.text)
    try:
        proposal = Proposal.model_validate_json(fenced.group(1) if fenced else reply.text)
    except ValidationError:
        raise UserError(OTHER_FORM) from None
    proposal.question = " ".join(proposal.question.split())
    return proposal


def place(quotations: Sequence[str], text: str, passage: Span) -> list[Span]:
    """The characters of a text behind each quotation, in the order of the reply.

    A quotation has to stand in the passage that was shown: letter by letter, else whatever the
    case, white space, quotation marks, dashes and Unicode form, as in questions of one's own; the
    first place is taken. No two excerpts may share a character.

    Raises:
        UserError: if one quotation is wrong.
    """
    first, shown = passage[0], {"": text[slice(*passage)]}
    excerpts = []
    for words in quotations:
        found = quoted.letter_by_letter(words, shown) or quoted.whatever_the_form(words, shown)
        if not found:
            raise UserError(NOWHERE)
        excerpts.append((first + found[0].start, first + found[0].end))
    if any(before[1] > after[0] for before, after in pairwise(sorted(excerpts))):
        raise UserError(OVERLAP)
    return excerpts


def _excerpt(document: Document, span: Span, documents: Sequence[Document]) -> Quotation:
    """An excerpt as a line of ``questions.jsonl``; any copy of one that recurs will do."""
    start, end = span
    text = document.text[start:end]
    recurs = sum(other.text.count(text) for other in documents) > 1
    return Quotation(document=document.id, start=start, end=end, text=text, anywhere=recurs or None)
