"""From vectors to scores, for each of the three tasks: token overlap, in-corpus, in-document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.collections import registry
from chunkstudy.core import tokens
from chunkstudy.core.protocols import AS_PUBLISHED_LUMBERCHUNKER, Protocol
from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures import first_hit, ranking
from chunkstudy.evaluation.measures.token_overlap import TokenOverlap, in_tokens
from chunkstudy.evaluation.retrieval import chunks as retrieval
from chunkstudy.evaluation.retrieval.small_to_large import (
    best_of_each,
    own_documents,
    returned,
    search_groups,
)
from chunkstudy.pipeline import rankings

By = tuple[NDArray[np.float32], NDArray[np.float32]] | retrieval.Ranking
"""By what chunks are found: vectors of the queries and of the chunks, or a ranking made elsewhere,
at least as deep as is read."""

DECIMALS = 6
"""Of scores as they are stored."""
OVERLAP_DEPTH = 20
OVERLAP_CUTS: tuple[int | str, ...] = (5, 10, "Min")
DOCUMENT_DEPTH = 100
TIES_SEEN = 50
"""Documents ranked beyond the depth, so that ties across a cut are seen whole; NFCorpus's hundreds
of chunks that are only a notice of rights need more, and get it."""
RANK = 10
"""The cut whose ties are bounded."""
PRINTED = {"qmsum": ("nDCG@1", "nDCG@3", "nDCG@5", "nDCG@20", "nDCG@100")}
"""Further measures that MTEB prints of a collection's documents read whole."""
FIRST_HIT_CUTS = (1, 2, 5, 10, 20)
SPAN_CUT = 5
"""Where passages of the query's own document are judged as spans."""
PROPOSITION_DEPTH = 2000
"""Chunks ranked before they are reduced to their parents (ielab's ranker.py:33-54)."""


@dataclass(frozen=True)
class Scored:
    """What scoring found.

    Attributes:
        scores: a row per query id (index, in the collection's order), a column per measure.
        ties_at_cut: queries whose 10th and 11th result score the same.
        tie_range: worst and best mean of a measure that another order of equal scores allows.
        kept: the ranking as stored (``rankings.py``), where something is ranked.
    """

    scores: pd.DataFrame
    ties_at_cut: int = 0
    tie_range: dict[str, tuple[float, float]] = field(default_factory=dict)
    kept: pd.DataFrame | None = None


def score(
    name: str,
    collection: Collection,
    chunks: Chunks,
    by: By | None,
    protocol: Protocol,
    propositions: bool = False,
) -> Scored:
    """Every measure of a collection's task.

    Args:
        name: of the collection, as the registry has it.
        collection: it, or the part of it that is asked.
        by: vectors, or a ranking; None where no model takes part, of token overlap alone.
        propositions: whether the chunks are sentences that a model wrote.
    """
    entry = registry.find(name)
    if entry.task == "token_overlap":
        return token_overlap(collection, chunks, by, protocol)
    if by is None:
        raise ValueError(f"{name} is scored by a ranking; give vectors or one")
    if entry.task == "in_corpus":
        return in_corpus(collection, chunks, by, protocol)
    return in_document(collection, chunks, by, protocol, *judged_by(name, protocol, propositions))


def judged_by(
    name: str, protocol: Protocol, propositions: bool
) -> tuple[Mapping[str, str] | None, bool]:
    """Return how passages of a collection are judged: the arguments ``gold`` and ``by_parent`` of
    :func:`in_document`."""
    entry, lumberchunker = registry.find(name), protocol is AS_PUBLISHED_LUMBERCHUNKER
    quotations = entry.answers if propositions and lumberchunker else entry.quotations
    return quotations() if quotations else None, propositions and not lumberchunker


def token_overlap(
    collection: Collection, chunks: Chunks, by: By | None, protocol: Protocol
) -> Scored:
    """Every measure of the token-overlap task."""
    ranked = None if by is None else _ranked(by, OVERLAP_DEPTH)
    columns: dict[str, NDArray[np.float64]] = {}
    _score_unit(columns, TokenOverlap.of(collection, chunks, protocol.hit), ranked, "", protocol)
    if protocol.true_tokens:
        offsets = [tokens.cl100k_offsets(document.text) for document in collection.documents]
        in_true_tokens = in_tokens(collection, chunks, offsets)
        _score_unit(columns, in_true_tokens, ranked, "(unit=token)", protocol)
    if ranked is not None:
        texts = chunks.texts(collection.documents)
        chunk_tokens = np.asarray(tokens.counter("cl100k").count_many(texts))
        for cut in (5, 10):
            top = ranked.chunk[:, :cut]
            read = np.where(top >= 0, chunk_tokens[top], 0).sum(axis=1)
            columns[f"TokensRead@{cut}"] = read.astype(np.float64)
    return Scored(
        _by_query(collection, columns),
        0 if ranked is None else int(ranked.tied_at(10).sum()),
        kept=None if ranked is None else rankings.of_chunks(ranked, chunks),
    )


def in_corpus(collection: Collection, chunks: Chunks, by: By, protocol: Protocol) -> Scored:
    """nDCG@10, R@10 and R@100 of documents, each scored by its best chunk; of documents read whole
    also what is ``PRINTED`` of the collection."""
    is_whole = len(chunks) == len(collection.documents)
    measures = ranking.MEASURES + (PRINTED.get(collection.name, ()) if is_whole else ())
    # ArguAna's queries are documents of its corpus; the official evaluators drop equal ids in every
    # collection (beir's and MTEB's ``ignore_identical_ids``).
    drops_own = collection.skips_own_id or protocol.drops_own_id
    excluded = own_documents(collection) if drops_own else None
    depth = DOCUMENT_DEPTH + TIES_SEEN
    if isinstance(by, retrieval.Ranking) or protocol.depth == "formula":
        most = int(np.bincount(chunks.document).max()) if len(chunks) else 0
        ranked = best_of_each(_ranked(by, jina_depth(most)), chunks.document, excluded)
    else:
        search = partial(retrieval.search, *by)
        ranked = search_groups(search, chunks.document, depth, _past_ties, excluded)
    ranked = ranked.of_depth(max(depth, ranked.chunk.shape[1]))
    tied = (ranked.score >= ranked.score[:, RANK - 1 : RANK]).sum(axis=1)
    ranked = ranked.of_depth(max(depth, int(tied.max(initial=0))))
    scores = ranking.per_query(collection, ranked, measures)
    return Scored(
        scores,
        ties_at_cut=int((ranked.score[:, RANK - 1] == ranked.score[:, RANK]).sum()),
        tie_range={f"nDCG@{RANK}": ranking.tie_bounds(collection, ranked, f"nDCG@{RANK}")},
        kept=rankings.of_documents(ranked),
    )


def _past_ties(ranked: retrieval.Ranking) -> bool:
    """Whether every document that ties with the tenth is in a ranking."""
    lowest = ranked.score.min(axis=1, initial=np.inf, where=ranked.chunk != retrieval.NO_CHUNK)
    return bool((lowest < ranked.score[:, RANK - 1]).all())


def jina_depth(max_chunks: int) -> int:
    """How many chunks Jina's evaluation ranks before it scores documents.

    Source: jina-ai/late-chunking, chunked_pooling/mteb_chunked_eval.py (db558c3): 20, or the
    highest power of ten below 100 times the most chunks of a document, whichever is more.

    Args:
        max_chunks: the most chunks that any document of the collection has.

    Raises:
        ValueError: if there are no chunks.
    """
    if max_chunks < 1:
        raise ValueError(f"a collection to be searched has at least 1 chunk, not {max_chunks}")
    power = 10
    while 10 * power < 100 * max_chunks:
        power *= 10
    return max(20, power)


def in_document(
    collection: Collection,
    chunks: Chunks,
    by: By,
    protocol: Protocol,
    gold: Mapping[str, str] | None,
    by_parent: bool,
) -> Scored:
    """DCG of the first relevant chunk of the query's own document, and the best it could be; where
    passages are spans, also how much of them is found.

    Under relevance by overlap a query whose passage was not located has no scores.

    Args:
        by: vectors, or a ranking within each query's document.
        gold: query id to the judged passage as quoted, for relevance by substring; None where
            passages are spans only.
        by_parent: chunks of one span, propositions, count as their parent, once, as ielab scores
            them; the parents are those of the first 2,000 chunks.
    """
    limit = retrieval.Limit.of(collection, chunks)
    depth = min(PROPOSITION_DEPTH, max(1, len(chunks))) if by_parent else max(FIRST_HIT_CUTS) + 1
    ranked = _ranked(by, depth, limit)
    spans = {}
    if gold is None:
        spans = TokenOverlap.of(collection, chunks, protocol.hit).at(ranked.chunk, SPAN_CUT)
    ties = 0 if by_parent else int(ranked.tied_at(10).sum())
    if by_parent:
        chunks, parents = returned(chunks)
        ranked = best_of_each(ranked, parents)
    texts = chunks.texts(collection.documents)
    relevant = first_hit.relevant_chunks(collection, chunks, texts, protocol.relevance, gold)
    columns: dict[str, NDArray[np.float64]] = {}
    for cut in FIRST_HIT_CUTS:
        columns[f"DCG@{cut}"] = first_hit.dcg_first_hit(ranked, relevant, cut)
    columns["Ceiling(DCG@10)"] = first_hit.ceiling(relevant)
    for name in ("SpanRecall", "SpanPrecision", "SpanIoU") if spans else ():
        columns[f"{name}@{SPAN_CUT}"] = spans[name]
    scores = _by_query(collection, columns)
    if protocol.relevance == "overlap":  # a passage that could not be located judges nothing
        judged = {judgment.query for judgment in collection.judgments}
        scores = scores[scores.index.isin(judged)]
    stored = rankings.of_chunks(ranked, chunks, relevant)
    return Scored(scores, ties, kept=stored)


def rounded(scores: pd.DataFrame) -> pd.DataFrame:
    """:attr:`Scored.scores` as stored, with six decimals; NaN where a query has none."""
    return scores.apply(six_decimals)


def six_decimals(values: pd.Series) -> pd.Series:
    """Rounded as printed with six decimals; adding zero turns -0.0 into 0.0."""
    printed = [float(f"{value:.{DECIMALS}f}") + 0.0 for value in values]
    return pd.Series(np.asarray(printed, dtype=np.float64), values.index)


def depth_read(name: str) -> int:
    """How many chunks a query the measures of a collection's task read of a ranking."""
    deepest = {"in_corpus": DOCUMENT_DEPTH, "in_document": max(FIRST_HIT_CUTS)}
    return deepest.get(registry.find(name).task, OVERLAP_DEPTH)


def _ranked(by: By, depth: int, limit: retrieval.Limit | None = None) -> retrieval.Ranking:
    """The ranking, as deep as it is, or what vectors give to a depth."""
    return by if isinstance(by, retrieval.Ranking) else retrieval.search(*by, depth, limit)


def _score_unit(
    columns: dict[str, NDArray[np.float64]],
    overlap: TokenOverlap,
    ranked: retrieval.Ranking | None,
    unit: str,
    protocol: Protocol,
) -> None:
    omega, omega_sum = overlap.precision_omega()
    columns[f"PrecisionOmega{unit}"] = omega
    if protocol.hit == "overlap":
        columns[f"PrecisionOmega(sum){unit}".replace(")(", ",")] = omega_sum
    if ranked is None:
        return
    for cut in OVERLAP_CUTS:
        for name, values in overlap.at(ranked.chunk, cut).items():
            if unit and name == "SpanF1":
                continue
            columns[f"{name}{unit}@{cut}"] = values


def _by_query(collection: Collection, columns: dict[str, NDArray[np.float64]]) -> pd.DataFrame:
    ids = pd.Index([query.id for query in collection.queries], name="query_id")
    return pd.DataFrame(columns, ids).rename_axis(columns="measure")
