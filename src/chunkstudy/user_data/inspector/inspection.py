"""What became of a question: where its judged excerpts lie among the chunks, and why one is missed.

A cause is decided from offsets and ranks alone, on the excerpt of which most is missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection, Judgment, Query, Span
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking

MEASURES = ("SpanRecall", "SpanPrecision", "SpanIoU")
AROUND = 300
"""Characters of text shown either side of an excerpt."""
FOUND = "found"
CUT = "cut by a boundary"
LOW = "ranked too low"
UNREAD = "beyond the window"
UNCHUNKED = "in no chunk"
CAUSES = {
    FOUND: "every judged character lies in the first chunks",
    CUT: "part of the excerpt was retrieved, the rest lies in a chunk that was not",
    LOW: "other chunks come before those that hold the excerpt",
    UNREAD: "the encoder's window ends before the excerpt begins in its chunk",
    UNCHUNKED: "the missed characters lie in no chunk at all",
}


class RankedChunk(NamedTuple):
    """A chunk as one question sees it.

    Attributes:
        place: its number among the chunks of its document, from 1.
        rank: among all chunks of the collection, from 1; after all others where nothing ranks it.
        score: the similarity to the question, 0 where nothing ranks it.
        retrieved: whether it is among the first.
        read_to: the offset in the document where the encoder's window ends, at most ``end``.
    """

    document: str
    start: int
    end: int
    place: int
    rank: int
    score: float
    retrieved: bool
    read_to: int

    def shared(self, span: Judgment, around: int = 0) -> range:
        """The characters that it has in common with a judged span and so many around it."""
        if self.document != span.document:
            return range(0)
        return range(max(self.start, span.start - around), min(self.end, span.end + around))


@dataclass(frozen=True)
class Inspection:
    """One question under one system, the first ``k`` chunks taken as read.

    Attributes:
        system: what the way of chunking is called.
        excerpts: what is judged to answer the question.
        chunks: those that are retrieved or stand around an excerpt, in the order of their
            documents.
        measures: ``MEASURES`` at ``k``, as fractions.
    """

    system: str
    query: Query
    k: int
    excerpts: tuple[Judgment, ...]
    chunks: tuple[RankedChunk, ...]
    measures: dict[str, float]

    @property
    def retrieved(self) -> list[RankedChunk]:
        """The first chunks, best first."""
        return sorted((chunk for chunk in self.chunks if chunk.retrieved), key=lambda c: c.rank)

    def touching(self, excerpt: Judgment, around: int = 0) -> list[RankedChunk]:
        """The chunks that share a character with an excerpt, or with so many around it."""
        return [chunk for chunk in self.chunks if chunk.shared(excerpt, around)]

    def judged(self, document: str) -> list[Span]:
        """What is judged of a document."""
        return [(e.start, e.end) for e in self.excerpts if e.document == document]

    def missed(self, excerpt: Judgment) -> set[int]:
        """The offsets of an excerpt that lie in none of the first chunks."""
        return {*range(excerpt.start, excerpt.end)}.difference(
            *(chunk.shared(excerpt) for chunk in self.retrieved)
        )

    @cached_property
    def diagnosis(self) -> tuple[str, str]:
        """The cause, a key of ``CAUSES``, and a sentence that gives it in figures."""
        worst = max(self.excerpts, key=lambda excerpt: len(self.missed(excerpt)))
        missed, length = self.missed(worst), worst.end - worst.start
        if not missed:
            return FOUND, f"Every judged character lies in the first {self.k} chunks."
        name = f"excerpt {self.excerpts.index(worst) + 1}" if self.excerpts[1:] else "the excerpt"
        lost = f"{len(missed):,} of {length:,} characters of {name}"
        holding = [chunk for chunk in self.touching(worst) if missed & {*chunk.shared(worst)}]
        if not holding:
            return UNCHUNKED, f"{lost} lie in no chunk."
        best = min(chunk.rank for chunk in holding)
        sentence = f"{lost} are missed; the best chunk with some of them has rank {best:,}."
        if len(missed) < length:
            return CUT, sentence
        read = any(chunk.read_to > max(chunk.start, worst.start) for chunk in holding)
        return LOW if read else UNREAD, sentence

    @property
    def cause(self) -> str:
        """Why the excerpt of which most is missed was missed, or ``FOUND``."""
        return self.diagnosis[0]


def inspect(
    system: str,
    collection: Collection,
    chunks: Chunks,
    ranking: Ranking,
    read_to: NDArray[np.int64],
    k: int,
) -> list[Inspection]:
    """Every question of a collection under a system, in its order.

    Args:
        system: what the way of chunking is called.
        collection: judged at the places that are to be found.
        chunks: of the collection.
        ranking: every chunk for every question, but those that share no word where words decide.
        read_to: shape (chunks,), offsets where the encoder's window ends.
        k: chunks taken as read.
    """
    overlap = TokenOverlap.of(collection, chunks, CORRECTED.hit)
    values = overlap.at(ranking.chunk, min(k, len(chunks)))
    judged, inspections = relevant(collection), []
    place = np.arange(len(chunks)) - np.searchsorted(chunks.document, chunks.document) + 1
    for i, query in enumerate(collection.queries):
        excerpts = tuple(judged[query.id])
        order = ranking.chunk[i][ranking.chunk[i] != NO_CHUNK]
        rank, score = np.full(len(chunks), len(order) + 1), np.zeros(len(chunks))
        rank[order], score[order] = np.arange(len(order)) + 1, ranking.score[i, : len(order)]
        first = {*order[:k].tolist()}
        seen = [
            RankedChunk(
                collection.documents[int(chunks.document[chunk])].id,
                int(chunks.start[chunk]),
                int(chunks.end[chunk]),
                int(place[chunk]),
                int(rank[chunk]),
                float(score[chunk]),
                chunk in first,
                int(read_to[chunk]),
            )
            for chunk in first | _near(excerpts, chunks, collection.positions)
        ]
        measures = {name: float(values[name][i]) for name in MEASURES}
        inspections.append(Inspection(system, query, k, excerpts, tuple(sorted(seen)), measures))
    return inspections


def relevant(collection: Collection) -> dict[str, list[Judgment]]:
    """The judged excerpts of each question, without those of grade 0, which answer nothing."""
    judgments = collection.judgments_by_query()
    return {query: [j for j in of_query if j.grade > 0] for query, of_query in judgments.items()}


def _near(excerpts: Iterable[Judgment], chunks: Chunks, positions: dict[str, int]) -> set[int]:
    """Chunks that share a character with an excerpt or what stands around it."""
    near: set[int] = set()
    for excerpt in excerpts:
        of_document = chunks.document == positions[excerpt.document]
        begun, left = chunks.start < excerpt.end + AROUND, chunks.end > excerpt.start - AROUND
        near |= {*np.flatnonzero(of_document & begun & left).tolist()}
    return near
