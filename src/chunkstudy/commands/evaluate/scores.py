"""What is measured of a ranking: excerpts by characters, chunks that hold one, whole documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.base.tokens import TokenOffsets
from chunkstudy.commands.evaluate.arms import EvaluationError
from chunkstudy.evaluation.measures import ranking as document_measures
from chunkstudy.evaluation.measures.copies import found_first as found_first
from chunkstudy.evaluation.measures.reading_budget import AGAIN, follow
from chunkstudy.evaluation.measures.token_overlap import Hit, JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking, Search
from chunkstudy.evaluation.retrieval.documents import DocumentRanking, own_documents
from chunkstudy.evaluation.retrieval.small_to_large import deep_enough

DEEPEST = 20
"""Ranks that are kept of each question at least."""
FIRST = 200
"""Chunks that are searched at once; more where these hold too few spans, documents or tokens."""
MOST_TOKENS = 1_000_000
HIT: Hit = "overlap"
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Asked:
    """What is measured.

    Attributes:
        task: of the collection.
        k: chunks, or documents, that count as read.
        budget: cl100k tokens that count as read, where that decides; 0 where k does.

    Raises:
        EvaluationError: if so many ranks or tokens cannot be read.
    """

    task: str
    k: int
    budget: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.k <= DEEPEST:
            raise EvaluationError(f"--k {self.k} is impossible; use 1 to {DEEPEST}")
        if self.budget and self.task == "in_corpus":
            raise EvaluationError("--budget counts what is read of excerpts, and whole documents "
                                  "are judged here; leave it out")  # fmt: skip
        if not 0 <= self.budget <= MOST_TOKENS:
            raise EvaluationError(f"--budget {self.budget} is impossible; use 1 to {MOST_TOKENS}")

    @property
    def measures(self) -> tuple[str, ...]:
        """By ir-measures' names and ours, the one that decides first."""
        k = self.k
        if self.task == "in_corpus":
            return (f"nDCG@{k}", f"R@{k}", f"RR@{k}", f"Success@{k}")
        spans = (f"SpanRecall@{k}", f"SpanPrecision@{k}", f"SpanIoU@{k}")
        chunks = (f"nDCG@{k}", f"RR@{k}", f"Success@{k}", f"TokensRead@{k}")
        within = (within_budget(self.budget),) if self.budget else ()
        return (*within, *spans, *chunks)


def within_budget(budget: int) -> str:
    """The measure of recall at so many tokens."""
    return f"SpanRecall@{budget}tokens"


def rank_spans(search: Search, which: Ints, sizes: Ints, asked: Asked) -> Ranking:
    """What is returned to every question, as deep as the measures read.

    Args:
        search: chunks.
        which: shape (chunks,), which span each returns.
        sizes: shape (spans,), tokens.
        asked: what is measured.
    """

    def enough(found: Ranking) -> bool:
        held = found.chunk != NO_CHUNK
        read = np.where(held, sizes[found.chunk], 0).sum(axis=1)
        return bool((held.sum(axis=1) >= DEEPEST).all() and (read >= asked.budget).all())

    return _at_least(deep_enough(search, which, enough, FIRST), DEEPEST)


def rank_documents(collection: Collection, search: Search, document: Ints) -> Ranking:
    """Documents by the best chunk of each; a query that is one never retrieves itself where the
    collection says so."""

    def enough(found: Ranking) -> bool:
        return bool(((found.chunk != NO_CHUNK).sum(axis=1) >= DEEPEST).all())

    own = own_documents(collection) if collection.skips_own_id else None
    return _at_least(deep_enough(search, document, enough, FIRST, own), DEEPEST)


def of_documents(collection: Collection, found: Ranking, asked: Asked) -> pd.DataFrame:
    """Measures of ranked documents, a row a question that has a relevant one."""
    k = asked.k
    documents = DocumentRanking(found.chunk[:, :k], found.score[:, :k], found.ties_at_cut)
    long = document_measures.per_query(collection, documents, (f"nDCG@{k}", f"R@{k}", "RR"))
    wide = long.pivot(index="query_id", columns="measure", values="value")
    reciprocal = wide["RR"]
    wide = wide.assign(**{f"RR@{k}": reciprocal, f"Success@{k}": (reciprocal > 0).astype(float)})
    return wide[list(asked.measures)]


def of_excerpts(
    collection: Collection,
    returned: Chunks,
    found: Ranking,
    sizes: Ints,
    offsets: Sequence[TokenOffsets],
    asked: Asked,
) -> pd.DataFrame:
    """Measures of ranked spans, a row a question.

    A span counts as relevant where it shares a character with an excerpt; nDCG, RR and Success are
    those of a ranking of spans with grades 0 and 1, the ideal of nDCG that of this way of chunking.

    Args:
        collection: with judged excerpts.
        returned: what was ranked, in characters.
        found: the ranking.
        sizes: shape (spans,), tokens.
        offsets: of the documents' tokens.
        asked: what is measured.
    """
    k, names = asked.k, asked.measures
    overlap = TokenOverlap.of(collection, returned, HIT)
    columns = {f"{name}@{k}": values for name, values in overlap.at(found.chunk, k).items()}
    hits = np.ravel_multi_index(overlap.hit_pairs, (len(found.chunk), len(returned)))
    top, rows = found.chunk[:, :k], np.arange(len(found.chunk))[:, None]
    gains = (top != NO_CHUNK) & np.isin(rows * len(returned) + top, hits)
    discount = 1 / np.log2(np.arange(2, k + 2))
    relevant = np.bincount(overlap.hit_pairs[0], minlength=len(found.chunk))
    ideal = np.append(0, np.cumsum(discount))[np.minimum(relevant, k)]
    columns[f"nDCG@{k}"] = np.divide(
        gains @ discount, ideal, out=np.zeros(len(ideal)), where=ideal > 0
    )
    columns[f"Success@{k}"] = gains.any(axis=1).astype(float)
    columns[f"RR@{k}"] = np.where(gains.any(axis=1), 1 / (1 + gains.argmax(axis=1)), 0.0)
    columns[f"TokensRead@{k}"] = np.where(top != NO_CHUNK, sizes[top], 0).sum(axis=1).astype(float)
    if asked.budget:
        judged, chunks = to_tokens(JudgedSpans.of(collection), returned, offsets)
        # A last column of padding says that a shallower ranking is all there is to read.
        order = np.pad(found.chunk, ((0, 0), (0, 1)), constant_values=NO_CHUNK)
        read = follow(judged, chunks, order, asked.budget)
        columns[names[0]] = read.recall(asked.budget, AGAIN)
    ids = pd.Index([query.id for query in collection.queries], name="query_id")
    return pd.DataFrame(columns, ids)[list(names)]


def token_sizes(chunks: Chunks, offsets: Sequence[TokenOffsets]) -> Ints:
    """Shape (chunks,): tokens of the documents that each touches."""
    nobody = JudgedSpans(0, *np.zeros((4, 0), dtype=np.int64))
    return to_tokens(nobody, chunks, offsets)[1].lengths


def _at_least(found: Ranking, depth: int) -> Ranking:
    """The ranking, padded to a depth."""
    lacking = max(0, depth - found.chunk.shape[1])
    wide = ((0, 0), (0, lacking))
    return replace(
        found,
        chunk=np.pad(found.chunk, wide, constant_values=NO_CHUNK),
        score=np.pad(found.score, wide, constant_values=-np.inf),
    )
