"""One condition: collection, chunks, vectors, ranking, scores, record."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base import tokens
from chunkstudy.base.files import check_writable
from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunker, Chunks, Collection
from chunkstudy.collections import registry
from chunkstudy.encoders import api, models
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.evaluation.retrieval import hnsw
from chunkstudy.llm.prices import budget
from chunkstudy.runs import (
    by_language_model,
    rankings,
    records,
    scoring,
)
from chunkstudy.runs.chunking import chunk, contexts_of, drawing
from chunkstudy.runs.conditions import NONE, Condition, ConditionError
from chunkstudy.runs.encoding import encode, jobs, read_once
from chunkstudy.runs.names import (
    CONTEXTUALIZED,
    PREPENDED,
    parse_chunker,
    parse_encoder,
    parse_ordering,
)
from chunkstudy.runs.store import VectorStore

PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "tiktoken", "chunkstudy")
UNITS = ("cl100k", "wordpiece", "characters")


@dataclass(frozen=True)
class Outcome:
    """Everything a run found, before it is written."""

    run: records.Run
    scores: pd.DataFrame
    """A row per query id, a column per measure, as stored."""
    timing: dict[str, Any]
    chunks: Chunks
    kept: pd.DataFrame | None
    """The ranking as stored (``rankings.py``)."""


def made_on(packages: Iterable[str]) -> dict[str, Any]:
    """What a number may depend on beside what it was made of, for records and provenance."""
    return {
        "packages": {name: version(name) for name in packages},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


@lru_cache(maxsize=2)
def load_collection(name: str) -> Collection:
    """The collection of that name, the last two kept."""
    return registry.find(name).load()


@lru_cache(maxsize=4)
def load_store(
    encoder: str,
    folder: Path,
    newlines: Literal["kept", "spaces"] = "kept",
) -> VectorStore:
    """The encoder and what it has computed; ``newlines``: see :class:`Protocol`."""
    name, window, dtype = parse_encoder(encoder)
    model = models.spec(name)
    if model.kind == "api":
        return VectorStore(ApiEncoder(model, window, newlines, budget=budget()), folder)
    from chunkstudy.encoders.transformer import TransformerEncoder  # torch, only where it computes

    return VectorStore(TransformerEncoder(model, window=window, dtype=dtype), folder)


def run(condition: Condition, vectors: Path, runs: Path, outside: Path) -> Outcome:
    """Run one condition and write its record.

    Args:
        outside: the folder of rankings too big to lie beside their record.

    Raises:
        ConditionError: if the condition cannot be run here.
        OSError: if the record could not be written, before anything is encoded.
    """
    check_writable(runs)
    outcome = compute(condition, vectors)
    if condition.ordering != NONE and parse_ordering(condition.ordering).beside:
        outcome = _of_one_measure(outcome)
    records.write(
        runs / condition.path,
        outcome.run,
        outcome.scores,
        outcome.timing,
        outcome.kept,
        outside=outside,
    )
    return outcome


def _of_one_measure(outcome: Outcome) -> Outcome:
    """What a record of a layout keeps, of which there are many: the scores that are compared."""
    first = [outcome.run.condition.measure]
    scores = outcome.scores[first]
    run = outcome.run.model_copy(
        update={
            "measures": first,
            "per_query_sha256": records.scores_sha256(scores),
            "ranking": None,
        }
    )
    return replace(outcome, run=run, scores=scores, kept=None)


def compute(
    condition: Condition,
    vectors: Path,
    chunker: Chunker | None = None,
    approximate: bool = False,
) -> Outcome:
    """Run one condition, with its own chunker or the one given, and write nothing but vectors.

    Raises:
        ConditionError: if the condition cannot be run here.
    """
    if reason := condition.reason_not_run:
        raise ConditionError(f"{condition} cannot be run: {reason}")
    newlines = PROTOCOLS[condition.protocol].newlines
    return evaluate(
        condition,
        load_collection(condition.collection),
        None if condition.encoder == NONE else load_store(condition.encoder, vectors, newlines),
        chunker,
        boundary_store(condition, vectors),
        approximate,
    )


def boundary_store(condition: Condition, vectors: Path) -> VectorStore | None:
    """The model that draws the boundaries, where it is not the evaluated one."""
    drawing = parse_chunker(condition.chunker).encoder
    return load_store(drawing, vectors) if drawing else None


def read_together(conditions: Sequence[Condition], vectors: Path) -> None:
    """Read each collection once for all its contextualized conditions of one encoder and window.

    Their vectors are then in the store, so running them reads nothing again.
    """
    groups: dict[tuple[str, str, str], list[Condition]] = {}
    for one in conditions:
        if one.ordering.startswith(CONTEXTUALIZED) and not one.reason_not_run:
            groups.setdefault((one.collection, one.encoder, one.ordering), []).append(one)
    for (name, encoder, ordering), group in groups.items():
        collection, store = load_collection(name), load_store(encoder, vectors)
        read_once(
            store,
            [
                jobs(
                    store,
                    collection.documents,
                    chunk(one, collection, store, boundaries=boundary_store(one, vectors)),
                    parse_ordering(ordering),
                    PROTOCOLS[one.protocol],
                )
                for one in group
            ],
            label=f"{name}, {ordering}, {len(group)} conditions",
        )


def evaluate(
    condition: Condition,
    collection: Collection,
    store: VectorStore | None,
    chunker: Chunker | None = None,
    boundaries: VectorStore | None = None,
    approximate: bool = False,
) -> Outcome:
    """Score a collection's queries under a condition, with its own chunker or the one given.

    ``boundaries`` is what :func:`boundary_store` gives; ``approximate`` searches as Chroma's
    official code does (:mod:`chunkstudy.evaluation.retrieval.hnsw`).

    Raises:
        ConditionError: if the first is needed and was not given.
    """
    protocol = PROTOCOLS[condition.protocol]
    timing: dict[str, Any] = {}
    with _timed(timing, "chunking", store):
        chunks = chunk(condition, collection, store, chunker, boundaries)
    texts = chunks.texts(collection.documents)
    vectors = None
    before: list[str] = []
    empty = sum(not text.strip() for text in texts)
    if store is not None:
        ordering = parse_ordering(condition.ordering)
        before = contexts_of(condition, collection, chunks)
        with _timed(timing, "", store):
            questions = [query.text for query in collection.queries]
            if isinstance(store.encoder, ApiEncoder):
                missing = store.missing(texts), store.missing(questions, "query")
                store.encoder.say_price(str(condition), *missing)
            label = str(condition.chunker)
            of_chunks, empty = encode(
                store, collection.documents, chunks, ordering, protocol, label, before
            )
            of_queries = store.encode(questions, "query")
            vectors = (of_queries, of_chunks)
    sizes = {name: np.asarray(tokens.counter(name).count_many(texts)) for name in UNITS}
    scored = _score(condition, collection, chunks, vectors, approximate)
    timing |= scored.seconds
    in_documents = tokens.counter("cl100k").count_many([d.text for d in collection.documents])
    timing["collection_tokens"] = sum(in_documents)
    scores = records.rounded(scored.scores)
    record = records.Run(
        **asdict(condition),
        collection_sha256=collection.digest(),
        collection_order_free_sha256=collection.order_free_digest(),
        chunks_sha256=chunks.digest(),
        measures=list(scores.columns),
        per_query_sha256=records.scores_sha256(scores),
        ranking=None if scored.kept is None else rankings.describe(scored.kept),
        model=api.describe(store.encoder, vectors) if store and vectors else None,
        boundaries=None if chunker else drawing(condition, boundaries),
        reading=_reading(condition, before),
        depth=protocol.depth,
        unscored=[query.id for query in collection.queries if query.id not in scores.index],
        similarity="no search"
        if store is None
        else f"cosine, {'approximate' if approximate else 'exact, float32'}",
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
        **made_on(PACKAGES),
    )
    return Outcome(record, scores, timing, chunks, scored.kept)


def _score(
    condition: Condition,
    collection: Collection,
    chunks: Chunks,
    vectors: tuple[NDArray[np.float32], NDArray[np.float32]] | None,
    approximate: bool,
) -> scoring.Scored:
    if approximate and condition.task != "token_overlap":
        raise ConditionError(f"{condition} is searched exactly; Chroma's search is of its own task")
    by: scoring.By | None = vectors
    if vectors and approximate:
        order = hnsw.as_asked(collection, chunks)
        by = hnsw.as_published(*vectors, scoring.OVERLAP_DEPTH, order)
    propositions = parse_chunker(condition.chunker).entry.rewrites
    protocol = PROTOCOLS[condition.protocol]
    return scoring.score(condition.collection, collection, chunks, by, protocol, propositions)


@contextmanager
def _timed(timing: dict[str, Any], stage: str, store: VectorStore | None) -> Iterator[None]:
    """Note what a stage encoded, and for chunking the seconds that are not encoding."""
    prefix = f"{stage}_" if stage else ""
    started = time.perf_counter()
    before = _spent(store)
    yield
    computed, read, spent = (now - then for now, then in zip(_spent(store), before, strict=True))
    if stage:
        timing[f"{stage}_seconds_without_encoding"] = time.perf_counter() - started - spent
    timing[f"{prefix}encoded_texts"] = computed
    timing[f"{prefix}encoded_tokens_in_context"] = read
    timing[f"{prefix}encoding_seconds"] = spent


def _spent(store: VectorStore | None) -> tuple[int, int, float]:
    """Texts, tokens in context and seconds that the store took so far."""
    return (store.computed, store.tokens, store.seconds) if store else (0, 0, 0.0)


def _reading(condition: Condition, before: Sequence[str]) -> dict[str, Any] | None:
    if condition.ordering == NONE:
        return None
    ordering, protocol = parse_ordering(condition.ordering), PROTOCOLS[condition.protocol]
    if ordering.context:
        found = {
            "layout": PREPENDED,
            "context": ordering.context,
            "chunks_with_context": sum(map(bool, before)),
            "context_tokens": sum(tokens.counter("wordpiece").count_many(before)),
        }
        by = by_language_model.describe(ordering.llm) if ordering.llm else {}
        return found | ({"written_by": by} if by else {})
    if not ordering.window:
        return None
    return {
        "layout": ordering.layout or protocol.layout,
        "window": ordering.window,
        "overlap": ordering.overlap if protocol.layout != "packed" else 0,
        "special_tokens": protocol.special_tokens,
    }


def _sizes(values: NDArray[np.int64]) -> records.Sizes:
    return records.Sizes(
        mean=round(float(values.mean()), 6),
        percentiles=[round(float(p), 2) for p in np.percentile(values, np.arange(0, 101, 5))],
    )
