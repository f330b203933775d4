"""One condition: collection, chunks, vectors, ranking, scores, record."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy import retrieval, tokens
from chunkstudy.chunkers import catalogue
from chunkstudy.collections import builtin, chroma
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.experiment import records
from chunkstudy.experiment.conditions import NONE, Condition, ConditionError
from chunkstudy.experiment.store import VectorStore
from chunkstudy.measures.token_overlap import TokenOverlap, in_tokens
from chunkstudy.protocols import PROTOCOLS, Protocol
from chunkstudy.spans import Chunker, Chunks, Collection, chunk_documents

DEPTH = 20
CUTS: tuple[int | str, ...] = (5, 10, "Min")
PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "tiktoken", "chunkstudy")
UNITS = ("cl100k", "wordpiece", "characters")
LOADERS: dict[str, Callable[[], Collection]] = {"chroma": chroma.load, "builtin": builtin.load}


@dataclass(frozen=True)
class Outcome:
    """Everything a run found, before it is written."""

    run: records.Run
    scores: str
    timing: dict[str, Any]
    chunks: Chunks
    ranking: retrieval.Ranking | None


@lru_cache(maxsize=2)
def load_collection(name: str) -> Collection:
    return LOADERS[name]()


@lru_cache(maxsize=2)
def load_store(encoder: str, folder: Path) -> VectorStore:
    model, window = models.parse_slug(encoder)
    return VectorStore(TransformerEncoder(models.spec(model), window=window), folder)


def run(condition: Condition, vectors: Path, runs: Path | None = None) -> Outcome:
    """Run one condition and, where ``runs`` is given, write its record.

    Raises:
        ConditionError: if the condition cannot be run here.
    """
    if reason := condition.reason_not_run:
        raise ConditionError(f"{condition} cannot be run: {reason}")
    store = None if condition.encoder == NONE else load_store(condition.encoder, vectors)
    outcome = evaluate(condition, load_collection(condition.collection), store)
    if runs is not None:
        records.write(runs / condition.path, outcome.run, outcome.scores, outcome.timing)
    return outcome


def evaluate(
    condition: Condition,
    collection: Collection,
    store: VectorStore | None,
    chunker: Chunker | None = None,
) -> Outcome:
    """Score a collection's queries under a condition, with its own chunker or the one given."""
    protocol = PROTOCOLS[condition.protocol]
    timing: dict[str, Any] = {}
    started = time.perf_counter()
    encoded_before = (store.computed, store.seconds) if store else (0, 0.0)
    if chunker is None:
        chunker = catalogue.build(condition.chunker, protocol, store.encode if store else None)
    chunks = chunk_documents(chunker, collection.documents)
    texts = chunks.texts(collection.documents)
    spent = (store.seconds - encoded_before[1]) if store else 0.0
    timing["chunking_seconds_without_encoding"] = time.perf_counter() - started - spent
    timing["chunking_encoded_texts"] = store.computed - encoded_before[0] if store else 0
    timing["chunking_encoding_seconds"] = spent

    ranking = None
    if store is not None:
        before = (store.computed, store.seconds)
        vectors = store.encode(texts, "document", label=str(condition.chunker))
        queries = store.encode([query.text for query in collection.queries], "query")
        timing["encoded_texts"] = store.computed - before[0]
        timing["encoding_seconds"] = store.seconds - before[1]
        started = time.perf_counter()
        ranking = retrieval.search(queries, vectors, DEPTH)
        timing["search_seconds"] = time.perf_counter() - started

    sizes = {name: np.asarray(tokens.counter(name).count_many(texts)) for name in UNITS}
    started = time.perf_counter()
    scores = score(collection, chunks, ranking, protocol, sizes["cl100k"])
    timing["scoring_seconds"] = time.perf_counter() - started
    timing["collection_tokens"] = sum(
        len(tokens.encode_cl100k(document.text)) for document in collection.documents
    )
    text = records.per_query_text(scores)
    record = records.Run(
        collection=condition.collection,
        chunker=condition.chunker,
        encoder=condition.encoder,
        ordering=condition.ordering,
        protocol=condition.protocol,
        collection_sha256=collection.digest(),
        collection_order_free_sha256=collection.order_free_digest(),
        chunks_sha256=chunks.digest(),
        per_query_sha256=records.text_sha256(text),
        model=store.encoder.describe() if store else None,
        similarity="cosine, exact, float32" if store else "no search",
        counts=records.Counts(
            documents=len(collection.documents),
            chunks=len(chunks),
            queries_expected=len(collection.queries),
            queries_scored=int(scores["query_id"].nunique()),
            empty_chunks=sum(not text.strip() for text in texts),
            fallbacks=0,
            ties_at_cut=_ties(ranking, 10),
        ),
        sizes={name: _sizes(values) for name, values in sizes.items()},
        packages={name: version(name) for name in PACKAGES},
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
    )
    return Outcome(record, text, timing, chunks, ranking)


def score(
    collection: Collection,
    chunks: Chunks,
    ranking: retrieval.Ranking | None,
    protocol: Protocol,
    chunk_tokens: NDArray[np.int64],
) -> pd.DataFrame:
    """Every measure of the token-overlap task, as ``query_id, measure, value``."""
    columns: dict[str, NDArray[np.float64]] = {}
    _score_unit(columns, TokenOverlap.of(collection, chunks, protocol.hit), ranking, "", protocol)
    if protocol.true_tokens:
        offsets = [tokens.cl100k_offsets(document.text) for document in collection.documents]
        in_true_tokens = in_tokens(collection, chunks, offsets)
        _score_unit(columns, in_true_tokens, ranking, "(unit=token)", protocol)
    if ranking is not None:
        for cut in (5, 10):
            found = ranking.chunk[:, :cut]
            read = np.where(found >= 0, chunk_tokens[found], 0).sum(axis=1)
            columns[f"TokensRead@{cut}"] = read.astype(np.float64)
    wide = pd.DataFrame(columns)
    wide.insert(0, "query_id", [query.id for query in collection.queries])
    return wide.melt(id_vars="query_id", var_name="measure", value_name="value")


def _score_unit(
    columns: dict[str, NDArray[np.float64]],
    overlap: TokenOverlap,
    ranking: retrieval.Ranking | None,
    unit: str,
    protocol: Protocol,
) -> None:
    omega, omega_sum = overlap.precision_omega()
    columns[f"PrecisionOmega{unit}"] = omega
    if protocol.hit == "overlap":
        columns[f"PrecisionOmega(sum){unit}".replace(")(", ",")] = omega_sum
    if ranking is None:
        return
    for cut in CUTS:
        for name, values in overlap.at(ranking.chunk, cut).items():
            if unit and name == "SpanF1":
                continue
            columns[f"{name}{unit}@{cut}"] = values


def _sizes(values: NDArray[np.int64]) -> records.Sizes:
    return records.Sizes(
        mean=round(float(values.mean()), 6),
        percentiles=[round(float(p), 2) for p in np.percentile(values, np.arange(0, 101, 5))],
    )


def _ties(ranking: retrieval.Ranking | None, cut: int) -> int:
    return 0 if ranking is None else int(ranking.tied_at(cut).sum())
