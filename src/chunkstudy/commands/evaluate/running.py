"""Running every arm: documents read once for all late arms of a model, chunks ranked and scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import tokens
from chunkstudy.base.faults import ModelError
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunker, Chunks, Query, RewrittenSpan, Span
from chunkstudy.chunkers import contexts
from chunkstudy.chunkers.own import OwnChunker, checked
from chunkstudy.commands.evaluate import scores
from chunkstudy.commands.evaluate.arms import LARGER, WINDOW, Arm
from chunkstudy.commands.evaluate.arms import Chunker as Way
from chunkstudy.commands.evaluate.scores import Asked
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.evaluation.retrieval import chunks as exact
from chunkstudy.evaluation.retrieval import small_to_large
from chunkstudy.evaluation.retrieval.bm25 import BM25
from chunkstudy.evaluation.retrieval.chunks import Ranking, Search
from chunkstudy.evaluation.retrieval.fusion import fused
from chunkstudy.runs import records
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.encoding import SPECIAL, Jobs, encode, jobs, read_once
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.run import boundary_store
from chunkstudy.runs.store import VectorStore
from chunkstudy.show import titles

RETURNED = {"none": "their document", "paragraph": "their paragraph"}
"""What a name calls larger chunks of which the chunker's own would read oddly."""
Say = Callable[[str], object]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Indexed:
    """The chunks of an arm before anything is ranked.

    Attributes:
        chunks: what is matched with the spans of what is returned.
        before: the context that is embedded before each; empty where there is none.
        returned: what is returned, each span once, and which of them each chunk returns.
        matched: the texts that are matched, contexts included.
        own_lengths: shape (chunks,), characters of each without its context.
    """

    chunks: Chunks
    before: tuple[str, ...]
    returned: tuple[Chunks, Ints]
    matched: tuple[str, ...]
    own_lengths: Ints


@dataclass(frozen=True)
class Ran:
    """An arm with what came of it.

    Attributes:
        indexed: its chunks.
        ranking: what is returned to each question, as deep as the scores read.
        scores: a row a question, a column a measure.
        judged: the collection, each excerpt at the place that was found.
        sizes: cl100k tokens of what is returned.
        read: characters of each matched text that the encoder reads; None where that is unknown.
        tokens: that the encoder reads for its chunks, whether now or before.
        seconds: of encoding, now; late arms of a model share one reading, which each counts.
        dollars: for these tokens, where a server sells vectors; NaN where no price is known.
        model: the encoder as it describes itself; None of BM25 alone.
    """

    arm: Arm
    indexed: Indexed
    ranking: Ranking
    scores: pd.DataFrame
    judged: Any
    sizes: Ints
    read: Ints | None
    tokens: int
    seconds: float
    dollars: float
    model: dict[str, Any] | None

    @property
    def unread(self) -> tuple[float, float]:
        """The share of chunks that are cut, and that of their characters that is never read."""
        return shares_unread(self.indexed, self.read)


def run(texts: Texts, arms: Sequence[Arm], asked: Asked, vectors: Path, say: Say) -> list[Ran]:
    """Rank and score under every arm.

    Args:
        texts: what is evaluated on.
        arms: what is compared.
        asked: what is measured.
        vectors: the folder of the stores; what is there is not computed again.
        say: told how it goes.
    """
    own = as_functions(texts, arms)
    offsets = [tokens.cl100k_offsets(one.text) for one in texts.collection.documents]
    found: list[Ran] = []
    for encoder in dict.fromkeys(arm.encoder for arm in arms):
        store = encoder.open(vectors)
        mine = [arm for arm in arms if arm.encoder == encoder]
        reading = _read_late(texts, mine, store, own, vectors)
        for arm in mine:
            say(f"[{len(found) + 1}/{len(arms)}] {label(arm)}")
            one = _run_one(
                texts, arm, asked, store, index(texts, arm, store, own, vectors), offsets
            )
            found.append(replace(one, seconds=one.seconds + reading.get(arm.condition.ordering, 0)))
    return found


def as_functions(texts: Texts, arms: Iterable[Arm]) -> dict[str, Chunker]:
    """By slug the chunkers that are not the catalogue's, ready for these documents."""
    ways = [way for arm in arms for way in arm.chunker.parts]
    return {way.slug: _remembering(way.function, texts) for way in ways if way.function}


def index(
    texts: Texts, arm: Arm, store: VectorStore | None, own: dict[str, Chunker], vectors: Path
) -> Indexed:
    """The chunks of an arm with what is matched and what is returned."""
    documents = texts.collection.documents
    chunks, *larger = (_chunked(texts, arm, w, store, own, vectors) for w in arm.chunker.parts)
    if larger:
        chunks = small_to_large.within(chunks, larger[0], documents)
    elif arm.chunker.neighbours:
        chunks = small_to_large.around(chunks, arm.chunker.neighbours, documents)
    matched, before = chunks.texts(documents), [""] * len(chunks)
    if source := parse_ordering(arm.condition.ordering).context:
        before = contexts.of(source, texts.collection, chunks)
    lengths = np.array([len(text) for text in matched], dtype=np.int64)
    if any(before):
        matched = [contexts.before(*one) for one in zip(before, matched, strict=True)]
    returned = small_to_large.returned(chunks)
    return Indexed(chunks, tuple(before), returned, tuple(matched), lengths)


def searching(
    texts: Texts, arm: Arm, store: VectorStore | None, indexed: Indexed, queries: Sequence[Query]
) -> tuple[Search, NDArray[np.float32] | None]:
    """A search of the chunks to any depth, and the vectors of the queries where a model ranks."""
    asked, ways, of_queries = [query.text for query in queries], [], None
    if store is not None:
        chunks, ordering = indexed.chunks, parse_ordering(arm.condition.ordering)
        documents, name = texts.collection.documents, str(arm.condition.chunker)
        if isinstance(store.encoder, ApiEncoder):
            missing = store.missing(indexed.matched), store.missing(asked, "query")
            store.encoder.say_price(label(arm), *missing)
        of_chunks, _ = encode(store, documents, chunks, ordering, CORRECTED, name, indexed.before)
        of_queries = store.encode(asked, "query")
        ways.append(lambda depth: exact.search(of_queries, of_chunks, depth))
    if arm.encoder.words:
        words = BM25(indexed.matched)
        ways.append(lambda depth: words.search(asked, depth))
    return fused(ways, len(indexed.chunks)), of_queries


def characters_read(store: VectorStore | None, arm: Arm, indexed: Indexed) -> Ints | None:
    """Of each matched text, its context aside, the characters that the encoder reads; None where
    that is unknown. BM25 and late chunking read all; where an encoder only counts tokens, its
    window's share of them is taken."""
    own = indexed.own_lengths
    if store is None or parse_ordering(arm.condition.ordering).window:
        return own
    encoder = store.encoder
    if hasattr(encoder, "characters_read"):
        read = np.asarray(encoder.characters_read(indexed.matched), dtype=np.int64)
    elif hasattr(encoder, "token_count") and (window := getattr(encoder, "window", None)):
        counted = np.asarray(encoder.token_count(indexed.matched)) + SPECIAL
        whole = np.array([len(text) for text in indexed.matched])
        read = (whole * np.minimum(1, window / counted)).astype(np.int64)
    else:
        return None
    before = np.array([len(text) for text in indexed.matched]) - own
    return np.clip(read - before, 0, own)


def read_tokens(texts: Texts, arm: Arm, store: VectorStore | None, indexed: Indexed) -> int:
    """Tokens that the encoder reads for an arm's chunks, special ones included."""
    if store is None:
        return 0
    if parse_ordering(arm.condition.ordering).window:
        return sum(one.tokens for one in late_jobs(texts, arm, store, indexed.chunks).layouts)
    counted = np.asarray(token_count(store, indexed.matched))
    special = 0 if isinstance(store.encoder, ApiEncoder) else SPECIAL
    window = getattr(store.encoder, "window", None) or np.inf
    return int(np.minimum(counted + special, window).sum())


def token_count(store: VectorStore, matched: Sequence[str]) -> list[int]:
    """Tokens of each text as the encoder counts them, or as WordPiece does where it does not."""
    own: Callable[[Sequence[str]], list[int]] | None = getattr(store.encoder, "token_count", None)
    if own is not None:
        return own(matched)
    usual = "cl100k" if isinstance(store.encoder, ApiEncoder) else "wordpiece"
    return tokens.counter(usual).count_many(matched)


def label(arm: Arm, among: Sequence[Arm] = ()) -> str:
    """An arm as a reader knows it: its chunker, and in what else it differs from others."""
    shared = {
        name
        for name, value in arm.keys.items()
        if name != "chunker" and among and all(one.keys[name] == value for one in among)
    }
    shown = {k: shown_as(k, v) for k, v in arm.keys.items() if k not in shared}
    return ", ".join(shown.values())


def shown_as(key: str, value: object) -> str:
    """What tells an arm from another, as a reader knows it."""
    text = str(value)
    if key == "chunker" and LARGER in text and ":" not in text:
        small, _, large = text.rpartition(LARGER)
        around = WINDOW.fullmatch(large)
        larger = f"{around[1]} neighbours on either side" if around else shown_as(key, large)
        return f"{shown_as(key, small)}, returned with {RETURNED.get(large, larger)}"
    return titles.shown(key, value)


def shares_unread(indexed: Indexed, read: Ints | None) -> tuple[float, float]:
    """The share of chunks of which something, and of characters that, an encoder never reads."""
    total = int(indexed.own_lengths.sum())
    if read is None or not total:
        return float("nan"), float("nan")
    return float((read < indexed.own_lengths).mean()), 1 - int(read.sum()) / total


def _run_one(
    texts: Texts,
    arm: Arm,
    asked: Asked,
    store: VectorStore | None,
    indexed: Indexed,
    offsets: Sequence[tokens.TokenOffsets],
) -> Ran:
    before = store.seconds if store else 0.0
    search, of_queries = searching(texts, arm, store, indexed, texts.collection.queries)
    returned, which = indexed.returned
    sizes = scores.token_sizes(returned, offsets)
    if texts.task == "in_corpus":
        ranking = scores.rank_documents(texts.collection, search, indexed.chunks.document)
        judged, found = texts.collection, scores.of_documents(texts.collection, ranking, asked)
    else:
        ranking = scores.rank_spans(search, which, sizes, asked)
        judged = scores.found_first(texts.collection, texts.copies, returned, ranking)
        found = scores.of_excerpts(judged, returned, ranking, sizes, offsets, asked)
    count = read_tokens(texts, arm, store, indexed)
    price = store.encoder.price if store and isinstance(store.encoder, ApiEncoder) else None
    return Ran(
        arm,
        indexed,
        ranking,
        found.apply(records.six_decimals),
        judged,
        sizes,
        characters_read(store, arm, indexed),
        count,
        store.seconds - before if store else 0.0,
        price.dollars(count) if price else float("nan"),
        None if store is None or of_queries is None else store.encoder.describe(),
    )


def _chunked(
    texts: Texts,
    arm: Arm,
    way: Way,
    store: VectorStore | None,
    own: dict[str, Chunker],
    vectors: Path,
) -> Chunks:
    condition, function = replace(arm.condition, chunker=way.slug), own.get(way.slug)
    boundaries = None if function else boundary_store(condition, vectors)
    return chunk(condition, texts.collection, store, function, boundaries)


def _read_late(
    texts: Texts,
    mine: Sequence[Arm],
    store: VectorStore | None,
    own: dict[str, Chunker],
    vectors: Path,
) -> dict[str, float]:
    """Read the documents once for all late arms of a model with the same window; the seconds that
    it took, by ordering."""
    groups: dict[str, list[Arm]] = {}
    seconds: dict[str, float] = {}
    for arm in mine:
        if parse_ordering(arm.condition.ordering).window:
            groups.setdefault(arm.condition.ordering, []).append(arm)
    for ordering, group in groups.items():
        if store is None:
            continue
        indexed = [(arm, index(texts, arm, store, own, vectors)) for arm in group]
        each = [late_jobs(texts, arm, store, one.chunks) for arm, one in indexed]
        before = store.seconds
        read_once(store, each, label=f"reading for {len(group)} chunkers, {ordering}")
        seconds[ordering] = store.seconds - before
    return seconds


def late_jobs(texts: Texts, arm: Arm, store: VectorStore, chunks: Chunks) -> Jobs:
    """What late chunking reads and pools for an arm's chunks.

    Raises:
        ModelError: if the encoder shows no token states.
    """
    if not hasattr(store.encoder, "pool"):
        raise ModelError(f"{arm.encoder.name} takes no late chunking: {arm.encoder.why_plain}")
    ordering = parse_ordering(arm.condition.ordering)
    return jobs(store, texts.collection.documents, chunks, ordering, CORRECTED)


def _remembering(function: OwnChunker, texts: Texts) -> Chunker:
    """A chunker of one's own, asked once for each document, since asking again might cost or give
    other chunks."""
    spans = checked(function, texts.collection.documents)
    known: dict[str, Sequence[Span] | Sequence[RewrittenSpan]] = {}

    def remembered(text: str) -> Sequence[Span] | Sequence[RewrittenSpan]:
        if text not in known:
            known[text] = spans(text)
        return known[text]

    return remembered
