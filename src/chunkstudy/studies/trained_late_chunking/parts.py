"""The parts of the study: a model each, by how it was trained and which documents are left out; and
its questions, each with a document and the place in it that answers it: which of them are trained
on, decide which weights are kept, and are tested on never shares a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkstudy.core.spans import Collection
from chunkstudy.pipeline.conditions import CONTEXTUALIZED

UNTRAINED, ALONE, CONTEXT, MIXED = "untrained", "alone", "context", "mixed"
SYSTEMS = (UNTRAINED, ALONE, CONTEXT, MIXED)
"""Not trained, passages read alone, pooled from the windows of their document, or one and the other
in turn."""
WINDOW = 512
"""Where late chunking costs this model most."""
FOLDS = 5
Source = tuple[str, str]
"""A collection and a document in it."""
DEALT = 0
"""Seed of the order in which papers are dealt to folds."""
WARM_UP, DECAY, CLIP = 0.1, 0.01, 1.0
"""The share of the steps until the highest learning rate; AdamW's decay of matrices, while biases
and norms have none; the longest gradient."""
VALIDATION = 0.1
"""The share of the papers left for training that decides which weights are kept."""


@dataclass(frozen=True, slots=True)
class Part:
    """One model, with what decides its weights.

    Temperature, optimiser and schedule are customary: all-MiniLM-L6-v2 was itself made with cosines
    times 20 and AdamW at 2e-5 (its model card), at a batch far larger than fits here. They were
    set once and not searched.

    Attributes:
        system: how passages are read in training, one of ``SYSTEMS``.
        fold: which documents are left out.
        window: tokens that late chunking reads together, special ones included.
        seed: of the order of documents.
        steps: of the optimiser, the same for every system.
        tokens: of windows a batch.
        temperature: see :func:`~chunkstudy.studies.trained_late_chunking.loop.info_nce`.
        rate: the highest learning rate, reached by a straight line and left by one to 0.
        every: steps between two looks at the validation part.
    """

    system: str
    fold: int
    window: int = WINDOW
    seed: int = 0
    steps: int = 120
    tokens: int = 2048
    temperature: float = 0.05
    rate: float = 5e-5
    every: int = 40

    @property
    def model(self) -> str:
        """What tells the model from the others: ``context-512-fold-0-seed-0``."""
        seed = f"-seed-{self.seed}" if self.system != UNTRAINED else ""
        return f"{self.system}-{self.window}-fold-{self.fold}{seed}"

    @property
    def name(self) -> str:
        """Of the part, which tests the model within documents."""
        return f"within/{self.model}"

    @property
    def ordering(self) -> str:
        """Of late chunking."""
        return f"{CONTEXTUALIZED}-{self.window}"

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warm = max(1, round(WARM_UP * self.steps))
        rising, falling = (step + 1) / warm, (self.steps - step) / max(1, self.steps - warm)
        return self.rate * min(1.0, rising, falling)

    def in_context(self, step: int) -> bool:
        """Whether a step pools its passages from their documents."""
        return self.system == CONTEXT or (self.system == MIXED and step % 2 == 0)


PLAN = tuple(
    Part(system, fold) for fold in range(FOLDS) for system in (UNTRAINED, CONTEXT, ALONE, MIXED)
)
"""Every part, in the order in which it is most worth having."""


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
