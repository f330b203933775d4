"""Does overlap still pay, and which chunk size is best, where all hand over equally much text?

At equal k larger and overlapping chunks give the reader more text. Here retrieved chunks are read
in the order of their rank until a budget of tokens is spent, and the last one is cut there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.base.tokens import TokenOffsets, cl100k_offsets
from chunkstudy.collections import covid_qa
from chunkstudy.evaluation.measures.reading_budget import AGAIN, ONCE, follow
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.runs.conditions import (
    CONTEXTUALIZED,
    LATE_512,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    EncoderName,
)
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.study_runs import Context
from chunkstudy.show.study import Study

FIVE = ("chroma", "chroma-within")
"""The same five corpora, searched together and each by itself."""
PAPERS = (covid_qa.WITHIN,)
NAME = "equal-budget"
COLLECTIONS = (*FIVE, *PAPERS)
BUDGETS = (1_000, 2_000, 4_000)
"""cl100k tokens."""
CHUNKS, CUT = "chunks", 5
"""Beside the budgets, recall of the first five chunks, which is how it is usually reported."""
DECIMALS = 4
FIRST = ["collection", "encoder", "ordering", "counted", "budget", "query_id", "document"]
"""The columns of the table ``questions`` before the chunkers."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Chunkers under one encoder and ordering. ``collections`` are of the same documents, so that
    these are chunked and encoded once."""

    collections: tuple[str, ...]
    encoder: str
    ordering: str
    chunkers: tuple[str, ...]

    def within(self, other: Arm) -> bool:
        """Whether the other has all of its chunkers on all of its collections."""
        same = (self.encoder, self.ordering) == (other.encoder, other.ordering)
        few = {*self.collections} <= {*other.collections}
        return same and few and {*self.chunkers} <= {*other.chunkers}


TO_400 = (
    *(f"recursive-{size}" for size in ("200-0", "250-0", "250-125", "400-0", "400-200")),
    *(f"token-{size}" for size in ("250-0", "250-125")),
    *("fixed-64", "sentence-5", "cluster-200"),
)
LONGER = (
    *(f"token-{size}" for size in ("200-0", "400-0", "400-200")),
    *(f"{name}-{size}" for name in ("recursive", "token") for size in ("800-0", "800-400")),
    *("fixed-256", "paragraph", "cluster-400"),
)
OF_PAPERS = ("paragraph", "sentence-5", "fixed-64", "fixed-256", "recursive-200-0")
ARMS = (
    Arm(FIVE, MINILM_512, PRE_EMBEDDING, TO_400),
    Arm(FIVE, MINILM_512, LATE_512, (*TO_400, *LONGER)),
    Arm(PAPERS, MINILM_512, PRE_EMBEDDING, OF_PAPERS),
    Arm(PAPERS, MINILM_512, LATE_512, OF_PAPERS),
)
"""Chunks of 800 tokens are longer than any window, so that embedded by themselves they would be
cut: they are compared where documents are read first, which takes one reading for all chunkers.
The papers' chunkers are those of their records, whose vectors are at hand; none has overlap."""


def asked(
    corpora: Sequence[str],
    chunkers: Sequence[str],
    longer: Sequence[str],
    papers: str,
    in_papers: Sequence[str],
    encoder: str,
    window: int,
) -> list[Arm]:
    """The arms of a notebook, plain and late: chunkers in collections of the same documents, those
    of longer chunks late only, and others in papers."""
    slug, late = str(EncoderName(encoder, window)), f"{CONTEXTUALIZED}-{window}"
    arms = [
        Arm(tuple(corpora), slug, PRE_EMBEDDING, tuple(chunkers)),
        Arm(tuple(corpora), slug, late, (*chunkers, *longer)),
        *(Arm((papers,), slug, ordering, tuple(in_papers)) for ordering in (PRE_EMBEDDING, late)),
    ]
    return [one for one in arms if one.collections and one.chunkers]


def read(
    study: Study, some: Sequence[Arm], budgets: Sequence[int], k: int
) -> dict[str, pd.DataFrame]:
    """Both tables of these arms and budgets, from the stored experiment where it has all."""
    kept = k == CUT and {*budgets} <= {*BUDGETS}
    kept &= all(any(one.within(other) for other in ARMS) for one in some)
    found = study.stored(NAME, lambda context: of(context, some, budgets, k), kept=kept)
    every = found["questions"]
    every = every[every["budget"].isin([k, *budgets])]
    parts = [
        every.loc[(every[FIRST[:3]] == [name, arm.encoder, arm.ordering]).all(axis=1)][
            [*FIRST, *arm.chunkers]
        ]
        for arm in some
        for name in arm.collections
    ]
    return {"questions": pd.concat(parts, ignore_index=True), "chunkers": found["chunkers"]}


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``questions``: a row per collection, encoder, ordering, budget, way of counting and question,
    a column per chunker: the fraction of the judged tokens that is read. ``chunkers``: of each
    collection how many chunks there are, and their mean tokens.

    Raises:
        ValueError: if there is nothing to compare on these collections.
    """
    arms = [
        replace(arm, collections=tuple(one for one in arm.collections if one in collections))
        for arm in ARMS
    ]
    return of(context, [arm for arm in arms if arm.collections])


def of(
    context: Context, some: Sequence[Arm], budgets: Sequence[int] = BUDGETS, k: int = CUT
) -> dict[str, pd.DataFrame]:
    """The same of these arms, budgets and first chunks."""
    questions, chunkers = [], []
    for arm in some:
        found, sizes = of_arm(context, arm, budgets, k)
        questions.append(found)
        chunkers += sizes
    if not questions:
        raise ValueError(f"nothing is compared there; use one of {', '.join(COLLECTIONS)}")
    together = pd.concat(questions, ignore_index=True)
    columns = [*FIRST, *(name for name in together if name not in FIRST)]
    return {"questions": together[columns], "chunkers": pd.DataFrame(chunkers)}


def of_arm(
    context: Context, arm: Arm, budgets: Sequence[int], k: int
) -> tuple[pd.DataFrame, list[dict[str, object]]]:
    """Rows of both tables of one arm."""
    collections = [context.collection(name) for name in arm.collections]
    store, documents = context.store(arm.encoder), collections[0].documents
    if any(one.documents != documents for one in collections):
        raise ValueError("collections of other documents cannot share chunks; run them apart")
    offsets = [cl100k_offsets(document.text) for document in documents]
    keys = {"encoder": arm.encoder, "ordering": arm.ordering}
    recalls: dict[str, dict[str, pd.Series]] = {one.name: {} for one in collections}
    sizes = []
    for slug in arm.chunkers:
        condition = Condition(collections[0].name, slug, arm.encoder, arm.ordering, CORRECTED.name)
        context.say(f"tokens read of {condition}")
        chunks = context.chunks(condition, store)
        vectors, _ = encode(store, documents, chunks, condition.method, condition.rules, slug)
        for one in collections:
            asked = store.encode([query.text for query in one.queries], "query")
            ranking = ranked(one, chunks, asked, vectors)
            recalls[one.name][slug], tokens = at_budgets(one, chunks, ranking, offsets, budgets, k)
            about = {"chunker": slug, "chunks": len(chunks), "tokens": tokens}
            sizes.append({"collection": one.name, **keys, **about})
    found = []
    for one in collections:
        document = {query.id: query.document or "" for query in one.queries}
        rows = pd.DataFrame(recalls[one.name]).reset_index()
        rows["document"] = rows["query_id"].map(document)
        found.append(rows.assign(collection=one.name, **keys))
    return pd.concat(found), sizes


def ranked(
    collection: Collection,
    chunks: Chunks,
    asked: NDArray[np.float32],
    vectors: NDArray[np.float32],
) -> NDArray[np.int64]:
    """All chunks that a query may search, in order, shape (queries, one more than any may search):
    every row ends in padding, or in the last chunk there is."""
    places = collection.positions
    named = [places[q.document] if q.document else -1 for q in collection.queries]
    limit = retrieval.Limit(np.asarray(named, dtype=np.int64), chunks.document)
    most = int(np.bincount(chunks.document).max()) + 1 if min(named) >= 0 else len(chunks)
    return retrieval.search(asked, vectors, most, limit).chunk


def at_budgets(
    collection: Collection,
    chunks: Chunks,
    ranking: NDArray[np.int64],
    offsets: Sequence[TokenOffsets],
    budgets: Sequence[int] = BUDGETS,
    k: int = CUT,
) -> tuple[pd.Series, float]:
    """Recall by way of counting, budget and query, and the mean tokens of a chunk.

    Args:
        offsets: the characters of each document's cl100k tokens.
    """
    judged, in_tokens = to_tokens(JudgedSpans.of(collection), chunks, offsets)
    reading = follow(judged, in_tokens, ranking, max(budgets))
    few = ranking[:, :k]
    few = np.pad(few, ((0, 0), (0, k - few.shape[1])), constant_values=retrieval.NO_CHUNK)
    found = {(CHUNKS, k): TokenOverlap(judged, in_tokens, "overlap").at(few, k)["SpanRecall"]}
    for counted in (AGAIN, ONCE):
        found |= {(counted, budget): reading.recall(budget, counted) for budget in budgets}
    wide = pd.DataFrame(found, index=[query.id for query in collection.queries])
    long = pd.Series(wide.round(DECIMALS).unstack())
    long = long.rename_axis(["counted", "budget", "query_id"])
    return long, float(in_tokens.lengths.mean())
