"""What asking a language model would take, said before anybody is asked: boundaries and contexts
(``chunkers/asking_costs``) of whole collections, and questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from chunkstudy.base.places import Places
from chunkstudy.base.spans import Document
from chunkstudy.chunkers.asking_costs import of_boundaries, of_calls
from chunkstudy.collections import gutenqa, registry
from chunkstudy.llm.prices import Estimate
from chunkstudy.runs import facts
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.generation.generate import Candidate, ask_about, turns
from chunkstudy.runs.generation.settings import Settings
from chunkstudy.runs.names import parse_chunker

QUESTION_ANSWER = 200
"""Tokens of a reply that brings a question (Chroma's report, Time & Cost Analysis)."""
QUESTION_SECONDS = 10.0
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
    least = of_calls(settings.model, calls, read, calls * min(QUESTION_ANSWER, limit))
    return least, of_calls(settings.model, calls * more, read * more, calls * more * limit)


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Boundaries that a language model draws once for all conditions that use them."""

    collection: str
    chunker: str
    model: str


def segmentations(conditions: Iterable[Condition]) -> list[Segmentation]:
    """Those that the conditions need, each once, in their order."""
    found = (
        Segmentation(one.collection, spec.name, spec.llm)
        for one in conditions
        if (spec := parse_chunker(one.chunker)).llm
    )
    return list(dict.fromkeys(found))


def cost(segmentation: Segmentation, places: Places) -> tuple[Estimate | None, str]:
    """What drawing the boundaries would take, and on what the number rests; None where the size
    of the collection is not known, and why."""
    entry = registry.find(segmentation.collection)
    known = facts.read(places, f"{segmentation.collection}_facts")
    documents, tokens = entry.documents, entry.tokens
    basis = "roughly, from a size that nobody counted here"
    if not known.empty:
        documents, tokens = int(known["documents"][0]), int(known["wordpiece_tokens"][0])
        basis = "from its texts, counted"
    elif segmentation.collection == "chroma":
        basis = "from its texts, counted"
    if not tokens:
        return None, "nobody has counted its texts; a run says what it takes before it starts"
    if segmentation.collection == gutenqa.FULL:
        basis = "99 of its 100 books are not here and taken to be as long as Emma"
    return of_boundaries(segmentation.chunker, segmentation.model, documents, tokens), basis


def lines(conditions: Iterable[Condition], places: Places) -> Iterator[str]:
    """A line for each segmentation that the conditions need."""
    for one in segmentations(conditions):
        estimate, basis = cost(one, places)
        said = f"not known here: {basis}" if estimate is None else f"{estimate} ({basis})"
        yield f"boundaries of {one.collection}/{one.chunker} by {one.model}\t{said}"
