"""What became of a question: where its judged excerpts lie among the chunks, and why one is missed.

Everything is computed from the chunks, their vectors and the judged spans; nothing is drawn. A
cause is decided on the excerpt of which most is missed. Whether a chunk dilutes the answer is
measured, not guessed: the excerpt is embedded as a chunk of its own and ranked among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Chunks, Collection, Judgment, Query, Span
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.runs import chunking
from chunkstudy.runs.conditions import Condition, EmbeddingMethod
from chunkstudy.runs.encoding import encode_both
from chunkstudy.runs.store import VectorStore

MEASURES = ("SpanRecall", "SpanPrecision", "SpanIoU")
AROUND = 300
"""Characters of text shown either side of an excerpt."""
FOUND = "found"
CUT = "cut by a boundary"
DILUTED = "diluted"
ENCODER = "missed by the encoder"
WORDS = "ranked lower by its words"
RERANKER = "ranked lower by the reranker"
UNREAD = "beyond the window"
UNCHUNKED = "in no chunk"
CAUSES = {
    FOUND: "every judged character lies in the first chunks",
    CUT: "a boundary runs through the excerpt and part of it was not retrieved",
    DILUTED: "the excerpt alone would be among the first, the chunk around it is not",
    ENCODER: "even the excerpt alone would not be among the first",
    WORDS: "chunks that share more words with the question, or rarer ones, come before it",
    RERANKER: "what the reranker puts first comes before it",
    UNREAD: "the encoder's window ends before the excerpt begins in its chunk",
    UNCHUNKED: "the missed characters lie in no chunk at all",
}


class RankedChunk(NamedTuple):
    """A chunk as one question sees it.

    Attributes:
        place: its number among the chunks of its document, from 1; ``places`` counts them.
        rank: among all chunks of the collection, from 1.
        score: cosine similarity to the question.
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
    rewritten: bool = False

    def shared(self, span: Judgment, around: int = 0) -> range:
        """The characters that it has in common with a judged span and so many around it."""
        if self.document != span.document:
            return range(0)
        return range(max(self.start, span.start - around), min(self.end, span.end + around))

    def __str__(self) -> str:
        return f"chunk {self.place} of {self.places}"


@dataclass(frozen=True)
class Inspection:
    """One question under one system, the first ``depth`` chunks taken as read.

    Attributes:
        system: what the way of chunking is called.
        encoder: what ranks, by its slug.
        protocol: whose chunks these are and how they are counted.
        excerpts: what is judged to answer the question.
        alone: of each excerpt the rank and score that it would have as a chunk of its own; empty
            where words decide.
        near: the chunks that share a character with an excerpt or what stands around it, in the
            order of their documents.
        retrieved: the first chunks.
        measures: ``MEASURES`` at the depth, as fractions.
        chunk_count: chunks of the whole collection.
        by_rank: the cause where a chunk is read, and not ranked by vectors alone.
    """

    system: str
    encoder: str
    protocol: str
    query: Query
    depth: int
    excerpts: tuple[Judgment, ...]
    alone: tuple[tuple[int, float], ...]
    near: tuple[RankedChunk, ...]
    retrieved: tuple[RankedChunk, ...]
    measures: dict[str, float]
    chunk_count: int
    by_rank: str = WORDS

    def touching(self, excerpt: Judgment, around: int = 0) -> list[RankedChunk]:
        """The chunks that share a character with an excerpt, or with so many around it."""
        return [chunk for chunk in self.near if chunk.shared(excerpt, around)]

    def spans(self, document: str) -> list[Span]:
        """What is judged of a document."""
        return [(e.start, e.end) for e in self.excerpts if e.document == document]

    def missed(self, excerpt: Judgment) -> set[int]:
        """The offsets of an excerpt that lie in none of the first chunks."""
        return {*range(excerpt.start, excerpt.end)} - _covered(excerpt, self.retrieved)

    def judged_in(self, chunk: RankedChunk) -> int:
        """How many characters of a chunk are judged."""
        return len({at for excerpt in self.excerpts for at in chunk.shared(excerpt)})

    @cached_property
    def diagnosis(self) -> tuple[str, str]:
        """The cause, a key of ``CAUSES``, and one sentence on why it was found or missed."""
        missed = [len(self.missed(excerpt)) for excerpt in self.excerpts]
        if not any(missed):
            return FOUND, self._found()
        worst = missed.index(max(missed))
        alone = len(self.excerpts) == 1
        name = "the answer" if alone else f"excerpt {worst + 1}"
        cause, sentence = self._why(worst, name)
        if not alone:
            sentence = f"{missed.count(0)} of {len(missed)} excerpts found whole; {sentence}"
        return cause, f"{sentence[0].upper()}{sentence[1:]}."

    @property
    def cause(self) -> str:
        """Why the excerpt of which most is missed was missed, or ``FOUND``."""
        return self.diagnosis[0]

    def _found(self) -> str:
        judged = sum(excerpt.end - excerpt.start for excerpt in self.excerpts)
        first = next(
            count
            for count in range(1, len(self.retrieved) + 1)
            if all(
                len(_covered(excerpt, self.retrieved[:count])) == excerpt.end - excerpt.start
                for excerpt in self.excerpts
            )
        )
        where = "the first chunk holds" if first == 1 else f"the first {first} chunks hold"
        return (
            f"Found: {where} all {judged:,} judged characters, which are "
            f"{percent(self.measures['SpanPrecision'])} of what {self.depth} chunks make one read."
        )

    def _why(self, number: int, name: str) -> tuple[str, str]:
        """Why part of an excerpt is missed."""
        excerpt = self.excerpts[number]
        length = excerpt.end - excerpt.start
        missed, touching = self.missed(excerpt), self.touching(excerpt)
        unchunked = missed - _covered(excerpt, touching)
        if unchunked == missed:
            return UNCHUNKED, f"{_lie(missed, excerpt, f' of {name}')} in no chunk"
        if len(missed) < length:
            return CUT, self._cut(excerpt, missed - unchunked, name)
        holding = [chunk for chunk in touching if len(chunk.shared(excerpt)) == length]
        best = min(holding or touching, key=lambda chunk: chunk.rank)
        where = f"{name} lies in {self._placed(best)}" if holding else (
            f"boundaries cut {name} over {len(touching)} chunks, the best of them "
            f"{self._placed(best)}"
        )  # fmt: skip
        if best.read_to <= max(best.start, excerpt.start):
            return UNREAD, (
                f"{where}; the encoder reads only the first {best.read_to - best.start:,} of its "
                f"{best.end - best.start:,} characters, and {name} begins after them"
            )
        if not self.alone:
            return self.by_rank, where
        rank, _ = self.alone[number]
        if rank > self.depth:
            return ENCODER, f"{where}; even alone {name} would rank {ordinal(rank)}"
        where += f", although alone {name} would rank {ordinal(rank)}"
        if not holding:
            return CUT, where
        return DILUTED, f"{where}; it is {percent(length / (best.end - best.start))} of that chunk"

    def _cut(self, excerpt: Judgment, missed: set[int], name: str) -> str:
        """Part of the excerpt was retrieved; the rest lies in chunks that were not."""
        left = [chunk for chunk in self.touching(excerpt) if missed & {*chunk.shared(excerpt)}]
        best = min(left, key=lambda chunk: chunk.rank)
        where = f"{_lie(missed, excerpt)} in"
        if len(left) == 1:
            return f"a boundary cuts {name}: {where} {self._placed(best)}"
        return (
            f"boundaries cut {name}: {where} {len(left)} chunks that were not retrieved, the best "
            f"of them {self._placed(best)}"
        )

    def _placed(self, chunk: RankedChunk) -> str:
        below = chunk.rank - self.depth
        places = "1 place" if below == 1 else f"{below:,} places"
        return f"{chunk}, which ranked {ordinal(chunk.rank)}: {places} too low"


@dataclass(frozen=True)
class Searched:
    """A collection chunked, embedded and ranked in full for each of its questions.

    Attributes:
        encoder: what ranks, by its slug.
        collection: judged at the places that are to be found.
        ranking: every chunk for every question, but those that share no word where words decide.
        protocol: whose chunks these are and how they are counted.
        read_to: shape (chunks,), offsets where the encoder's window ends.
        store: the encoder; None where words decide as well.
        query_vectors: None of a store that is.
        by_rank: the cause of a miss where words or a reranker decide.
    """

    encoder: str
    collection: Collection
    chunks: Chunks
    ranking: retrieval.Ranking
    protocol: Protocol
    read_to: NDArray[np.int64]
    store: VectorStore | None = None
    query_vectors: NDArray[np.float32] | None = None
    by_rank: str = WORDS

    def inspect(self, system: str, depth: int) -> list[Inspection]:
        """Every question of the collection, in its order.

        Args:
            system: what the way of chunking is called.
            depth: chunks taken as read.
        """
        overlap = TokenOverlap.of(self.collection, self.chunks, self.protocol.hit)
        values = overlap.at(self.ranking.chunk, min(depth, len(self.chunks)))
        judged, inspections = relevant(self.collection), []
        for i, query in enumerate(self.collection.queries):
            excerpts, seen = tuple(judged[query.id]), self._seen_by(i)
            first = self.ranking.chunk[i, :depth]
            inspections.append(
                Inspection(
                    system,
                    self.encoder,
                    self.protocol.name,
                    query,
                    depth,
                    excerpts,
                    tuple(self._alone[e] for e in excerpts if e in self._alone),
                    tuple(seen(chunk) for chunk in self._near(excerpts)),
                    tuple(seen(chunk) for chunk in first[first >= 0].tolist()),
                    {name: float(values[name][i]) for name in MEASURES},
                    len(self.chunks),
                    self.by_rank,
                )
            )
        return inspections

    def _seen_by(self, query: int) -> Callable[[int], RankedChunk]:
        """Any chunk as a question sees it."""
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
                read_to=int(self.read_to[chunk]),
                rewritten=rewritten is not None and rewritten[chunk] != document.text[start:end],
            )

        return seen

    def _near(self, excerpts: Sequence[Judgment]) -> list[int]:
        """Chunks that share a character with an excerpt and its surroundings."""
        chunks, positions = self.chunks, self.collection.positions
        near = np.zeros(len(chunks), dtype=np.bool_)
        for excerpt in excerpts:
            near |= (
                (chunks.document == positions[excerpt.document])
                & (chunks.start < excerpt.end + AROUND)
                & (chunks.end > excerpt.start - AROUND)
                & (chunks.start < chunks.end)
            )
        places = np.flatnonzero(near)
        spans = (places, chunks.end[places], chunks.start[places], chunks.document[places])
        return places[np.lexsort(spans)].tolist()

    @cached_property
    def _alone(self) -> dict[Judgment, tuple[int, float]]:
        """How each excerpt would fare as a chunk of its own; nothing where words decide."""
        if self.store is None or self.query_vectors is None:
            return {}
        texts = {document.id: document.text for document in self.collection.documents}
        rows = {query.id: i for i, query in enumerate(self.collection.queries)}
        judged = [j for of_query in relevant(self.collection).values() for j in of_query]
        vectors = self.store.encode([texts[j.document][j.start : j.end] for j in judged])
        alone = {}
        for judgment, vector in zip(judged, vectors.astype(np.float64), strict=True):
            row = rows[judgment.query]
            score = np.float32(self.query_vectors[row].astype(np.float64) @ vector)
            alone[judgment] = (int((self.ranking.score[row] > score).sum()) + 1, float(score))
        return alone


def search(condition: Condition, collection: Collection, store: VectorStore) -> Searched:
    """Chunk, embed and rank in full; vectors at hand are not computed again."""
    chunks = chunking.cut(collection, condition.chunking, condition.rules, store)
    vectors = encode_both(
        store, collection, chunks, EmbeddingMethod(), condition.rules, label=condition.chunker
    )
    ranking = retrieval.search(*vectors, len(chunks))
    protocol, read_to = condition.rules, chunks.end
    if isinstance(store.encoder, TransformerEncoder):  # near it where embedded text is rewritten
        read = store.encoder.characters_read(chunks.texts(collection.documents))
        read_to = np.minimum(chunks.start + read, chunks.end)
    return Searched(
        condition.encoder, collection, chunks, ranking, protocol, read_to, store, vectors.queries
    )


def relevant(collection: Collection) -> dict[str, list[Judgment]]:
    """The judged excerpts of each question, without those of grade 0, which answer nothing."""
    judgments = collection.judgments_by_query()
    return {query: [j for j in of_query if j.grade > 0] for query, of_query in judgments.items()}


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    if number % 100 in (11, 12, 13):
        return f"{number:,}th"
    return f"{number:,}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def percent(fraction: float) -> str:
    """A fraction in percent with one decimal, so that 100% means all and 0% nothing."""
    if 0 < fraction < 1:
        return f"{min(max(100 * fraction, 0.1), 99.9):.1f}%"
    return f"{100 * fraction:.0f}%"


def _covered(excerpt: Judgment, chunks: Iterable[RankedChunk]) -> set[int]:
    """The offsets of an excerpt that lie in one of the chunks."""
    return {at for chunk in chunks for at in chunk.shared(excerpt)}


def _lie(missed: set[int], excerpt: Judgment, of: str = "") -> str:
    lie = "lies" if len(missed) == 1 else "lie"
    return f"{len(missed):,} of {excerpt.end - excerpt.start:,} characters{of} {lie}"
