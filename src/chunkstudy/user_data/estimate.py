"""What an evaluation would take, before it starts: tokens, time, dollars; ranking, scores and the
page, some seconds, are left out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan

from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.evaluation.retrieval.reranking import FIRST
from chunkstudy.llm.prices import Estimate
from chunkstudy.pipeline.conditions import parse_chunker
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.user_data.chunk_index import text_tokens
from chunkstudy.user_data.pipeline import Pipeline
from chunkstudy.user_data.systems import System

SAMPLE = 96
"""Texts of each model that are encoded to time it."""


def estimate(pipeline: Pipeline, systems: Sequence[System]) -> Iterator[str]:
    """A line for each system, with what it adds to those before it, and one for all.

    Nothing is asked of a server, and of what is to be encoded only a sample is, to time each model
    on this machine. Chunkers of one's own are run, since only their chunks tell. Where a model
    draws boundaries the text counts as often as it is read for them, and once for its chunks.
    """
    collection, counted = pipeline.collection, set[bytes]()
    pace: dict[str, float] = {}  # by retriever, seconds a token
    total = Estimate()
    for system in systems:
        store, started = pipeline.store(system.retriever), time.perf_counter()
        what, texts, tokens = _work(pipeline, system, store, counted)
        seconds, asked = time.perf_counter() - started, Estimate()
        if tokens:
            slug = system.retriever.slug
            pace[slug] = pace.get(slug) or _seconds_a_token(store, texts)
            seconds += tokens * pace[slug]
        if store and isinstance(store.encoder, ApiEncoder):
            asked = store.encoder.estimate(texts)
        takes = replace(asked, input_tokens=tokens, seconds=seconds)
        total += takes
        reranked = f", and {FIRST} chunks of each question to rerank, not timed"
        yield f"{system.label}: {what}{takes}{reranked if system.retriever.reranker else ''}"
    yield (
        f"in all, {len(collection.documents):,} documents and {len(collection.queries):,} "
        f"questions, on this machine: about {total}; what is encoded is kept, and a run that was "
        "stopped goes on"
    )


def _work(
    pipeline: Pipeline, system: System, store: VectorStore | None, counted: set[bytes]
) -> tuple[str, Sequence[str], float]:
    """How many chunks a system has, in words; which texts it has to read; and how many tokens of
    them are neither kept nor among those ``counted`` for systems before it."""
    catalogued = [parse_chunker(part.slug) for part in system.chunker.cutting if not part.function]
    drawn = (spec.entry.passes or float(bool(spec.llm)) for spec in catalogued)
    documents = [document.text for document in pipeline.collection.documents]
    if passes := sum(drawn):  # how often the text is read to draw boundaries
        tokens = pipeline.wordpieces * (passes + 1)
        return "boundaries to be drawn, at most ", documents, round(tokens)
    index = pipeline.chunk(system)
    chunks = f"{len(index):,} chunks, "
    if store is None:
        return chunks, [], 0
    if system.method.window:
        plan = pipeline.plan(system, store, index)
        unread = store.unread(*plan)
        tokens = sum(layout.tokens for key, layout in unread.items() if key not in counted)
        counted.update(unread)
        return chunks, documents, tokens
    missing = store.missing(index.texts)
    keys = store.encoder.keys(missing)
    texts = [text for text, key in zip(missing, keys, strict=True) if key not in counted]
    counted.update(keys)
    return chunks, texts, text_tokens(store.encoder, texts)


def _seconds_a_token(store: VectorStore | None, texts: Sequence[str]) -> float:
    """How long a model takes here for a token; NaN where it does not run here."""
    if store is None or isinstance(store.encoder, ApiEncoder):
        return nan
    ordered = sorted(dict.fromkeys(texts), key=len)
    sample = ordered[:: max(1, len(ordered) // SAMPLE)]
    store.encoder.encode(sample[:1])  # weights are loaded, kernels warm
    started = time.perf_counter()
    store.encoder.encode(sample)
    return (time.perf_counter() - started) / text_tokens(store.encoder, sample)
