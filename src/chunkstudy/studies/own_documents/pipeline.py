"""From a system to its scores on somebody's documents, in the study's steps: chunk, encode, search,
score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import spans, tokens
from chunkstudy.base.protocols import CORRECTED, OWN_DOCUMENTS
from chunkstudy.base.spans import Chunks, Collection, chunk_documents
from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.own import checked
from chunkstudy.collections.own_questions import Judged
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.interface import Encoder, Role
from chunkstudy.encoders.own_function import FunctionEncoder
from chunkstudy.evaluation.measures import excerpts, in_tokens
from chunkstudy.evaluation.measures import ranking as of_documents
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.chunks import Ranking, Search
from chunkstudy.evaluation.retrieval.reranking import Reranked
from chunkstudy.runs import encoding, steps
from chunkstudy.runs.chunking import cut
from chunkstudy.runs.conditions import parse_chunker
from chunkstudy.runs.scoring import six_decimals
from chunkstudy.runs.store import VectorStore, load_store
from chunkstudy.studies.own_documents.blocks import header_above
from chunkstudy.studies.own_documents.systems import (
    Chunker,
    EvaluationError,
    Retriever,
    System,
)

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
Ints = NDArray[np.int64]
Load = Callable[[Path], VectorStore]


@dataclass(frozen=True)
class ChunkIndex(spans.ChunkIndex):
    """The chunks of a system before anything is ranked.

    Attributes:
        texts: the matched texts, each behind its context.
        lengths: shape (matched,), characters of each matched text without its context.
    """

    texts: tuple[str, ...]
    lengths: Ints


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
        EvaluationError: if so many ranks or tokens cannot be read, or both are named.
    """

    texts: Judged
    vectors: Path
    k: int | None = None
    max_tokens: int | None = None
    fresh: bool = False
    _chunked: dict[tuple[Chunker, Retriever | None], Chunks] = field(
        default_factory=dict, init=False
    )
    _stores: dict[Load, VectorStore] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        named = self.max_tokens is not None
        if named and self.k is not None:
            raise EvaluationError(
                f"--k {self.k} and --max-tokens {self.max_tokens} cannot both decide; leave one out"
            )
        if not 1 <= self.cutoff <= DEEPEST:
            raise EvaluationError(f"--k must be between 1 and {DEEPEST}, got {self.k}")
        if named and self.texts.task == "in_corpus":
            raise EvaluationError(
                "--max-tokens counts the tokens read of excerpts, but these questions judge whole "
                "documents; leave it out"
            )
        if not 0 <= self.budget <= MOST_TOKENS or self.max_tokens == 0:
            raise EvaluationError(
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

    def sizes(self, index: ChunkIndex) -> Ints:
        """cl100k tokens of what is returned, shape (returned,)."""
        return excerpts.token_lengths(index.returned, self.offsets)

    def store(self, retriever: Retriever) -> VectorStore | None:
        """Return a retriever's model, opened once; None of BM25 alone."""
        return self._opened(retriever.load) if retriever.load else None

    def run(self, systems: Sequence[System], say: Say) -> list[Result]:
        """Every system ranked and scored, those of one model together; ``say`` is told how it
        goes."""
        results: list[Result] = []
        for retriever in dict.fromkeys(system.retriever for system in systems):
            group = [system for system in systems if system.retriever == retriever]
            self._read_late(group)
            for system in group:
                say(f"[{len(results) + 1}/{len(systems)}] {system.label}")
                results.append(self._result(system))
        names = {system.retriever.load: str(system.retriever) for system in reversed(systems)}
        for load, store in self._stores.items():
            if load in names:
                say(f"{names[load]}: {reuse(store)}")
        return results

    def chunk(self, system: System) -> ChunkIndex:
        """The first step: what is matched and what is returned."""
        documents = self.collection.documents
        chunks, *larger = (
            self.chunks_of(part, system.retriever) for part in system.chunker.cutting
        )
        if larger:
            index = small_to_large.within(chunks, larger[0], documents)
        elif system.chunker.neighbours:
            index = small_to_large.around(chunks, system.chunker.neighbours)
        else:
            index = small_to_large.index_chunks(chunks)
        chunks = index.matched
        texts = chunks.texts(documents)
        before = encoding.contexts_of(system.method, self.collection, chunks) or [""] * len(chunks)
        if system.chunker.slug.startswith(SECTIONS):
            before = [*map(contexts.before, before, self._table_headers(chunks))]
        return ChunkIndex(
            index.matched,
            index.returned,
            index.returned_index,
            tuple(contexts.before(*pair) for pair in zip(before, texts, strict=True)),
            np.array([len(text) for text in texts], dtype=np.int64),
        )

    def encode(
        self, system: System, index: ChunkIndex, queries: Sequence[str]
    ) -> encoding.Vectors | None:
        """The second: vectors of queries and chunks; None of BM25 alone."""
        store = self.store(system.retriever)
        if store is None:
            return None
        store.say_price(system.label, index.texts, queries)
        label = system.chunker.slug
        if system.method.window:
            plan = self.plan(system, store, index)
            of_chunks = store.pool(*plan, label)
        else:
            of_chunks = store.encode(index.texts, "document", label)
        return encoding.Vectors(store.encode(queries, "query"), of_chunks)

    def search(self, system: System, index: ChunkIndex, collection: Collection) -> Search:
        """The third: a search of the chunks to any depth for the queries of the collection, which
        may be a part of it."""
        queries = [query.text for query in collection.queries]
        vectors = self.encode(system, index, queries)
        words = steps.Words(queries, index.texts, "any") if system.retriever.words else None
        search = steps.to_any_depth(vectors, words)
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

    def _result(self, system: System) -> Result:
        store, index = self.store(system.retriever), self.chunk(system)
        search = self.search(system, index, self.collection)
        ranking = self.rank(search, index)
        scores, judged = self.score(index, ranking)
        count = 0  # tokens that the encoder reads, special ones included
        if store and system.method.window:
            count = sum(layout.tokens for layout in self.plan(system, store, index).layouts)
        elif store:
            count = int(text_tokens(store, index.texts).sum())
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
            _tokens_reranked(search) / max(1, len(self.collection.queries)),
        )

    def chunks_of(self, chunker: Chunker, retriever: Retriever) -> Chunks:
        """Return a chunker's chunks, cut once; only the catalogue's may depend on the model."""
        documents = self.collection.documents
        key = (chunker, None if chunker.function else retriever)
        if key not in self._chunked:
            if chunker.function:
                split = checked(chunker.function, documents)
                self._chunked[key] = chunk_documents(split, documents)
            else:
                spec = parse_chunker(chunker.slug)
                store = self.store(retriever)
                if store is None and spec.encoder:
                    store = self._opened(partial(load_store, spec.encoder))
                elif spec.encoder:  # which `cut` opens again
                    self._opened(partial(load_store, spec.encoder))
                self._chunked[key] = cut(self.collection, spec, OWN_DOCUMENTS, store)
        return self._chunked[key]

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
        above = [header_above(document.text) for document in self.collection.documents]
        pairs = zip(chunks.document.tolist(), chunks.start.tolist(), strict=True)
        return [above[document](start) for document, start in pairs]

    def plan(self, system: System, store: VectorStore, index: ChunkIndex) -> encoding.Jobs:
        """What a late system reads and pools."""
        documents = self.collection.documents
        return encoding.jobs(store, documents, index.matched, system.method, CORRECTED)

    def _read_late(self, group: Sequence[System]) -> None:
        """Read the documents once for all late systems of a model with the same window."""
        for method in dict.fromkeys(system.method for system in group if system.method.window):
            late = [system for system in group if system.method == method]
            store = self.store(late[0].retriever)
            assert store is not None  # BM25 alone takes no late chunking
            plans = [self.plan(system, store, self.chunk(system)) for system in late]
            encoding.read_once(store, plans, label=f"reading for {len(late)} chunkers, {method}")


def reuse(store: VectorStore) -> str:
    """Return how many vectors of a model were reused, and why none are of a function."""
    line = f"{store.reused:,} vectors reused"
    encoder = store.encoder
    if isinstance(encoder, FunctionEncoder) and encoder.why_not_reused:
        return f"{line}, since {encoder.why_not_reused}"
    return line


def _tokens_reranked(search: Search) -> int:
    """Tokens of all pairs that a reranker reads; none where there is none."""
    if not isinstance(search, Reranked):
        return 0
    times = Counter(text for pair in search.pairs for text in pair)
    lengths = tokens.counter("wordpiece").count_many(list(times))
    return int(np.dot(lengths, list(times.values())))


def characters_read(system: System, store: VectorStore | None, index: ChunkIndex) -> Ints | None:
    """Of each matched text, its context aside, the characters that the encoder reads; None where
    that is unknown. BM25 and late chunking read all; where an encoder only counts tokens, its
    window's share of them is taken."""
    if store is None or system.method.window:
        return index.lengths
    read = read_of_texts(store.encoder, index.texts)
    if read is None:
        return None
    whole = np.array([len(text) for text in index.texts], dtype=np.int64)
    return np.clip(read - (whole - index.lengths), 0, index.lengths)


def read_of_texts(encoder: Encoder, texts: Sequence[str], role: Role = "document") -> Ints | None:
    """Count the characters of each text that an encoder reads; None where that is unknown."""
    if hasattr(encoder, "characters_read"):
        return np.asarray(encoder.characters_read(texts, role), dtype=np.int64)
    if not hasattr(encoder, "token_count") or not (window := getattr(encoder, "window", None)):
        return None
    prefix = encoder.describe().get(f"{role}_prefix", "")
    whole = np.array([len(text) for text in texts], dtype=np.int64)
    counts = np.asarray(encoder.token_count([prefix + text for text in texts])) + encoding.SPECIAL
    return (whole * np.minimum(1, window / counts)).astype(np.int64)


def unread_share(index: ChunkIndex, read: Ints | None) -> float:
    """Return the share of the matched characters that an encoder never reads; NaN if unknown."""
    total = int(index.lengths.sum())
    return float("nan") if read is None or not total else 1 - int(read.sum()) / total


def text_tokens(store: VectorStore, texts: Sequence[str]) -> NDArray[np.float64]:
    """Of each text the tokens that the encoder reads, special ones included, as it counts them, or
    as WordPiece does where it does not."""
    count: Callable[[Sequence[str]], list[int]] | None
    count = getattr(store.encoder, "token_count", None) or tokens.counter("wordpiece").count_many
    special = 0 if isinstance(store.encoder, ApiEncoder) else encoding.SPECIAL
    window = getattr(store.encoder, "window", None) or np.inf
    return np.minimum(np.asarray(count(texts)) + special, window)
