"""What became of one query: where its judged excerpts lie among the chunks, and why any was missed.

Everything is computed from the chunks, their vectors and the judged spans; nothing is rendered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.base.spans import Chunks, Collection, Judgment, Query, Span
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.evaluation.measures.token_overlap import Hit, TokenOverlap
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

    def near(self, window: Span) -> list[RankedChunk]:
        """The chunks that share a character with a window around it."""
        return [chunk for chunk in self.around if chunk.shared(self.document, *window)]


@dataclass(frozen=True, slots=True)
class Inspection:
    """One query under one way of chunking, the first ``depth`` chunks taken as read.

    Attributes:
        measures: ``SpanRecall``, ``SpanPrecision`` and ``SpanIoU`` at the depth, as fractions.
        chunk_count: chunks of the whole collection.
    """

    query: Query
    depth: int
    excerpts: tuple[Excerpt, ...]
    retrieved: tuple[RankedChunk, ...]
    measures: dict[str, float]
    chunk_count: int

    @property
    def complete_at(self) -> int | None:
        """How many of the first chunks hold every excerpt whole; None if all together do not."""
        counts = [excerpt.complete_at for excerpt in self.excerpts]
        return None if None in counts else max((n for n in counts if n is not None), default=None)

    def judged_spans(self, document: str) -> list[Span]:
        """The judged spans in one document."""
        return [(e.start, e.end) for e in self.excerpts if e.document == document]

    def judged_characters(self, chunk: RankedChunk) -> int:
        """How many characters of a chunk are judged."""
        flags = np.zeros(chunk.end - chunk.start, dtype=np.bool_)
        for low, high in self.judged_spans(chunk.document):
            flags[max(0, low - chunk.start) : max(0, high - chunk.start)] = True
        return int(flags.sum())


@dataclass(frozen=True)
class Searched:
    """A collection chunked, embedded and ranked in full for each of its queries.

    Attributes:
        encoder: what ranks, by its slug.
        ranking: every chunk for every query, but those that share no word where words decide.
        hit: of the protocol.
        store: the encoder; None where words decide as well.
        query_vectors: None of a store that is.
        read_to: shape (chunks,), offsets where the encoder's window ends; None where the store
            tells.
        found: the collection judged at the places that are found, where any copy of an excerpt
            will do; None where it is judged at its own.
    """

    encoder: str
    collection: Collection
    chunks: Chunks
    ranking: retrieval.Ranking
    hit: Hit
    store: VectorStore | None = None
    query_vectors: NDArray[np.float32] | None = None
    read_to: NDArray[np.int64] | None = None
    found: Collection | None = None

    def measures(self, depth: int) -> dict[str, NDArray[np.float64]]:
        """``SpanRecall``, ``SpanPrecision`` and ``SpanIoU``, each of shape (queries,)."""
        overlap = TokenOverlap.of(self.found or self.collection, self.chunks, self.hit)
        values = overlap.at(self.ranking.chunk, min(depth, len(self.chunks)))
        return {name: values[name] for name in MEASURES}

    def inspect(self, depth: int, context: int) -> list[Inspection]:
        """Every query of the collection, in its order.

        Args:
            depth: chunks taken as read.
            context: characters either side of an excerpt whose chunks are wanted too.
        """
        measures, alone = self.measures(depth), self._alone()
        places = _relevant(self.found or self.collection)
        inspections = []
        for i, query in enumerate(self.collection.queries):
            seen, first = self._seen_by(i), self.ranking.chunk[i, :depth]
            retrieved = tuple(seen(chunk) for chunk in first[first >= 0].tolist())
            excerpts = tuple(
                self._excerpt(number, judgment, place, seen, retrieved, alone, context)
                for number, (judgment, place) in enumerate(
                    zip(self._judged[query.id], places[query.id], strict=True), start=1
                )
            )
            values = {name: float(of_queries[i]) for name, of_queries in measures.items()}
            inspections.append(
                Inspection(query, depth, excerpts, retrieved, values, len(self.chunks))
            )
        return inspections

    def _seen_by(self, query: int) -> Callable[[int], RankedChunk]:
        """Any chunk as a query sees it."""
        order = self.ranking.chunk[query]
        order = order[order >= 0]
        rank = np.full(len(self.chunks), len(order) + 1)  # after all where nothing ranks it
        rank[order] = np.arange(1, len(order) + 1)
        score = np.append(self.ranking.score[query, : len(order)], 0)
        of, rewritten = self.chunks.document, self.chunks.text
        first = np.searchsorted(of, of)

        def seen(chunk: int) -> RankedChunk:
            document = self.collection.documents[int(of[chunk])]
            start, end = int(self.chunks.start[chunk]), int(self.chunks.end[chunk])
            return RankedChunk(
                document.id,
                start,
                end,
                place=chunk - int(first[chunk]) + 1,
                places=int(np.searchsorted(of, of[chunk], side="right") - first[chunk]),
                rank=int(rank[chunk]),
                score=float(score[rank[chunk] - 1]),
                read_to=int(self._read_to[chunk]),
                rewritten=rewritten is not None and rewritten[chunk] != document.text[start:end],
            )

        return seen

    def _excerpt(
        self,
        number: int,
        judgment: Judgment,
        place: Judgment,
        seen: Callable[[int], RankedChunk],
        retrieved: tuple[RankedChunk, ...],
        alone: Mapping[Judgment, Alone],
        context: int,
    ) -> Excerpt:
        """A judged excerpt; ``place`` is where it is found, its own or that of a copy."""
        span = (judgment.document, judgment.start, judgment.end)
        around = tuple(seen(chunk) for chunk in self._around(judgment, context))
        touching = tuple(chunk for chunk in around if chunk.shared(*span))
        holding, found_at = touching, (place.document, place.start, place.end)
        if place != judgment:
            holding = tuple(seen(chunk) for chunk in self._around(place, 0))
        text = self._texts[judgment.document][judgment.start : judgment.end]
        same = re.compile(r"\s+".join(map(re.escape, text.split())))
        copies = () if all(chunk.rank <= len(retrieved) for chunk in touching) else retrieved
        return Excerpt(
            number,
            *span,
            text,
            touching,
            around,
            found=covered(found_at, retrieved),
            chunked=covered(span, touching),
            complete_at=_complete_at(found_at, holding),
            alone=alone.get(judgment),
            copies=tuple(
                chunk
                for chunk in copies
                if not chunk.shared(*span)
                and same.search(self._texts[chunk.document][chunk.start : chunk.end])
            ),
        )

    @cached_property
    def _judged(self) -> dict[str, list[Judgment]]:
        return _relevant(self.collection)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {document.id: document.text for document in self.collection.documents}

    @cached_property
    def _positions(self) -> dict[str, int]:
        return self.collection.positions

    @cached_property
    def _read_to(self) -> NDArray[np.int64]:
        """Where the encoder's window ends; near it where the embedded text is rewritten."""
        encoder = self.store.encoder if self.store else None
        if self.read_to is not None or not isinstance(encoder, TransformerEncoder):
            return self.chunks.end if self.read_to is None else self.read_to
        read = encoder.characters_read(self.chunks.texts(self.collection.documents))
        return np.minimum(self.chunks.start + read, self.chunks.end)

    def _around(self, judgment: Judgment, context: int) -> list[int]:
        """Chunks that share a character with the judged span and its surroundings."""
        chunks = self.chunks
        near = (
            (chunks.document == self._positions[judgment.document])
            & (chunks.start < judgment.end + context)
            & (chunks.end > judgment.start - context)
            & (chunks.start < chunks.end)
        )
        indices = np.flatnonzero(near)
        order = np.lexsort((indices, chunks.end[indices], chunks.start[indices]))
        return [int(chunk) for chunk in indices[order]]

    def _alone(self) -> dict[Judgment, Alone]:
        """How each excerpt would fare as a chunk of its own; nothing where words decide."""
        if self.store is None or self.query_vectors is None:
            return {}
        pairs = [(i, j) for i, q in enumerate(self.collection.queries) for j in self._judged[q.id]]
        vectors = self.store.encode([self._texts[j.document][j.start : j.end] for _, j in pairs])
        alone = {}
        for (i, judgment), vector in zip(pairs, vectors, strict=True):
            query = self.query_vectors[i].astype(np.float64)
            score = np.float32(query @ vector.astype(np.float64))
            better = int((self.ranking.score[i] > score).sum())
            alone[judgment] = Alone(better + 1, float(score))
        return alone


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
    hit = condition.rules.hit
    return Searched(condition.encoder, collection, chunks, ranking, hit, store, vectors.queries)


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
