"""The one place where a system is indexed, searched and scored on somebody's documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import spans, tokens
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection, chunk_documents
from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.own import checked
from chunkstudy.collections.own_questions import Judged
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.evaluation.measures import excerpts
from chunkstudy.evaluation.measures import ranking as of_documents
from chunkstudy.evaluation.measures.copies import found_first
from chunkstudy.evaluation.retrieval import chunks as exact
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking, Search
from chunkstudy.evaluation.retrieval.documents import DocumentRanking, own_documents
from chunkstudy.evaluation.retrieval.fusion import fused
from chunkstudy.evaluation.retrieval.small_to_large import search_groups
from chunkstudy.runs.chunking import cut
from chunkstudy.runs.conditions import EmbeddingMethod, parse_chunker
from chunkstudy.runs.encoding import contexts_of, encode_both, jobs, read_once
from chunkstudy.runs.scoring import six_decimals
from chunkstudy.runs.store import VectorStore, load_store
from chunkstudy.studies.own_documents.chunk_index import ChunkIndex, characters_read, tokens_read
from chunkstudy.studies.own_documents.retrievers import EvaluationError, Retriever
from chunkstudy.studies.own_documents.systems import Chunker, System

DEEPEST = 20
"""Ranks that are kept of each question at least."""
DEPTHS = {"token_overlap": 5, "in_corpus": 10}
"""Chunks, or documents, that count as read where nothing else is said."""
MEASURES = {
    "token_overlap": (
        *("SpanRecall", "SpanPrecision", "SpanIoU"),
        *("nDCG", "RR", "Success", "TokensRead"),
    ),
    "in_corpus": ("nDCG", "R", "RR", "Success"),
}
MOST_TOKENS = 1_000_000
Say = Callable[[str], object]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """What is measured.

    Attributes:
        task: of the collection.
        k: chunks, or documents, that count as read.
        budget: cl100k tokens that count as read, where that decides; 0 where k does.
        seed: of the resamples behind the intervals.

    Raises:
        EvaluationError: if so many ranks or tokens cannot be read.
    """

    task: str
    k: int
    budget: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.k <= DEEPEST:
            raise EvaluationError(f"--k {self.k} is impossible; use 1 to {DEEPEST}")
        if self.budget and self.task == "in_corpus":
            raise EvaluationError("--budget counts what is read of excerpts, and whole documents "
                                  "are judged here; leave it out")  # fmt: skip
        if not 0 <= self.budget <= MOST_TOKENS:
            raise EvaluationError(f"--budget {self.budget} is impossible; use 1 to {MOST_TOKENS}")

    @property
    def measures(self) -> tuple[str, ...]:
        """By ir-measures' names and ours, the one that decides first."""
        within = (f"SpanRecall@{self.budget}{excerpts.TOKENS}",) if self.budget else ()
        return (*within, *(f"{name}@{self.k}" for name in MEASURES[self.task]))


@dataclass(frozen=True)
class Result:
    """A system with what came of it.

    Attributes:
        index: its chunks.
        ranking: what is returned to each question, as deep as the scores read.
        scores: a row a question, a column a measure.
        judged: the collection, each excerpt at the place that was found.
        read: characters of each matched text that the encoder reads; None where that is unknown.
        tokens: that the encoder reads for its chunks, whether now or before.
        seconds: of encoding, now; late systems of a model share one reading, which each counts.
        dollars: for these tokens, where a server sells vectors; NaN where no price is known.
        model: the encoder as it describes itself; None of BM25 alone.
    """

    system: System
    index: ChunkIndex
    ranking: Ranking
    scores: pd.DataFrame
    judged: Collection
    read: Ints | None
    tokens: int
    seconds: float
    dollars: float
    model: dict[str, Any] | None


@lru_cache(maxsize=4)
def open_store(retriever: Retriever, vectors: Path) -> VectorStore | None:
    """A retriever's model, with the vectors that it computed before; None of BM25 alone."""
    return retriever.load(vectors) if retriever.load else None


@dataclass(frozen=True, eq=False)
class Experiment:
    """Somebody's documents and questions, on which systems are indexed, searched and scored.

    Attributes:
        texts: the collection and what is known of it.
        vectors: the folder of the stores; what is there is not computed again.
    """

    texts: Judged
    vectors: Path
    _functions: dict[str, spans.Chunker] = field(default_factory=dict, init=False, repr=False)

    @property
    def collection(self) -> Collection:
        return self.texts.collection

    @cached_property
    def offsets(self) -> list[tokens.TokenOffsets]:
        """Of the documents' cl100k tokens."""
        return [tokens.cl100k_offsets(document.text) for document in self.collection.documents]

    def sizes(self, index: ChunkIndex) -> Ints:
        """cl100k tokens of what is returned, shape (returned,)."""
        return excerpts.token_lengths(index.returned, self.offsets)

    def store(self, system: System) -> VectorStore | None:
        """The system's model; None of BM25 alone."""
        return open_store(system.retriever, self.vectors)

    def run(self, systems: Sequence[System], settings: Settings, say: Say) -> list[Result]:
        """Rank and score under every system, those of one model together.

        Args:
            systems: what is compared.
            settings: what is measured.
            say: told how it goes.
        """
        results: list[Result] = []
        for retriever in dict.fromkeys(system.retriever for system in systems):
            group = [system for system in systems if system.retriever == retriever]
            shared = self._read_late(group)
            for system in group:
                say(f"[{len(results) + 1}/{len(systems)}] {system.label()}")
                result = self._score(system, settings)
                seconds = result.seconds + shared.get(system.method, 0.0)
                results.append(replace(result, seconds=seconds))
        return results

    def index(self, system: System, store: VectorStore | None) -> ChunkIndex:
        """The chunks of a system with what is matched and what is returned; ``store`` is its model,
        for chunkers that embed."""
        documents = self.collection.documents
        chunks, *larger = (self._chunks(part, store) for part in system.chunker.cutting)
        if larger:
            chunks = small_to_large.within(chunks, larger[0], documents)
        elif system.chunker.neighbours:
            chunks = small_to_large.around(chunks, system.chunker.neighbours, documents)
        texts = chunks.texts(documents)
        before = contexts_of(system.method, self.collection, chunks) or [""] * len(chunks)
        returned, place = small_to_large.returned(chunks)
        return ChunkIndex(
            chunks,
            tuple(before),
            returned,
            place,
            tuple(contexts.before(*pair) for pair in zip(before, texts, strict=True)),
            np.array([len(text) for text in texts], dtype=np.int64),
        )

    def search(
        self, system: System, index: ChunkIndex, collection: Collection
    ) -> tuple[Search, NDArray[np.float32] | None]:
        """A search of the chunks to any depth for the queries of the collection, which may be a
        part of it, and where a model ranks the vectors of these."""
        store, asked = self.store(system), [query.text for query in collection.queries]
        ways: list[Search] = []
        vectors = None
        if store is not None:
            if isinstance(store.encoder, ApiEncoder):
                missing = store.missing(index.texts), store.missing(asked, "query")
                store.encoder.say_price(system.label(), *missing)
            vectors, _ = encode_both(
                store, collection, index.chunks, system.method, CORRECTED, index.before,
                system.chunker.slug,
            )  # fmt: skip
            ways.append(partial(exact.search, *vectors))
        if system.retriever.words:
            ways.append(partial(BM25(index.texts).search, asked))
        return fused(ways, len(index.chunks)), None if vectors is None else vectors.queries

    def rank(self, search: Search, index: ChunkIndex, budget: int) -> Ranking:
        """What is returned to every question, as deep as the measures read: documents by their best
        chunk where these are judged, else spans."""
        if self.texts.task == "in_corpus":
            skips = self.collection.skips_own_id
            excluded = own_documents(self.collection) if skips else None
            return search_groups(search, index.chunks.document, DEEPEST, excluded=excluded)
        sizes = self.sizes(index)

        def enough(ranking: Ranking) -> bool:
            read = np.where(ranking.chunk != NO_CHUNK, sizes[ranking.chunk], 0).sum(axis=1)
            return bool((read >= budget).all())

        return search_groups(search, index.place, DEEPEST, enough)

    def _score(self, system: System, settings: Settings) -> Result:
        store = self.store(system)
        index = self.index(system, store)
        before = store.seconds if store else 0.0
        search, of_queries = self.search(system, index, self.collection)
        ranking = self.rank(search, index, settings.budget)
        if self.texts.task == "in_corpus":
            judged, scores = self.collection, _of_documents(self.collection, ranking, settings)
        else:
            judged = found_first(self.collection, self.texts.copies, index.returned, ranking)
            scores = excerpts.per_query(
                judged, index.returned, ranking, settings.measures, self.offsets
            )
        count = tokens_read(self.collection.documents, system, store, index)
        price = store.encoder.price if store and isinstance(store.encoder, ApiEncoder) else None
        return Result(
            system,
            index,
            ranking,
            scores.apply(six_decimals),
            judged,
            characters_read(system, store, index),
            count,
            store.seconds - before if store else 0.0,
            price.dollars(count) if price else float("nan"),
            None if store is None or of_queries is None else store.encoder.describe(),
        )

    def _chunks(self, chunker: Chunker, store: VectorStore | None) -> Chunks:
        if chunker.function is None:
            spec = parse_chunker(chunker.slug)
            boundaries = load_store(spec.encoder, self.vectors) if spec.encoder else None
            return cut(self.collection, spec, CORRECTED, store, boundaries)
        if chunker.slug not in self._functions:
            self._functions[chunker.slug] = checked(chunker.function, self.collection.documents)
        return chunk_documents(self._functions[chunker.slug], self.collection.documents)

    def _read_late(self, group: Sequence[System]) -> dict[EmbeddingMethod, float]:
        """Read the documents once for all late systems of a model with the same window; the seconds
        that it took, by method."""
        documents = self.collection.documents
        seconds: dict[EmbeddingMethod, float] = {}
        for method in dict.fromkeys(system.method for system in group if system.method.window):
            late = [system for system in group if system.method == method]
            store = self.store(late[0])
            assert store is not None  # BM25 alone takes no late chunking
            chunks = [self.index(system, store).chunks for system in late]
            plans = [jobs(store, documents, some, method, CORRECTED) for some in chunks]
            before = store.seconds
            read_once(store, plans, label=f"reading for {len(late)} chunkers, {method}")
            seconds[method] = store.seconds - before
        return seconds


def _of_documents(collection: Collection, ranking: Ranking, settings: Settings) -> pd.DataFrame:
    """Measures of ranked documents, a row a question that has a relevant one."""
    k = settings.k
    documents = DocumentRanking(ranking.chunk[:, :k], ranking.score[:, :k], ranking.ties_at_cut)
    measures = ("RR", f"nDCG@{k}", f"R@{k}", f"Success@{k}")  # RR of these documents is that at k
    scores = of_documents.per_query(collection, documents, measures)
    wide = scores.pivot(index="query_id", columns="measure", values="value")
    return wide.rename(columns={"RR": f"RR@{k}"})[list(settings.measures)]
