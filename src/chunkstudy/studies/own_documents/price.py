"""What an evaluation would take, before it starts: texts to encode, minutes, dollars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import isnan, nan
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
from chunkstudy.runs.estimate import Cost, in_words
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


def counts(
    experiment: Experiment, systems: Sequence[System]
) -> Iterator[tuple[int | None, Sequence[str], Cost]]:
    """What each system adds to those before it: how many chunks, None where a model would have to
    draw their boundaries; the texts that are not encoded yet, or the documents where these are
    read; the tokens to encode and the seconds that chunking took. Nothing is encoded, and nothing
    asked of a server.

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
        tokens = 0.0
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
            tokens = text_tokens(store, missing).sum()
        cost = Cost(tokens, time.perf_counter() - started)
        yield None if index is None else len(index.chunks), missing, cost


def price(experiment: Experiment, systems: Sequence[System]) -> Iterator[str]:
    """A line for each system as it is known and one for all; a sample of what is to be encoded is,
    to time each model on this machine. Seconds and dollars that nobody knows are NaN."""
    total = Cost()
    seconds_a_token: dict[str, float] = {}
    counted = zip(systems, counts(experiment, systems), strict=True)
    for system, (chunks, texts, cost) in counted:
        store, slug = experiment.store(system), system.retriever.slug
        if cost.tokens:
            if slug not in seconds_a_token:
                seconds_a_token[slug] = _seconds_a_token(store, texts)
            cost += Cost(seconds=cost.tokens * seconds_a_token[slug])
        if sold := _sold(store):
            dollars = sold.estimate(texts).dollars
            cost += Cost(dollars=nan if dollars is None else dollars)
        total += cost
        drawn = "boundaries to be drawn" if chunks is None else f"{chunks:,} chunks"
        yield (
            f"{system.label()}: {drawn}, {cost.tokens:,.0f} tokens to encode, "
            f"{_duration(cost.seconds)}{_paid(cost) if sold else ''}"
        )
    collection = experiment.collection
    of = f"{len(collection.documents):,} documents and {len(collection.queries):,} questions"
    whole = OF_A_RUN * total.seconds + STARTING + A_SYSTEM * len(systems)
    paid = _paid(total) if any(_sold(experiment.store(system)) for system in systems) else ""
    about, here = ("", "") if isnan(whole) else ("about ", " on this machine")
    yield (
        f"in all, {of}: {about}{_duration(whole)}{here}{paid}; what is encoded is kept, and a run "
        "that was stopped goes on"
    )


def _duration(seconds: float) -> str:
    return "time not known" if isnan(seconds) else in_words(seconds)


def _paid(cost: Cost) -> str:
    return f", {money(None if isnan(cost.dollars) else cost.dollars)}"


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


def _seconds_a_token(store: VectorStore | None, texts: Sequence[str]) -> float:
    """How long a model takes here for a token; NaN where it does not run here."""
    if store is None or _sold(store):
        return nan
    ordered = sorted(dict.fromkeys(texts), key=len)
    warm, *sample = ordered[:: max(1, len(ordered) // SAMPLE)]
    store.encoder.encode([warm])  # weights are loaded, kernels warm
    times = []
    for part in filter(None, (sample[i::PARTS] for i in range(PARTS))):
        started = time.perf_counter()
        store.encoder.encode(part)
        times.append((time.perf_counter() - started) / float(text_tokens(store, part).sum()))
    return median(times) if times else nan


def _sold(store: VectorStore | None) -> ApiEncoder | None:
    """The encoder where a server sells its vectors."""
    return store.encoder if store and isinstance(store.encoder, ApiEncoder) else None
