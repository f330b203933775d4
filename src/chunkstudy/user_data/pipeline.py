"""From a system to its scores on somebody's documents, in the study's steps: chunk, encode, search,
score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from chunkstudy.chunkers import contexts
from chunkstudy.collections.user_questions import Judged
from chunkstudy.core import tokens
from chunkstudy.core.errors import UserError
from chunkstudy.core.protocols import CORRECTED, OWN_DOCUMENTS
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.user_function import FunctionEncoder
from chunkstudy.evaluation.measures import excerpts, in_tokens
from chunkstudy.evaluation.measures import ranking as of_documents
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.chunks import Ranking, Search
from chunkstudy.evaluation.retrieval.reranking import Reranked
from chunkstudy.pipeline import encoding, engine
from chunkstudy.pipeline.conditions import parse_chunker
from chunkstudy.pipeline.engine import IndexedWords
from chunkstudy.pipeline.scoring import six_decimals
from chunkstudy.pipeline.vector_store import VectorStore, load_store
from chunkstudy.user_data.blocks import header_above
from chunkstudy.user_data.chunk_index import ChunkIndex, Ints
from chunkstudy.user_data.systems import Chunker, Retriever, System

DEEPEST = 20
"""Ranks that are kept of each question at least."""
DEPTHS = {"token_overlap": 5, "in_corpus": 10}
"""Chunks, or documents, that count as read where nothing else is said."""
MAX_TOKENS = 1_000
"""cl100k tokens that decide between systems on excerpts where neither k nor tokens are named."""
MEASURES = {
    "token_overlap": (
        *("SpanRecall", "SpanPrecision", "SpanIoU"),
        *("nDCG", "RR", "Success", "TokensRead"),
    ),
    "in_corpus": ("nDCG", "R", "RR", "Success"),
}
WITHIN = ("SpanRecall", "TokensRead")
"""Measures of the first tokens returned, the deciding one first."""
MOST_TOKENS = 1_000_000
SECTIONS = "markdown-"
"""How the chunker is called that knows headings, and so tables."""
Say = Callable[[str], object]
Load = Callable[[Path], VectorStore]


@dataclass(frozen=True)
class Result:
    """A system with what came of it.

    Attributes:
        ranking: what is returned to each question, as deep as the scores read.
        scores: a row a question, a column a measure.
        judged: the collection, each excerpt at the place that was found.
        read: characters of each matched text that the encoder reads; None where that is unknown.
        tokens: that the encoder reads for its chunks, whether now or before.
        dollars: for these tokens, where a server sells vectors; NaN where no price is known.
        model: the encoder as it describes itself; None of BM25 alone.
        reranked: tokens of question and chunk, by WordPiece, that a reranker reads for a question.
    """

    system: System
    index: ChunkIndex
    ranking: Ranking
    scores: pd.DataFrame
    judged: Collection
    read: Ints | None
    tokens: int
    dollars: float
    model: dict[str, Any] | None
    reranked: float = 0.0


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Somebody's documents and questions, on which systems are chunked, encoded, searched, scored.

    Attributes:
        texts: the collection and what is known of it.
        vectors: the folder of the stores; what is there is not computed again.
        k: chunks, or documents, that count as read, and then decide; the task's usual number, which
            is shown beside, if None.
        max_tokens: cl100k tokens that count as read of excerpts; ``MAX_TOKENS`` if neither they nor
            ``k`` are named.
        fresh: ignore the vectors that were stored before.

    Raises:
        UserError: if so many ranks or tokens cannot be read, or both are named.
    """

    texts: Judged
    vectors: Path
    k: int | None = None
    max_tokens: int | None = None
    fresh: bool = False
    _chunks: dict[tuple[Chunker, VectorStore | None], Chunks] = field(
        default_factory=dict, init=False
    )
    _indexes: dict[tuple[Chunker, VectorStore | None, str], ChunkIndex] = field(
        default_factory=dict, init=False
    )
    _sizes: dict[ChunkIndex, Ints] = field(default_factory=dict, init=False)
    _pair_tokens: dict[str, int] = field(default_factory=dict, init=False)
    _stores: dict[Load, VectorStore] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        named = self.max_tokens is not None
        if named and self.k is not None:
            raise UserError(
                f"--k {self.k} and --max-tokens {self.max_tokens} cannot both decide; leave one out"
            )
        if not 1 <= self.cutoff <= DEEPEST:
            raise UserError(f"--k must be between 1 and {DEEPEST}, got {self.k}")
        if named and self.texts.task == "in_corpus":
            raise UserError(
                "--max-tokens counts the tokens read of excerpts, but these questions judge whole "
                "documents; leave it out"
            )
        if not 0 <= self.budget <= MOST_TOKENS or self.max_tokens == 0:
            raise UserError(
                f"--max-tokens must be between 1 and {MOST_TOKENS:,}, got {self.max_tokens}"
            )

    @property
    def collection(self) -> Collection:
        return self.texts.collection

    @property
    def cutoff(self) -> int:
        """Chunks, or documents, that count as read."""
        return DEPTHS[self.texts.task] if self.k is None else self.k

    @property
    def budget(self) -> int:
        """Tokens that count as read, where these decide; 0 where chunks or documents do."""
        if self.k is not None or self.texts.task == "in_corpus":
            return 0
        return MAX_TOKENS if self.max_tokens is None else self.max_tokens

    @property
    def measures(self) -> tuple[str, ...]:
        """By ir-measures' names and ours, the one that decides first."""
        within = (f"{name}@{self.budget}{excerpts.TOKENS}" for name in WITHIN if self.budget)
        return (*within, *(f"{name}@{self.cutoff}" for name in MEASURES[self.texts.task]))

    @property
    def tokens_returned(self) -> str | None:
        """The measure of the tokens that the deciding setting returns; None of documents."""
        return next((name for name in self.measures if in_tokens(name)), None)

    @property
    def setting(self) -> dict[str, int]:
        """The option that decides, with its value."""
        return {"max_tokens": self.budget} if self.budget else {"k": self.cutoff}

    @cached_property
    def offsets(self) -> list[tokens.TokenOffsets]:
        """Of the documents' cl100k tokens, narrow: they take more memory than the text does."""
        of = tokens.cl100k_offsets
        return [of(document.text).astype(np.int32) for document in self.collection.documents]

    @cached_property
    def wordpieces(self) -> int:
        """WordPiece tokens of all documents."""
        texts = [document.text for document in self.collection.documents]
        return sum(tokens.counter("wordpiece").count_many(texts))

    def sizes(self, index: ChunkIndex) -> Ints:
        """cl100k tokens of what is returned, shape (returned,)."""
        if index not in self._sizes:
            self._sizes[index] = excerpts.token_lengths(index.returned, self.offsets)
        return self._sizes[index]

    def store(self, retriever: Retriever) -> VectorStore | None:
        """Return a retriever's model, opened once; None of BM25 alone."""
        return self._opened(retriever.load) if retriever.load else None

    def run(self, systems: Sequence[System], say: Say) -> list[Result]:
        """Every system ranked and scored, those of one model together; ``say`` is told how it
        goes."""
        results: list[Result] = []
        for retriever in dict.fromkeys(system.retriever for system in systems):
            group = [system for system in systems if system.retriever == retriever]
            late_tokens = self._read_late(group)
            for system in group:
                say(f"[{len(results) + 1}/{len(systems)}] {system.label}")
                results.append(self._result(system, late_tokens.get(system, 0)))
        names = {system.retriever.load: str(system.retriever) for system in reversed(systems)}
        for load, store in self._stores.items():
            if load in names:
                say(f"{names[load]}: {reuse(store)}")
        return results

    def chunk(self, system: System) -> ChunkIndex:
        """The first step: what is matched and what is returned. Systems that match the same texts
        get the same index."""
        chunker, retriever, context = system.chunker, system.retriever, system.method.context
        key = chunker, self._drawing_store(chunker, retriever), context
        if key not in self._indexes:
            self._indexes[key] = self._index(system)
        return self._indexes[key]

    def _index(self, system: System) -> ChunkIndex:
        chunker, documents = system.chunker, self.collection.documents
        chunks, *larger = (self.chunks_of(part, system.retriever) for part in chunker.cutting)
        if larger:
            index = small_to_large.within(chunks, larger[0], documents)
        elif chunker.neighbours:
            index = small_to_large.around(chunks, chunker.neighbours)
        else:
            index = small_to_large.index_chunks(chunks)
        chunks = index.matched
        before = encoding.contexts_of(system.method, self.collection, chunks) or [""] * len(chunks)
        if chunker.slug.startswith(SECTIONS):
            before = [*map(contexts.before, before, self._table_headers(chunks))]
        return ChunkIndex(chunks, index.returned, index.returned_index, documents, before)

    def encode(
        self, system: System, index: ChunkIndex, queries: Sequence[str]
    ) -> encoding.Vectors | None:
        """The second: vectors of queries and chunks; None of BM25 alone."""
        store = self.store(system.retriever)
        if store is None:
            return None
        label = system.chunker.slug
        if system.method.window:
            of_chunks = store.pool(*self.plan(system, store, index), label)
        else:
            texts = index.texts
            store.say_price(system.label, texts, queries)
            of_chunks = store.encode(texts, "document", label)
        return encoding.Vectors(store.encode(queries, "query"), of_chunks)

    def search(self, system: System, index: ChunkIndex, collection: Collection) -> Search:
        """The third: a search of the chunks to any depth for the queries of the collection, which
        may be a part of it."""
        queries = [query.text for query in collection.queries]
        vectors = self.encode(system, index, queries)
        words = IndexedWords(queries, index.bm25) if system.retriever.words else None
        search = engine.make_searcher(vectors, words)
        by = system.retriever.reranker
        return Reranked(search, queries, index.texts, by.score) if by else search

    def rank(self, search: Search, index: ChunkIndex) -> Ranking:
        """What is returned to every question, as deep as the measures read: documents by their best
        chunk where these are judged, else spans."""
        if self.texts.task == "in_corpus":
            own = small_to_large.own_documents
            excluded = own(self.collection) if self.collection.skips_own_id else None
            return small_to_large.search_groups(
                search, index.matched.document, DEEPEST, excluded=excluded
            )
        sizes = self.sizes(index)

        def enough(ranking: Ranking) -> bool:
            return bool((excerpts.tokens_returned(ranking.chunk, sizes) >= self.budget).all())

        return small_to_large.search_groups(search, index.returned_index, DEEPEST, enough)

    def score(self, index: ChunkIndex, ranking: Ranking) -> tuple[pd.DataFrame, Collection]:
        """The fourth: a row a question and a column a measure, and the collection as judged."""
        if self.texts.task == "in_corpus":
            k = self.cutoff
            # of whole documents, RR is at k
            named = [name.replace(f"RR@{k}", "RR") for name in self.measures]
            of_each = of_documents.per_query(self.collection, ranking.of_depth(k), named)
            return of_each.rename(columns={"RR": f"RR@{k}"}), self.collection
        judged = excerpts.found_first(self.collection, self.texts.copies, index.returned, ranking)
        scores = excerpts.per_query(judged, index.returned, ranking, self.measures, self.offsets)
        return scores, judged

    def _result(self, system: System, late_tokens: int) -> Result:
        store, index = self.store(system.retriever), self.chunk(system)
        search = self.search(system, index, self.collection)
        ranking = self.rank(search, index)
        scores, judged = self.score(index, ranking)
        count = late_tokens  # that the encoder reads, special ones included
        if store and not system.method.window:
            count = index.tokens_read(store)
        sold = store.encoder.dollars if store and isinstance(store.encoder, ApiEncoder) else None
        return Result(
            system,
            index,
            ranking,
            scores.apply(six_decimals),
            judged,
            characters_read(system, store, index),
            count,
            sold(count) if sold else float("nan"),
            store.encoder.describe() if store else None,
            self._tokens_reranked(search) / max(1, len(self.collection.queries)),
        )

    def chunks_of(self, chunker: Chunker, retriever: Retriever) -> Chunks:
        """Return a chunker's chunks, cut once for all retrievers, or once for each model that
        draws the boundaries."""
        key = chunker, self._drawing_store(chunker, retriever)
        if key not in self._chunks:
            self._chunks[key] = self._cut(*key)
        return self._chunks[key]

    def _drawing_store(self, chunker: Chunker, retriever: Retriever) -> VectorStore | None:
        """Return the retriever's model if it draws the chunker's boundaries, else None."""
        return self.store(retriever) if chunker.needs_encoder else None

    def _cut(self, chunker: Chunker, store: VectorStore | None) -> Chunks:
        if chunker.function:
            return engine.chunk(self.collection, chunker.function)
        spec = parse_chunker(chunker.slug)
        if spec.encoder:  # which `chunk` opens again
            store = self._opened(partial(load_store, spec.encoder))
        return engine.chunk(self.collection, spec, store, OWN_DOCUMENTS)

    def _opened(self, load: Load) -> VectorStore:
        if load not in self._stores:
            store = load(self.vectors)
            if store not in self._stores.values():
                store.count_anew()
                if self.fresh:
                    store.ignore_stored()
            self._stores[load] = store
        return self._stores[load]

    def _table_headers(self, chunks: Chunks) -> list[str]:
        """Of each chunk that begins in a later row of a table the table's header, since its row
        says little without; the chunk that is returned stays its span."""
        above = self._headers_above
        pairs = zip(chunks.document.tolist(), chunks.start.tolist(), strict=True)
        return [above[document](start) for document, start in pairs]

    @cached_property
    def _headers_above(self) -> list[Callable[[int], str]]:
        return [header_above(document.text) for document in self.collection.documents]

    def plan(self, system: System, store: VectorStore, index: ChunkIndex) -> encoding.Jobs:
        """What a late system reads and pools."""
        documents = self.collection.documents
        return encoding.jobs(store, documents, index.matched, system.method, CORRECTED)

    def _read_late(self, group: Sequence[System]) -> dict[System, int]:
        """Read the documents once for all late systems of a model with the same window, and return
        how many tokens each of these systems reads."""
        read: dict[System, int] = {}
        for method in dict.fromkeys(system.method for system in group if system.method.window):
            late = [system for system in group if system.method == method]
            store = self.store(late[0].retriever)
            assert store is not None  # BM25 alone takes no late chunking
            plans = [self.plan(system, store, self.chunk(system)) for system in late]
            encoding.read_once(store, plans, label=f"reading for {len(late)} chunkers, {method}")
            for system, plan in zip(late, plans, strict=True):
                read[system] = sum(layout.tokens for layout in plan.layouts)
        return read

    def _tokens_reranked(self, search: Search) -> int:
        """Return the tokens of all pairs that a reranker reads; 0 if there is none."""
        if not isinstance(search, Reranked):
            return 0
        texts = [text for pair in search.pairs for text in pair]
        new = [text for text in dict.fromkeys(texts) if text not in self._pair_tokens]
        counts = tokens.counter("wordpiece").count_many(new)
        self._pair_tokens.update(zip(new, counts, strict=True))
        return sum(map(self._pair_tokens.__getitem__, texts))


def reuse(store: VectorStore) -> str:
    """Return how many vectors of a model were reused, and why none are of a function."""
    line = f"{store.reused:,} vectors reused"
    encoder = store.encoder
    if isinstance(encoder, FunctionEncoder) and encoder.why_not_reused:
        return f"{line}, since {encoder.why_not_reused}"
    return line


def characters_read(system: System, store: VectorStore | None, index: ChunkIndex) -> Ints | None:
    """Of each matched text, its context aside, the characters that the encoder reads; None where
    that is unknown. BM25 and late chunking read all."""
    if store is None or system.method.window:
        return index.lengths
    return index.characters_read(store)


def unread_share(index: ChunkIndex, read: Ints | None) -> float:
    """Return the share of the matched characters that an encoder never reads; NaN if unknown."""
    total = int(index.lengths.sum())
    return float("nan") if read is None or not total else 1 - int(read.sum()) / total
