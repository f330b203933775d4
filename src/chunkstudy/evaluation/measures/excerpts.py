"""Measures of ranked chunks by the excerpts that a collection judges.

Recall, precision and overlap are those of ``token_overlap``, in characters. To nDCG, RR and Success
a chunk is relevant where it shares a character with an excerpt: they are those of a ranking of
chunks with grades 0 and 1, the ideal of nDCG that of the same way of chunking.
``SpanRecall@2000tokens`` reads the ranking to so many tokens, the last chunk cut where they end;
``TokensRead@2000tokens`` counts the tokens read, fewer where the ranking ends before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks, Collection, Judgment
from chunkstudy.core.tokens import TokenOffsets
from chunkstudy.evaluation.measures.reading_budget import budget_recall
from chunkstudy.evaluation.measures.token_overlap import Hit, JudgedSpans, TokenOverlap, to_tokens
from chunkstudy.evaluation.retrieval.chunks import NO_CHUNK, Ranking

HIT: Hit = "overlap"
SPANS = ("SpanRecall", "SpanPrecision", "SpanIoU", "SpanF1")
TOKENS = "tokens"
"""What ends the name of a measure whose cut-off counts tokens."""
Copies = Mapping[Judgment, Sequence[Judgment]]
"""Of a judged excerpt the other places that answer as well."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def per_query(
    collection: Collection,
    chunks: Chunks,
    ranking: Ranking,
    measures: Sequence[str],
    offsets: Sequence[TokenOffsets],
) -> pd.DataFrame:
    """A row a question, a column a measure.

    Args:
        collection: with judged excerpts.
        chunks: what was ranked, in characters.
        ranking: of the chunks, as deep as every measure reads.
        measures: such as ``SpanRecall@5``, ``SpanRecall@2000tokens``, ``nDCG@5``, ``RR@5``,
            ``Success@5``, ``TokensRead@5``, ``TokensRead@2000tokens``.
        offsets: of the documents' tokens, one array of shape (tokens, 2) each.

    Raises:
        ValueError: for another name, or a ranking that is too shallow.
    """
    overlap = TokenOverlap.of(collection, chunks, HIT)
    spans_in_tokens = cache(partial(to_tokens, JudgedSpans.of(collection), chunks, offsets))
    columns: dict[str, Floats] = {}
    for measure in measures:
        name, _, cut = measure.partition("@")
        if name == "SpanRecall" and cut.endswith(TOKENS):
            judged, in_tokens = spans_in_tokens()
            # A last column of padding says that a shallower ranking is all there is to read.
            order = ranking.of_depth(ranking.chunk.shape[1] + 1).chunk
            budget = int(cut.removesuffix(TOKENS))
            columns[measure] = budget_recall(judged, in_tokens, order, budget)
        elif name in SPANS:
            columns[measure] = overlap.at(ranking.chunk, int(cut))[name]
        elif name == "TokensRead":
            within = cut.endswith(TOKENS)
            top = ranking.chunk if within else ranking.chunk[:, : int(cut)]
            read = tokens_returned(top, spans_in_tokens()[1].lengths).astype(float)
            columns[measure] = np.minimum(read, float(cut.removesuffix(TOKENS))) if within else read
        else:
            columns[measure] = _of_relevant_chunks(name, int(cut), overlap, ranking)
    ids = pd.Index([query.id for query in collection.queries], name="query_id")
    return pd.DataFrame(columns, ids)


def found_first(
    collection: Collection, copies: Copies, chunks: Chunks, ranking: Ranking
) -> Collection:
    """The collection judged, of each excerpt with copies, at the place that the ranking meets
    first, and of several in one chunk at that which it holds most of.

    Args:
        collection: as it is judged, one place an excerpt.
        copies: of some of its judgments.
        chunks: what was ranked, in characters.
        ranking: of the collection's queries.
    """
    if not copies:
        return collection
    documents = collection.positions
    rows = {query.id: ranking.chunk[i] for i, query in enumerate(collection.queries)}

    def chosen(judgment: Judgment) -> Judgment:
        places = (judgment, *copies.get(judgment, ()))
        for chunk in rows[judgment.query].tolist() if len(places) > 1 else ():
            if chunk != NO_CHUNK:
                held = [
                    min(int(chunks.end[chunk]), place.end)
                    - max(int(chunks.start[chunk]), place.start)
                    if documents[place.document] == chunks.document[chunk]
                    else 0
                    for place in places
                ]
                if max(held) > 0:
                    return places[held.index(max(held))]
        return judgment

    return replace(collection, judgments=tuple(map(chosen, collection.judgments)))


def token_lengths(chunks: Chunks, offsets: Sequence[TokenOffsets]) -> Ints:
    """Shape (chunks,): tokens of the documents that each touches."""
    no_spans = JudgedSpans(0, *np.zeros((4, 0), dtype=np.int64))
    return to_tokens(no_spans, chunks, offsets)[1].lengths


def tokens_returned(ranked: Ints, sizes: Ints) -> Ints:
    """Sum the tokens of the chunks returned to each query, shape (queries,).

    Args:
        ranked: chunk indices, shape (queries, depth), padded with -1.
        sizes: tokens of each chunk.
    """
    total: Ints = np.where(ranked != NO_CHUNK, sizes[ranked], 0).sum(axis=1)
    return total


def _of_relevant_chunks(name: str, cut: int, overlap: TokenOverlap, ranking: Ranking) -> Floats:
    """nDCG, RR or Success at a cut-off, shape (queries,)."""
    queries, chunks = len(ranking.chunk), len(overlap.lengths)
    top = ranking.chunk[:, :cut]
    hits = np.ravel_multi_index(overlap.hit_pairs, (queries, chunks))
    gains = (top != NO_CHUNK) & np.isin(np.arange(queries)[:, None] * chunks + top, hits)
    if name == "Success":
        return gains.any(axis=1).astype(float)
    if name == "RR":
        return np.where(gains.any(axis=1), 1 / (1 + gains.argmax(axis=1)), 0.0)
    if name != "nDCG":
        raise ValueError(f"{name!r} is no measure of chunks; use nDCG, RR, Success or TokensRead")
    discount = 1 / np.log2(np.arange(2, cut + 2))
    relevant = np.bincount(overlap.hit_pairs[0], minlength=queries)
    ideal = np.append(0, np.cumsum(discount))[np.minimum(relevant, cut)]
    return np.divide(gains @ discount, ideal, out=np.zeros(queries), where=ideal > 0)
