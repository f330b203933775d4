"""What became of one query: where its judged excerpts lie among the chunks, and why any was missed.

Everything is computed from the chunks, their vectors and the judged spans; nothing is rendered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Judgment, Query, Span
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.runs import chunking
from chunkstudy.runs.conditions import Condition, EmbeddingMethod
from chunkstudy.runs.encoding import encode_both
from chunkstudy.runs.store import VectorStore

MEASURES = ("SpanRecall", "SpanPrecision", "SpanIoU")
SCORED = (AS_PUBLISHED_CHROMA.name, CORRECTED.name)
"""Protocols of token overlap; measures are given under each, and under the one that is drawn."""


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk as one query sees it.

    Attributes:
        place: its number among the chunks of its document, from 1; ``places`` counts them.
        rank: among all chunks of the collection, from 1.
        score: cosine similarity to the query.
        read_to: the offset in the document where the encoder's window ends, at most ``end``.
        rewritten: whether the embedded text is not the source between the offsets.
    """

    document: str
    start: int
    end: int
    place: int
    places: int
    rank: int
    score: float
    read_to: int
    rewritten: bool

    def shared(self, document: str, start: int, end: int) -> Span | None:
        """What the chunk has in common with a span of a document; None if nothing."""
        low, high = max(self.start, start), min(self.end, end)
        return (low, high) if self.document == document and low < high else None

    def holds(self, document: str, start: int, end: int) -> bool:
        """Whether the whole span lies in the chunk."""
        return self.shared(document, start, end) == (start, end)


class Alone(NamedTuple):
    """How an excerpt would fare as a chunk of its own."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A judged excerpt among the chunks.

    Attributes:
        number: from 1 among the excerpts of its query.
        text: the document's characters from ``start`` to ``end``.
        chunks: those that share a character with it, in the order of the document.
        around: those that share a character with it or its surroundings, in the same order.
        found: shape (end - start,), whether each character lies in one of the first chunks.
        chunked: the same, whether it lies in any chunk.
        complete_at: how many of the first chunks hold it whole; None if all together do not.
        alone: the rank and score it would have as a chunk of its own; None where words decide.
        copies: chunks among the first that hold the same words at another place.
    """

    number: int
    document: str
    start: int
    end: int
    text: str
    chunks: tuple[RankedChunk, ...]
    around: tuple[RankedChunk, ...]
    found: NDArray[np.bool_]
    chunked: NDArray[np.bool_]
    complete_at: int | None
    alone: Alone | None
    copies: tuple[RankedChunk, ...]

    @property
    def missed(self) -> int:
        """Characters that lie in none of the first chunks."""
        return int((~self.found).sum())

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Inspection:
    """One query under one condition, the first ``depth`` chunks taken as read.

    Attributes:
        measures: ``SpanRecall``, ``SpanPrecision`` and ``SpanIoU`` at the depth, as fractions.
        chunk_count: chunks of the whole collection.
    """

    condition: Condition
    query: Query
    depth: int
    excerpts: tuple[Excerpt, ...]
    retrieved: tuple[RankedChunk, ...]
    measures: dict[str, float]
    chunk_count: int

    @property
    def complete_at(self) -> int | None:
        """How many of the first chunks hold every excerpt whole; None if all together do not."""
        found = [excerpt.complete_at for excerpt in self.excerpts]
        return None if None in found else max((n for n in found if n is not None), default=None)


@dataclass(frozen=True)
class Searched:
    """A collection chunked, embedded and ranked in full for each of its queries.

    Attributes:
        store: the encoder; None where words decide as well.
        query_vectors: None of a store that is.
        ranking: every chunk for every query, but those that share no word where words decide.
        read_to: shape (chunks,), offsets; -1 where the window has not been looked up yet.
        found: the collection judged at the places that are found, where any copy of an excerpt
            will do; None where it is judged at its own.
    """

    condition: Condition
    collection: Collection
    store: VectorStore | None
    chunks: Chunks
    query_vectors: NDArray[np.float32] | None
    ranking: retrieval.Ranking
    read_to: NDArray[np.int64] = field(repr=False)
    found: Collection | None = None

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number of each chunk in its document from 1, and how many there are; shape (chunks,)."""
        order = np.argsort(self.chunks.document, kind="stable")
        count = np.bincount(self.chunks.document, minlength=len(self.collection.documents))
        place = np.empty(len(self.chunks), dtype=np.int64)
        first = np.cumsum(count) - count
        place[order] = np.arange(len(order)) - first[self.chunks.document[order]] + 1
        return place, count[self.chunks.document]

    @cached_property
    def judged(self) -> dict[str, list[Judgment]]:
        """Query id to its relevant judgments."""
        return _relevant(self.collection)

    def measures(self, depth: int) -> dict[str, NDArray[np.float64]]:
        """``SpanRecall``, ``SpanPrecision`` and ``SpanIoU``, each of shape (queries,)."""
        hit = self.condition.rules.hit
        overlap = TokenOverlap.of(self.found or self.collection, self.chunks, hit)
        found = overlap.at(self.ranking.chunk, min(depth, len(self.chunks)))
        return {name: found[name] for name in MEASURES}

    def inspect(self, depth: int, context: int) -> list[Inspection]:
        """Every query of the collection, in its order.

        Args:
            context: characters either side of an excerpt whose chunks are wanted too.
        """
        values = self.measures(depth)
        alone = self._alone()
        self._look_up_windows(depth, context)
        return [
            self._inspect_one(
                i, depth, context, alone[query.id], {n: float(v[i]) for n, v in values.items()}
            )
            for i, query in enumerate(self.collection.queries)
        ]

    def _inspect_one(
        self,
        i: int,
        depth: int,
        context: int,
        alone: list[Alone | None],
        measures: dict[str, float],
    ) -> Inspection:
        order = self.ranking.chunk[i]
        order = order[order >= 0]
        rank = np.full(len(self.chunks), len(order) + 1)  # after all where nothing ranks it
        rank[order] = np.arange(1, len(order) + 1)
        score = np.append(self.ranking.score[i, : len(order)], 0)

        def seen(chunk: int) -> RankedChunk:
            return self._ranked(chunk, int(rank[chunk]), float(score[rank[chunk] - 1]))

        query = self.collection.queries[i]
        retrieved = tuple(seen(int(chunk)) for chunk in order[:depth])
        excerpts = []
        places = _relevant(self.found or self.collection)[query.id]
        for number, judgment in enumerate(self.judged[query.id], start=1):
            around = tuple(seen(chunk) for chunk in self._around(judgment, context))
            one = self._excerpt(judgment, number, around, retrieved, alone[number - 1])
            place = places[number - 1]
            if place != judgment:
                copy = (place.document, place.start, place.end)
                holding = [seen(chunk) for chunk in self._around(place, 0)]
                whole = _complete_at(copy, holding)
                one = replace(one, found=covered(copy, retrieved), complete_at=whole)
            excerpts.append(one)
        return Inspection(
            self.condition, query, depth, tuple(excerpts), retrieved, measures, len(self.chunks)
        )

    def _excerpt(
        self,
        judgment: Judgment,
        number: int,
        around: tuple[RankedChunk, ...],
        retrieved: tuple[RankedChunk, ...],
        alone: Alone | None,
    ) -> Excerpt:
        span = (judgment.document, judgment.start, judgment.end)
        documents = self.collection.documents
        texts = {one: documents[at].text for one, at in self._positions.items()}
        text = texts[judgment.document][judgment.start : judgment.end]
        touching = tuple(chunk for chunk in around if chunk.shared(*span))
        copies = () if all(chunk.rank <= len(retrieved) for chunk in touching) else retrieved
        same = re.compile(r"\s+".join(map(re.escape, text.split())))
        copies = tuple(
            chunk
            for chunk in copies
            if not chunk.shared(*span)
            and same.search(texts[chunk.document][chunk.start : chunk.end])
        )
        return Excerpt(
            number,
            *span,
            text,
            touching,
            around,
            found=covered(span, retrieved),
            chunked=covered(span, touching),
            complete_at=_complete_at(span, touching),
            alone=alone,
            copies=copies,
        )

    @cached_property
    def _positions(self) -> dict[str, int]:
        return self.collection.positions

    def _around(self, judgment: Judgment, context: int) -> list[int]:
        """Chunks that share a character with the judged span and its surroundings."""
        chunks = self.chunks
        near = (
            (chunks.document == self._positions[judgment.document])
            & (chunks.start < judgment.end + context)
            & (chunks.end > judgment.start - context)
            & (chunks.start < chunks.end)
        )
        found = np.flatnonzero(near)
        order = np.lexsort((found, chunks.end[found], chunks.start[found]))
        return [int(chunk) for chunk in found[order]]

    def _ranked(self, chunk: int, rank: int, score: float) -> RankedChunk:
        document = self.collection.documents[int(self.chunks.document[chunk])]
        start, end = int(self.chunks.start[chunk]), int(self.chunks.end[chunk])
        place, places = self.places
        text = self.chunks.text
        return RankedChunk(
            document.id,
            start,
            end,
            int(place[chunk]),
            int(places[chunk]),
            rank,
            score,
            read_to=end if self.read_to[chunk] < 0 else int(self.read_to[chunk]),
            rewritten=text is not None and text[chunk] != document.text[start:end],
        )

    def _alone(self) -> dict[str, list[Alone | None]]:
        """Query id to how each of its excerpts would fare as a chunk of its own."""
        if self.store is None or self.query_vectors is None:
            return {query: [None] * len(judgments) for query, judgments in self.judged.items()}
        texts = {document.id: document.text for document in self.collection.documents}
        found: dict[str, list[Alone | None]] = {}
        rows = [(i, j) for i, q in enumerate(self.collection.queries) for j in self.judged[q.id]]
        vectors = self.store.encode([texts[j.document][j.start : j.end] for _, j in rows])
        for (i, judgment), vector in zip(rows, vectors, strict=True):
            query = self.query_vectors[i].astype(np.float64)
            score = np.float32(query @ vector.astype(np.float64))
            better = int((self.ranking.score[i] > score).sum())
            found.setdefault(judgment.query, []).append(Alone(better + 1, float(score)))
        return {query.id: found.get(query.id, []) for query in self.collection.queries}

    def _look_up_windows(self, depth: int, context: int) -> None:
        """Fill ``read_to`` for the chunks that will be shown."""
        encoder = self.store.encoder if self.store else None
        if not isinstance(encoder, TransformerEncoder) or (self.read_to >= 0).all():
            return
        wanted = {int(c) for c in self.ranking.chunk[:, :depth].ravel() if c >= 0}
        for judgments in self.judged.values():
            for judgment in judgments:
                wanted.update(self._around(judgment, context))
        chunks = np.array(sorted(wanted), dtype=np.int64)
        only = self.chunks.only(chunks)
        lengths = encoder.characters_read(only.texts(self.collection.documents))
        # The embedded text may be rewritten; then the end of the window is only near.
        self.read_to[chunks] = np.minimum(only.start + lengths, only.end)


def search(
    condition: Condition,
    collection: Collection,
    store: VectorStore,
    boundaries: VectorStore | None = None,
) -> Searched:
    """Chunk, embed and rank in full; vectors at hand are not computed again.

    Raises:
        ConditionError: if another model draws the boundaries and ``boundaries`` was not given.
    """
    chunks = chunking.chunk(condition, collection, store, boundaries=boundaries)
    vectors, _ = encode_both(
        store, collection, chunks, EmbeddingMethod(), condition.rules, label=condition.chunker
    )
    ranking = retrieval.search(*vectors, len(chunks))
    unknown = np.full(len(chunks), -1, dtype=np.int64)
    return Searched(condition, collection, store, chunks, vectors.queries, ranking, unknown)


def _relevant(collection: Collection) -> dict[str, list[Judgment]]:
    found = collection.judgments_by_query()
    return {query: [j for j in judgments if j.grade > 0] for query, judgments in found.items()}


def covered(span: tuple[str, int, int], chunks: Sequence[RankedChunk]) -> NDArray[np.bool_]:
    """Shape (characters of the span,): whether each lies in one of the chunks."""
    found = np.zeros(span[2] - span[1], dtype=np.bool_)
    for chunk in chunks:
        if shared := chunk.shared(*span):
            found[shared[0] - span[1] : shared[1] - span[1]] = True
    return found


def _complete_at(span: tuple[str, int, int], chunks: Sequence[RankedChunk]) -> int | None:
    by_rank = sorted(chunks, key=lambda chunk: chunk.rank)
    for count, chunk in enumerate(by_rank, start=1):
        if covered(span, by_rank[:count]).all():
            return chunk.rank
    return None
