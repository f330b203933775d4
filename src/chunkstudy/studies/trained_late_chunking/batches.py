"""Questions trained on together: those of one document first, within a budget of tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.contextualized import Ids, Layout, TokenSpans
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking.passages import Passages, excerpt
from chunkstudy.studies.trained_late_chunking.questions import Triple

Library = Mapping[tuple[str, str], Passages]
"""Passages by collection and document id."""


@dataclass(frozen=True)
class Batch:
    """Questions and passages, the same whichever way the passages are read.

    Attributes:
        questions: their texts, one for each triple.
        positive: (questions,), the passage that holds most of the answer.
        relevant: (questions, passages), all passages that hold any of an answer to the question.
        alone: what plain encoding reads of each passage.
        layouts: of each document the windows read in context.
        tokens: of each document, (its passages, 2) in its layout's sequence; passages follow each
            other document by document.
    """

    questions: tuple[str, ...]
    positive: NDArray[np.int64]
    relevant: NDArray[np.bool_]
    alone: tuple[Ids, ...]
    layouts: tuple[Layout, ...]
    tokens: tuple[TokenSpans, ...]

    @property
    def read(self) -> int:
        """Tokens of its windows."""
        return sum(layout.tokens for layout in self.layouts)


def read_whole(triples: Sequence[Triple], library: Library) -> list[Triple]:
    """Those whose passage plain encoding reads to its end: of a longer one the model may never see
    the answer, and an arm that reads passages alone would learn from less than one in context."""
    return [one for one in triples if library[one.source].whole[library[one.source].best(one)]]


def stream(triples: Sequence[Triple], library: Library, budget: int, seed: int) -> Iterator[Batch]:
    """Batches without end: documents in another order each time, the questions of one together and
    in the order of their answers, so that a window is read once for all of them.

    A batch is full when the next question's windows would take it past the budget; what is left at
    the end of one pass begins the next, and no batch is without a passage to be told from.

    Args:
        triples: to train on.
        library: the passages of their documents.
        budget: tokens of windows.
        seed: of the order of documents; with it the stream is always the same.

    Raises:
        StudyError: if all answers lie in one passage that nothing can be told from.
    """
    random = np.random.default_rng(seed)
    held: list[Triple] = []
    while True:
        shuffled = _in_order(triples, library, random)
        *full, held = _groups([*held, *shuffled], triples, library, budget)
        if not full:
            _check([held], triples, library, "train")
            full, held = [held], []
        for group in full:
            yield gather(group, triples, library)


def once(triples: Sequence[Triple], library: Library, budget: int) -> list[Batch]:
    """Every triple once, in a fixed order, for validation; a last one that would be alone with its
    passage joins those before it, past the budget.

    Raises:
        StudyError: if all answers lie in one passage that nothing can be told from.
    """
    groups = _groups(sorted(triples), triples, library, budget)
    if len(groups) > 1 and not _enough(groups[-1], triples, library):
        last = groups.pop()
        groups[-1] += last
    _check(groups, triples, library, "validate")
    return [gather(group, triples, library) for group in groups]


def _groups(
    ordered: Sequence[Triple], triples: Sequence[Triple], library: Library, budget: int
) -> list[list[Triple]]:
    """Triples in their order, those of a batch together; the last group may not be full."""
    groups: list[list[Triple]] = [[]]
    for triple in ordered:
        over = _tokens([*groups[-1], triple], library) > budget
        if over and _enough(groups[-1], triples, library):
            groups.append([])
        groups[-1].append(triple)
    return groups


def _check(
    groups: Sequence[Sequence[Triple]], triples: Sequence[Triple], library: Library, purpose: str
) -> None:
    if not _enough(groups[-1], triples, library):
        raise StudyError(
            f"the questions to {purpose} on are all answered by one passage of one document; give "
            "at least two passages"
        )


def gather(held: Sequence[Triple], triples: Sequence[Triple], library: Library) -> Batch:
    """A batch of some triples.

    Args:
        held: the triples of the batch.
        triples: all of them, for the other answers to a question: these are not wrong.
        library: the passages of their documents.
    """
    answers: dict[tuple[tuple[str, str], str], list[Triple]] = defaultdict(list)
    for one in triples:
        answers[one.source, one.query].append(one)
    alone: list[Ids] = []
    layouts, tokens = [], []
    rows: list[tuple[Triple, Passages, NDArray[np.int64], int]] = []
    for source, of_document in _by_document(held).items():
        document = library[source]
        layout, here, places = excerpt(document, _windows(document, of_document))
        rows += [(one, document, here, len(alone)) for one in of_document]
        alone += [document.alone[i] for i in here]
        layouts.append(layout)
        tokens.append(places)
    positive = np.zeros(len(rows), dtype=np.int64)
    relevant = np.zeros((len(rows), len(alone)), dtype=np.bool_)
    for row, (one, document, here, first) in enumerate(rows):
        positive[row] = first + int(np.searchsorted(here, document.best(one)))
        for answer in answers[one.source, one.query]:
            shared = document.shared(answer.start, answer.end)[here] > 0
            relevant[row, first : first + len(here)] |= shared
    questions = tuple(one.question for one, *_ in rows)
    return Batch(questions, positive, relevant, tuple(alone), tuple(layouts), tuple(tokens))


def _in_order(
    triples: Sequence[Triple], library: Library, random: np.random.Generator
) -> Iterator[Triple]:
    grouped = _by_document(sorted(triples))
    sources = sorted(grouped)
    for i in random.permutation(len(sources)).tolist():
        document = library[sources[i]]
        yield from sorted(grouped[sources[i]], key=lambda one: (document.best(one), one))


def _by_document(triples: Sequence[Triple]) -> dict[tuple[str, str], list[Triple]]:
    grouped: dict[tuple[str, str], list[Triple]] = defaultdict(list)
    for one in triples:
        grouped[one.source].append(one)
    return grouped


def _windows(document: Passages, triples: Sequence[Triple]) -> list[int]:
    return sorted({i for one in triples for i in document.windows(document.best(one))})


def _tokens(triples: Sequence[Triple], library: Library) -> int:
    return sum(
        len(library[source].layout.windows[i])
        for source, of_document in _by_document(triples).items()
        for i in _windows(library[source], of_document)
    )


def _enough(held: Sequence[Triple], triples: Sequence[Triple], library: Library) -> bool:
    """Whether the windows of some triples hold a passage that a question's own can be told from."""
    return bool(held) and not gather(held, triples, library).relevant.all()
