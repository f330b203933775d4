"""What a generation would take, said before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from chunkstudy.base.estimates import Estimate
from chunkstudy.base.spans import Document
from chunkstudy.llm import estimates
from chunkstudy.runs.generation.generate import Candidate, ask_about, turns
from chunkstudy.runs.generation.settings import Settings

OUTPUT = 200
"""Tokens of a reply (report, Time & Cost Analysis)."""
SECONDS = 10.0
"""Seconds a question took, attempts included (the same place: 3 to 16, 10 on average)."""
PLACEHOLDER = (
    "Which of the several facts that this text states about its subject is asked about here?"
)
"""Stands for an earlier question: 18 cl100k tokens, as Chroma's 472 have on average."""


@dataclass(frozen=True, slots=True)
class Cost:
    """``least`` if the first reply to each question can be used, ``most`` if none can."""

    least: Estimate
    most: Estimate

    def __str__(self) -> str:
        hours = self.least.requests * SECONDS / 3600
        return (
            f"at least {self.least}, about {hours:.1f} hours at {SECONDS:.0f} seconds a question; "
            f"at most {self.most}"
        )


def price(documents: Sequence[Document], settings: Settings) -> Cost:
    """Requests, tokens and dollars of a generation; nothing is asked.

    The passages are those that will be shown first; earlier questions are taken to be as long as
    Chroma's.
    """
    made: list[Candidate] = []
    total = Estimate()
    for number, document in enumerate(islice(turns(documents, settings), settings.questions), 1):
        _, request = ask_about(document, settings, number, 1, made)
        total += estimates.of_requests([request], min(OUTPUT, settings.output_limit))
        made.append(Candidate(number, PLACEHOLDER, document.id, (), 0, True, False))
    more = settings.attempts
    most = replace(
        total,
        requests=total.requests * more,
        input_tokens=total.input_tokens * more,
        output_tokens=settings.questions * settings.output_limit * more,
    )
    written = estimates.of_calls(
        settings.model, most.requests, most.input_tokens, most.output_tokens, most.counted
    )
    return Cost(total, written)
