"""What generating questions would take, said before anybody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from chunkstudy.base.spans import Document
from chunkstudy.chunkers.expected_requests import of_calls
from chunkstudy.llm.prices import Estimate
from chunkstudy.runs.generation.generate import Candidate, ask_about, turns
from chunkstudy.runs.generation.settings import Settings

ANSWER = 200
"""Tokens of a reply that brings a question (Chroma's report, Time & Cost Analysis)."""
SECONDS = 10.0
"""Seconds a question took, attempts included (the same place: 3 to 16, 10 on average)."""
EARLIER_QUESTION = (
    "Which of the several facts that this text states about its subject is asked about here?"
)
"""18 cl100k tokens, as Chroma's 472 have on average."""


def of_questions(documents: Sequence[Document], settings: Settings) -> tuple[Estimate, Estimate]:
    """What generating questions would take at least, if the first reply to each can be used, and at
    most, if none can; passages are those that will be shown first."""
    read = 0
    made: list[Candidate] = []
    for number, document in enumerate(islice(turns(documents, settings), settings.questions), 1):
        _, request = ask_about(document, settings, number, 1, made)
        read += request.tokens
        made.append(Candidate(number, EARLIER_QUESTION, document.id, (), 0, True, False))
    calls, limit, more = settings.questions, settings.output_limit, settings.attempts
    least = of_calls(settings.model, calls, read, calls * min(ANSWER, limit))
    return least, of_calls(settings.model, calls * more, read * more, calls * more * limit)
