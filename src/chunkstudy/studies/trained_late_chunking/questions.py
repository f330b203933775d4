"""Questions, each with a document and the place in it that answers it; and which of them
are trained on, decide which weights are kept, and are tested on: documents, never shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkstudy.base.spans import Collection
from chunkstudy.studies.trained_late_chunking.parts import FOLDS

Source = tuple[str, str]
"""A collection and a document in it."""
DEALT = 0
"""Seed of the order in which papers are dealt to folds."""
VALIDATION = 0.1
"""The share of the papers left for training that decides which weights are kept."""


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """``document[start:end]`` answers the question; offsets in characters.

    Attributes:
        collection: where it comes from, since ids are unique within one only.
        query: id of the question.
        question: its text.
        document: id of the document.
    """

    collection: str
    query: str
    question: str
    document: str
    start: int
    end: int

    @property
    def source(self) -> Source:
        """What tells the document from those of other collections."""
        return self.collection, self.document


def triples(collection: Collection) -> list[Triple]:
    """One for every judged span; a question judged on several gives several."""
    text = {query.id: query.text for query in collection.queries}
    return [
        Triple(collection.name, span.query, text[span.query], span.document, span.start, span.end)
        for span in collection.judgments
    ]


def split(
    papers: Sequence[Source], corpora: Sequence[Source], fold: int
) -> tuple[set[Source], set[Source], set[Source]]:
    """What a fold trains on, validates on and tests on, no two of which share any document; each
    paper and each corpus is tested on in exactly one fold.

    Papers are shuffled and dealt out, corpora left out one by one in their order. Corpora are few
    and large, so validation takes papers only.
    """
    names = sorted(papers)
    shuffled = [names[i] for i in np.random.default_rng(DEALT).permutation(len(names))]
    test = {*shuffled[fold::FOLDS], *sorted(corpora)[fold::FOLDS]}
    rest = [paper for paper in shuffled if paper not in test]
    validation = set(rest[: max(1, round(VALIDATION * len(rest)))])
    return {*rest, *corpora} - validation - test, validation, test
