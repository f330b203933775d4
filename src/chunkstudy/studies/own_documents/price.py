"""What an evaluation would take, before it starts: texts to encode, minutes, dollars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.tokens import counter
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.encoders.interface import Role
from chunkstudy.llm.prices import money
from chunkstudy.runs.conditions import ChunkerSpec, parse_chunker
from chunkstudy.runs.encoding import jobs
from chunkstudy.runs.estimate import in_words
from chunkstudy.runs.store import VectorStore
from chunkstudy.studies.own_documents.chunk_index import ChunkIndex, text_tokens
from chunkstudy.studies.own_documents.experiment import Experiment
from chunkstudy.studies.own_documents.systems import System

SAMPLE, PARTS = 96, 3
"""Texts of each model that are encoded to time it, and in how many parts, since the machine may be
busy during one."""
OF_A_RUN = 1.1
"""How much longer a run takes than encoding and chunking, beside what follows."""
STARTING, A_SYSTEM = 3.0, 0.4
"""Seconds for loading the model and writing the page; for ranking, scores and questions shown."""


@dataclass(frozen=True)
class Count:
    """What a system adds to those before it.

    Attributes:
        chunks: how many; None where a model would have to draw their boundaries.
        texts: that are not encoded yet, or the documents where these are read.
        tokens: to encode.
        seconds: that chunking took.
    """

    chunks: int | None
    texts: Sequence[str]
    tokens: int
    seconds: float


def counts(experiment: Experiment, systems: Sequence[System]) -> Iterator[Count]:
    """What each system adds; nothing is encoded, and nothing asked of a server.

    Chunkers of one's own are run, since only their chunks tell, and so is one that draws boundaries
    by embeddings where these are kept; else it is estimated: the text as often as it embeds it, and
    once more for its chunks. Late systems with one window read the documents once, together.
    """
    texts = [document.text for document in experiment.collection.documents]
    counted: set[bytes] = set()
    for system in systems:
        store, started = experiment.store(system), time.perf_counter()
        index = _index(experiment, system, store)
        missing: Sequence[str] = []
        tokens = 0
        if index is None:
            passes = sum(_passes(spec) for spec in _catalogued(system))
            missing = texts
            tokens = round(sum(counter("wordpiece").count_many(texts)) * (passes + 1))
        elif store is not None and system.method.window:
            documents = experiment.collection.documents
            plan = jobs(store, documents, index.chunks, system.method, CORRECTED)
            unread = store.unread(plan.layouts, plan.spans)
            missing = texts
            tokens = sum(layout.tokens for key, layout in unread.items() if key not in counted)
            counted.update(unread)
        elif store is not None:
            missing = store.missing(index.texts)
            keys = store.encoder.keys(missing)
            missing = [x for x, key in zip(missing, keys, strict=True) if key not in counted]
            counted.update(keys)
            tokens = round(text_tokens(store, missing).sum())
        seconds = time.perf_counter() - started
        yield Count(None if index is None else len(index.chunks), missing, tokens, seconds)


def price(experiment: Experiment, systems: Sequence[System]) -> Iterator[str]:
    """A line for each system as it is known and one for all; a sample of what is to be encoded is,
    to time each model on this machine."""
    total, known = 0.0, True
    dollars: float | None = 0.0
    rates: dict[str, float | None] = {}
    for system, count in zip(systems, counts(experiment, systems), strict=True):
        store, slug = experiment.store(system), system.retriever.slug
        if slug not in rates and count.tokens:
            rates[slug] = _tokens_a_second(store, count.texts)
        rate = rates.get(slug)
        seconds = count.seconds + (count.tokens / rate if rate else 0.0)
        total, known = total + seconds, known and bool(rate or not count.tokens)
        sold = store.encoder if store and isinstance(store.encoder, ApiEncoder) else None
        cost = sold.estimate(count.texts).dollars if sold else 0.0
        dollars = None if dollars is None or cost is None else dollars + cost
        chunks = "boundaries to be drawn" if count.chunks is None else f"{count.chunks:,} chunks"
        duration = in_words(seconds) if rate or not count.tokens else "time not known"
        paid = f", {money(cost)}" if sold else ""
        yield f"{system.label()}: {chunks}, {count.tokens:,} tokens to encode, {duration}{paid}"
    collection = experiment.collection
    of = f"{len(collection.documents):,} documents and {len(collection.queries):,} questions"
    whole = in_words(OF_A_RUN * total + STARTING + A_SYSTEM * len(systems))
    duration = f"about {whole} on this machine" if known else "time not known"
    paid = (
        f", {money(dollars)}" if any(_sold(experiment.store(system)) for system in systems) else ""
    )
    yield (
        f"in all, {of}: {duration}{paid}; what is encoded is kept, and a run that was stopped goes "
        "on"
    )


class _NotKeptError(Exception):
    """A vector would have to be computed."""


class _Kept(VectorStore):
    """Vectors that were computed before, and none else."""

    def encode(
        self, texts: Sequence[str], role: Role = "document", label: str = "encoding"
    ) -> NDArray[np.float32]:
        if self.missing(texts, role):
            raise _NotKeptError
        return super().encode(texts, role, label)


def _index(experiment: Experiment, system: System, store: VectorStore | None) -> ChunkIndex | None:
    """The chunks of a system; None where a model would have to draw their boundaries."""
    drawn = [spec for spec in _catalogued(system) if _passes(spec)]
    if not drawn:
        return experiment.index(system, store)
    if store is None or any(spec.llm or spec.reader or spec.encoder for spec in drawn):
        return None
    try:
        return experiment.index(system, _Kept(store.encoder, experiment.vectors))
    except _NotKeptError:
        return None


def _catalogued(system: System) -> list[ChunkerSpec]:
    return [parse_chunker(part.slug) for part in system.chunker.cutting if not part.function]


def _passes(spec: ChunkerSpec) -> float:
    """How often the text is read to draw boundaries."""
    return spec.entry.passes or (1.0 if spec.llm or spec.reader else 0.0)


def _tokens_a_second(store: VectorStore | None, texts: Sequence[str]) -> float | None:
    """How fast a model runs here; None where it does not."""
    if store is None or _sold(store):
        return None
    ordered = sorted(dict.fromkeys(texts), key=len)
    warm, *sample = ordered[:: max(1, len(ordered) // SAMPLE)]
    store.encoder.encode([warm])  # weights are loaded, kernels warm
    rates = []
    for part in filter(None, (sample[i::PARTS] for i in range(PARTS))):
        started = time.perf_counter()
        store.encoder.encode(part)
        rates.append(float(text_tokens(store, part).sum()) / (time.perf_counter() - started))
    return median(rates) if rates else None


def _sold(store: VectorStore | None) -> bool:
    return store is not None and isinstance(store.encoder, ApiEncoder)
