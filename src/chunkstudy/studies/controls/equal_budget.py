"""Does overlap still pay, and which chunk size is best, where all hand over equally much text?

At equal k larger and overlapping chunks give the reader more text. Here retrieved chunks are read
in the order of their rank until a budget of tokens is spent, and the last one is cut there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.base.tokens import TokenOffsets, cl100k_offsets
from chunkstudy.collections import covid_qa
from chunkstudy.evaluation import statistics
from chunkstudy.evaluation.measures.reading_budget import AGAIN, ONCE, follow
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.statistics.clusters import clustered_means
from chunkstudy.evaluation.statistics.differences import (
    FEWEST_DOCUMENTS,
    Keys,
    Pair,
    at,
    differences,
)
from chunkstudy.runs.conditions import (
    LATE_512,
    MINILM_512,
    PRE_EMBEDDING,
    Condition,
    parse_chunker,
)
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.study_runs import Context
from chunkstudy.study.study import Study

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
READ = ["collection", "encoder", "ordering", "counted", "budget"]
FIRST = [*READ, "query_id", "document"]
"""The columns of the table ``questions`` before the chunkers."""
MEASURE = "SpanRecall(unit=token)"
MEAN = "mean over chunkers"
WHERE = "{collection}, {encoder}, {ordering}, counted {counted}"
"""Of every family: all budgets together, but that the best is chosen by budget."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Chunkers under one encoder and ordering. ``collections`` are of the same documents, so that
    these are chunked and encoded once."""

    collections: tuple[str, ...]
    encoder: str
    ordering: str
    chunkers: tuple[str, ...]

    @property
    def rankings(self) -> set[tuple[str, ...]]:
        """Each collection with each chunker."""
        every = product(self.collections, self.chunkers)
        return {(self.encoder, self.ordering, *one) for one in every}


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


def read(
    study: Study, some: Sequence[Arm], budgets: Sequence[int], k: int
) -> dict[str, pd.DataFrame]:
    """Both tables of these arms and budgets, from the stored experiment where it has all."""
    stored = set().union(*(arm.rankings for arm in ARMS))
    kept = k == CUT and {*budgets} <= {*BUDGETS} and all(arm.rankings <= stored for arm in some)
    found = study.stored(NAME, lambda context: of(context, some, budgets, k), kept=kept)
    every = found["questions"]
    every = every[every["budget"].isin([k, *budgets])]
    parts = [
        at(every, collection=name, encoder=arm.encoder, ordering=arm.ordering)[
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
    limit = retrieval.Limit.of(collection, chunks)
    within = limit.query_document.min() >= 0
    most = int(np.bincount(chunks.document).max()) + 1 if within else len(chunks)
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


def overlaps(questions: pd.DataFrame) -> pd.DataFrame:
    """Every chunker with overlap minus the same without, by budget and way of counting, and each
    question's mean over those chunkers.

    Args:
        questions: of :func:`tables`.
    """
    pairs = []
    for keys, recalls, document in _read(questions):
        plain = {
            slug: other for slug in map(str, recalls) if (other := without_overlap(slug)) in recalls
        }
        for chunker, other in plain.items():
            of_pair = {**keys, "chunker": chunker, "other": other, "measure": MEASURE}
            pairs.append(Pair(of_pair, recalls[chunker], recalls[other], document))
        if plain:
            of_mean = {**keys, "chunker": MEAN, "other": "", "measure": MEASURE}
            own, others = (recalls[list(some)].mean(axis=1) for some in (plain, plain.values()))
            pairs.append(Pair(of_mean, own, others, document))

    def family(keys: Keys) -> str:
        of = MEAN if keys["chunker"] == MEAN else "the chunkers"
        return f"overlap, {of}, {WHERE}".format_map(keys)

    return differences(pairs, family, "with overlap", "without")


def sizes(questions: pd.DataFrame, chunkers: pd.DataFrame) -> pd.DataFrame:
    """Every chunker by budget and way of counting, against the best of them, which is chosen by the
    same scores, so that being behind it is shown a little too easily.

    ``recall`` with its interval ``recall low`` to ``recall high``, over documents where there are
    enough of them; the rest compares it with the best, whose own row has no comparison. ``tokens``
    is the mean of its chunks.

    Args:
        questions: of :func:`tables`.
        chunkers: the same.
    """
    pairs, rows = [], []
    for keys, wide, document in _read(questions):
        best = str(wide.mean().idxmax())
        if document.nunique() < FEWEST_DOCUMENTS:
            ends = statistics.bootstrap_intervals(wide.to_numpy().T)
        else:
            ends = [one.interval for one in clustered_means((wide[c], document) for c in wide)]
        for chunker, interval in zip(wide, ends, strict=True):
            of_one = {**keys, "chunker": chunker}
            recall = statistics.with_interval("recall", wide[chunker].mean(), interval)
            rows.append(of_one | recall | {"best chunker": best})
            if chunker != best:
                compared = (wide[chunker], wide[best], document)
                pairs.append(Pair({**of_one, "measure": MEASURE}, *compared))
    behind = differences(
        pairs, f"against the best, {WHERE}, {{budget}}", "mean", "mean of the best"
    )
    behind = behind.drop(columns=["measure", "mean", "mean of the best"])
    together = pd.DataFrame(rows).merge(behind, how="left", on=[*READ, "chunker"])
    of_chunker = [*READ[:3], "chunker"]
    return together.merge(chunkers[[*of_chunker, "tokens"]], how="left", on=of_chunker)


def without_overlap(chunker: str) -> str:
    """The slug of the same chunker without overlap; empty where it has none."""
    spec = parse_chunker(chunker)
    if not spec.entry.takes("overlap") or not spec.sizes[1]:
        return ""
    return str(replace(spec, sizes=(spec.sizes[0], 0)))


def _read(
    questions: pd.DataFrame,
) -> Iterator[tuple[dict[str, object], pd.DataFrame, pd.Series]]:
    """The keys, recall by query id with a column a chunker, and each question's document."""
    for key, part in questions.groupby(READ, sort=False):
        wide = part.set_index("query_id")
        recalls = wide.drop(columns=[*READ, "document"]).dropna(axis=1, how="all")
        yield dict(zip(READ, key, strict=True)), recalls, wide["document"]
