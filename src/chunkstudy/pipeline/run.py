"""One condition: collection, chunks, vectors, ranking, scores, record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.chunkers.user_chunker import OwnChunker
from chunkstudy.collections.registry import load_collection
from chunkstudy.core import tokens
from chunkstudy.core.errors import UserError
from chunkstudy.core.files import check_writable
from chunkstudy.core.spans import Collection
from chunkstudy.encoders import api
from chunkstudy.pipeline import records, scoring
from chunkstudy.pipeline.chunking import cut, describe, describe_language_model
from chunkstudy.pipeline.conditions import PREPENDED, Condition
from chunkstudy.pipeline.encoding import Vectors, contexts_of, encode_both, jobs, read_once
from chunkstudy.pipeline.engine import chunk
from chunkstudy.pipeline.environment import PACKAGES, describe_environment
from chunkstudy.pipeline.records import Outcome
from chunkstudy.pipeline.requirements import reason_not_run
from chunkstudy.pipeline.vector_store import VectorStore, load_store

UNITS = ("cl100k", "wordpiece", "characters")


def run(condition: Condition, vectors: Path, runs: Path) -> Outcome:
    """Run one condition and write its record.

    Raises:
        UserError: if the condition cannot be run here.
        OSError: if the record could not be written, before anything is encoded.
    """
    check_writable(runs)
    outcome = of_record(condition, vectors)
    records.write(runs, outcome)
    return outcome


def of_record(condition: Condition, vectors: Path) -> Outcome:
    """What the record of a condition holds, not written yet; see :func:`compute`. Of a layout, of
    which there are many, that is the scores that are compared."""
    outcome = compute(condition, vectors)
    if not condition.method.beside:
        return outcome
    scores = outcome.scores[[condition.measure]]
    run = outcome.run.with_scores(scores).model_copy(update={"ranking": None})
    return Outcome(run, scores, outcome.timing)


def compute(condition: Condition, vectors: Path, function: OwnChunker | None = None) -> Outcome:
    """Run one condition, writing nothing but vectors.

    Raises:
        UserError: if the condition cannot be run here.
    """
    if reason := reason_not_run(condition):
        raise UserError(f"{condition} cannot be run: {reason}")
    model, newlines = condition.model, condition.rules.newlines
    return evaluate(
        condition,
        load_collection(condition.collection),
        load_store(condition.encoder, vectors, newlines) if model else None,
        function,
    )


def read_together(conditions: Sequence[Condition], vectors: Path) -> None:
    """Read each collection once for all its contextualized conditions of one encoder and window.

    Their vectors are then in the store, so running them reads nothing again.
    """
    groups: dict[tuple[str, str, str], list[Condition]] = {}
    for condition in conditions:
        if condition.method.window and not reason_not_run(condition):
            shared = (condition.collection, condition.encoder, condition.ordering)
            groups.setdefault(shared, []).append(condition)
    for (name, encoder, ordering), group in groups.items():
        collection, store = load_collection(name), load_store(encoder, vectors)
        read_once(
            store,
            [
                jobs(
                    store,
                    collection.documents,
                    cut(collection, c.chunking, c.rules, store),
                    c.method,
                    c.rules,
                )
                for c in group
            ],
            label=f"{name}, {ordering}, {len(group)} conditions",
        )


def evaluate(
    condition: Condition,
    collection: Collection,
    store: VectorStore | None,
    function: OwnChunker | None = None,
) -> Outcome:
    """Chunk, encode, search and score a collection under a condition.

    Args:
        condition: the condition.
        collection: its collection.
        store: the open model; None if no model takes part.
        function: a user's chunker, used instead of the condition's.
    """
    method, protocol = condition.method, condition.rules
    started, encoding = time.perf_counter(), store.seconds if store else 0.0
    chunks = chunk(collection, function or condition.chunking, store, protocol)
    seconds = time.perf_counter() - started - (store.seconds - encoding if store else 0.0)
    texts = chunks.texts(collection.documents)
    vectors: Vectors | None = None
    before: list[str] = []
    if store is not None:
        before = contexts_of(method, collection, chunks)
        store.say_price(str(condition), texts, [query.text for query in collection.queries])
        vectors = encode_both(
            store, collection, chunks, method, protocol, before, condition.chunker
        )
    empty = sum(not "".join(read).strip() for read in zip_longest(before, texts, fillvalue=""))
    if vectors and method.window:
        empty = int((~vectors.chunks.any(axis=1)).sum())
    sizes = {name: np.asarray(tokens.counter(name).count_many(texts)) for name in UNITS}
    propositions = condition.chunking.entry.rewrites
    scored = scoring.score(
        condition.collection, collection, chunks, vectors, protocol, propositions
    )
    in_documents = tokens.counter("cl100k").count_many([d.text for d in collection.documents])
    timing = {
        "chunking_seconds_without_encoding": seconds,
        "collection_tokens": sum(in_documents),
    }
    scores = scoring.rounded(scored.scores)
    record = records.Run(
        **asdict(condition),
        collection_sha256=collection.digest(),
        collection_order_free_sha256=collection.order_free_digest(),
        chunks_sha256=chunks.digest(),
        measures=list(scores.columns),
        per_query_sha256=records.scores_sha256(scores),
        ranking=None if scored.kept is None else records.RankingSummary.describing(scored.kept),
        model=api.describe(store.encoder, vectors) if store and vectors else None,
        boundaries=None if function else describe(condition.chunking, store),
        reading=_reading(condition, before),
        depth=protocol.depth,
        unscored=[query.id for query in collection.queries if query.id not in scores.index],
        similarity="no search" if store is None else "cosine, exact, float32",
        counts=records.Counts(
            documents=len(collection.documents),
            chunks=len(chunks),
            queries_expected=len(collection.queries),
            queries_scored=len(scores),
            empty_chunks=empty,
            fallbacks=chunks.fallbacks,
            ties_at_cut=scored.ties_at_cut,
            judged_but_absent=len(collection.absent),
        ),
        tie_range=scored.tie_range,
        sizes={name: _sizes(values) for name, values in sizes.items()},
        **describe_environment(PACKAGES),
    )
    return Outcome(record, scores, timing, scored.kept)


def _reading(condition: Condition, before: Sequence[str]) -> dict[str, Any] | None:
    method, protocol = condition.method, condition.rules
    if method.context:
        contexts = {
            "layout": PREPENDED,
            "context": method.context,
            "chunks_with_context": sum(map(bool, before)),
            "context_tokens": sum(tokens.counter("wordpiece").count_many(before)),
        }
        if method.llm:
            contexts["written_by"] = describe_language_model(method.llm)
        return contexts
    if not method.window:
        return None
    return {
        "layout": method.layout or protocol.layout,
        "window": method.window,
        "overlap": method.overlap if protocol.layout != "packed" else 0,
        "special_tokens": protocol.special_tokens,
    }


def _sizes(values: NDArray[np.int64]) -> records.Sizes:
    return records.Sizes(
        mean=round(float(values.mean()), 6),
        percentiles=[round(float(p), 2) for p in np.percentile(values, np.arange(0, 101, 5))],
    )
