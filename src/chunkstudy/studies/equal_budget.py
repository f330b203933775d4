"""Does overlap still pay, and which chunk size is best, where all hand over equally much text?

At equal k larger and overlapping chunks give the reader more text. Here retrieved chunks are read
in the order of their rank until a budget of tokens is spent, and the last one is cut there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import covid_qa
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import encode, parse_ordering
from chunkstudy.grid.grids import LATE, MPNET_WINDOWS, OWN, PRE, WIDE
from chunkstudy.measures.reading_budget import AGAIN, ONCE, follow
from chunkstudy.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.protocols import PROTOCOLS
from chunkstudy.retrieval import chunks as retrieval
from chunkstudy.spans import Chunks, Collection
from chunkstudy.studies.runner import Context
from chunkstudy.tokens import TokenOffsets, cl100k_offsets

COLLECTIONS = ("chroma", "chroma-within", covid_qa.WITHIN)
BUDGETS = (1_000, 2_000, 4_000)
"""cl100k tokens."""
CHUNKS, CUT = "chunks", 5
"""Beside the budgets, recall of the first five chunks, which is how it is usually reported."""
DECIMALS = 4

TO_400 = tuple(
    f"{name}-{size}"
    for name in ("recursive", "token")
    for size in ("200-0", "250-0", "250-125", "400-0", "400-200")
)
TO_800 = tuple(f"{name}-{size}" for name in ("recursive", "token") for size in ("800-0", "800-400"))
OTHERS = ("fixed-64", "fixed-256", "sentence-5", "paragraph")
GUIDED = ("cluster-200", "cluster-400", "kamradt", "kamradt-modified-300")


@dataclass(frozen=True, slots=True)
class Arm:
    """Chunkers under one encoder and ordering."""

    collections: tuple[str, ...]
    encoder: str
    ordering: str
    chunkers: tuple[str, ...]


CORPORA = ("chroma", "chroma-within")
ARMS = (
    Arm(CORPORA, WIDE, PRE, (*TO_400, *OTHERS, *GUIDED)),
    Arm(CORPORA, WIDE, LATE, (*TO_400, *TO_800, *OTHERS, *GUIDED)),
    Arm(CORPORA, MPNET_WINDOWS[512], LATE, (*TO_400, *TO_800, *OTHERS, "cluster-200")),
    Arm((covid_qa.WITHIN,), WIDE, LATE, (*TO_400, *TO_800, *OTHERS, "cluster-200")),
)
"""Chunks of 800 tokens are longer than any window, so that embedded by themselves they would be
cut: they are compared where documents are read first."""


def tables(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """``questions``: a row per collection, encoder, ordering, budget, way of counting and question,
    a column per chunker: the fraction of the judged tokens that is read. ``chunkers``: how many
    chunks there are, and their mean tokens."""
    questions, chunkers = [], []
    for arm in ARMS:
        for name in arm.collections:
            if name in collections:
                keys = {"collection": name, "encoder": arm.encoder, "ordering": arm.ordering}
                found, sizes = read(context, name, arm)
                questions.append(found.assign(**keys))
                chunkers += [keys | one for one in sizes]
    together = pd.concat(questions, ignore_index=True)
    first = ["collection", "encoder", "ordering", "counted", "budget", "query_id", "document"]
    columns = [*first, *(name for name in together if name not in first)]
    return {"questions": together[columns], "chunkers": pd.DataFrame(chunkers)}


def read(context: Context, name: str, arm: Arm) -> tuple[pd.DataFrame, list[dict[str, object]]]:
    """Rows of both tables of one collection."""
    collection, store = context.collection(name), context.store(arm.encoder)
    offsets = [cl100k_offsets(document.text) for document in collection.documents]
    asked = store.encode([query.text for query in collection.queries], "query")
    recalls, sizes = {}, []
    for slug in arm.chunkers:
        context.say(f"tokens read of {name}/{slug}/{arm.encoder}/{arm.ordering}")
        chunks = context.chunks(Condition(name, slug, arm.encoder, arm.ordering, OWN), store)
        ordering = parse_ordering(arm.ordering)
        vectors, _ = encode(store, collection.documents, chunks, ordering, PROTOCOLS[OWN], slug)
        ranking = ranked(collection, chunks, asked, vectors)
        recalls[slug], tokens = at_budgets(collection, chunks, ranking, offsets)
        sizes.append({"chunker": slug, "chunks": len(chunks), "tokens": tokens})
    document = {query.id: query.document or "" for query in collection.queries}
    found = pd.DataFrame(recalls).reset_index()
    return found.assign(document=found["query_id"].map(document)), sizes


def ranked(
    collection: Collection,
    chunks: Chunks,
    asked: NDArray[np.float32],
    vectors: NDArray[np.float32],
) -> NDArray[np.int64]:
    """All chunks that a query may search, in order, shape (queries, as many as any may search)."""
    places = collection.positions
    named = [places[q.document] if q.document else -1 for q in collection.queries]
    limit = retrieval.Limit(np.asarray(named, dtype=np.int64), chunks.document)
    most = int(np.bincount(chunks.document).max()) if min(named) >= 0 else len(chunks)
    return retrieval.search(asked, vectors, most, limit).chunk


def at_budgets(
    collection: Collection,
    chunks: Chunks,
    ranking: NDArray[np.int64],
    offsets: Sequence[TokenOffsets],
) -> tuple[pd.Series, float]:
    """Recall by way of counting, budget and query, and the mean tokens of a chunk.

    Args:
        offsets: the characters of each document's cl100k tokens.
    """
    judged, in_tokens = to_tokens(JudgedSpans.of(collection), chunks, offsets)
    reading = follow(judged, in_tokens, ranking, max(BUDGETS))
    few = ranking[:, :CUT]
    few = np.pad(few, ((0, 0), (0, CUT - few.shape[1])), constant_values=retrieval.NO_CHUNK)
    found = {(CHUNKS, CUT): TokenOverlap(judged, in_tokens, "overlap").at(few, CUT)["SpanRecall"]}
    for counted in (AGAIN, ONCE):
        found |= {(counted, budget): reading.recall(budget, counted) for budget in BUDGETS}
    wide = pd.DataFrame(found, index=[query.id for query in collection.queries])
    long = wide.round(DECIMALS).unstack().rename_axis(["counted", "budget", "query_id"])
    return long, float(in_tokens.lengths.mean())
