"""Token overlap: how much of the judged spans is retrieved, and how much else is read with it.

Source: Chroma, "Evaluating Chunking Strategies for Retrieval", and the code behind its tables
(chunking_evaluation, evaluation_framework/base_evaluation.py), which counts characters. With T
the judged spans of a query and R the chunks retrieved for it:

- numerator: length of the union of all (chunk ∩ judged span);
- SpanRecall: numerator / sum of the lengths of T. A sum, as in the official code: where judged
  spans overlap, recall stays below 1 even if everything is found (Chroma's never overlap);
- SpanPrecision: numerator / sum of the lengths of R, duplicates, overlaps and other documents'
  chunks included;
- SpanIoU: numerator / (sum of the lengths of R + parts of T that R leaves un-hit);
- SpanF1: 2 numerator / (sum of the lengths of T + sum of the lengths of R);
- PrecisionOmega: as if exactly the chunks that hit T had been retrieved: numerator / length of
  the union of those chunks and the un-hit parts of T.

A ratio with nothing below the line is 0. Values are fractions, one per query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.core.tokens import TokenOffsets

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Hit = Literal["touching", "overlap"]

MIN = "Min"
MIN_DEPTH = 20
"""The official code retrieves no more than this for ``Min``."""


@dataclass(frozen=True)
class JudgedSpans:
    """Judged spans as parallel arrays of shape (spans,), int64, in any unit.

    ``query`` is an index below ``queries``, ``document`` an index as in ``Chunks``.
    """

    queries: int
    query: Ints
    document: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, collection: Collection) -> JudgedSpans:
        """A collection's relevant spans in characters; grade 0 means not relevant."""
        queries = {query.id: i for i, query in enumerate(collection.queries)}
        documents = collection.positions
        rows = [
            (queries[j.query], documents[j.document], j.start, j.end)
            for j in collection.judgments
            if j.grade > 0
        ]
        return cls(len(queries), *np.array(rows, dtype=np.int64).reshape(-1, 4).T)


class TokenOverlap:
    """Scores rankings of one set of chunks against one set of judged spans.

    Args:
        judged: the judged spans.
        chunks: the chunks, in the same unit; overlapping, empty or unsorted ones are fine.
        hit: ``touching``: a chunk that only ends where a judged span starts, or starts where
            one ends, hits it; ``overlap``: they must share at least one position.

    Attributes:
        hit_pairs: query and chunk of every hit, each of shape (hits,), ascending by both.
        touching_counts: shape (queries,), the chunks that hit a judged span of each query.
        lengths: shape (chunks,), in the unit of the spans.
    """

    def __init__(self, judged: JudgedSpans, chunks: Chunks, hit: Hit) -> None:
        by_query = np.argsort(judged.query, kind="stable")
        self._queries = judged.queries
        self._query = judged.query[by_query]
        self._first = np.searchsorted(self._query, np.arange(judged.queries + 1))
        base, _ = on_one_line(judged, chunks)
        self._start = (judged.start + base[judged.document])[by_query]
        self._end = (judged.end + base[judged.document])[by_query]
        self._judged_length = self._sum(self._query, self._end - self._start)
        self._chunk_start = chunks.start + base[chunks.document]
        self._chunk_end = chunks.end + base[chunks.document]
        self.lengths = chunks.lengths
        self._hit_span, self._hit_chunk = self._hits(least=0 if hit == "touching" else 1)
        pairs = np.unique(
            np.stack([self._query[self._hit_span], self._hit_chunk]), axis=1
        )  # a chunk that hits two spans of a query is one chunk
        self.hit_pairs: tuple[Ints, Ints] = (pairs[0], pairs[1])
        self.touching_counts: Ints = np.bincount(pairs[0], minlength=self._queries)

    @classmethod
    def of(cls, collection: Collection, chunks: Chunks, hit: Hit) -> TokenOverlap:
        """Score in characters."""
        return cls(JudgedSpans.of(collection), chunks, hit)

    def precision_omega(self) -> tuple[Floats, Floats]:
        """PrecisionOmega as published, and with the sum of the hit chunks' lengths for the union.

        Both of shape (queries,). The published form charges nothing for overlapping chunks.
        """
        numerator, unhit = self._cover(self._hit_span, self._hit_chunk)
        query, chunk = self.hit_pairs
        union = _union_lengths(
            np.concatenate([query, self._query]),
            np.concatenate([self._chunk_start[chunk], self._start]),
            np.concatenate([self._chunk_end[chunk], self._end]),
            self._queries,
        )
        total = self._sum(query, self.lengths[chunk]) + unhit
        return _ratio(numerator, union), _ratio(numerator, total)

    def at(self, ranking: Ints, cut: int | str) -> dict[str, Floats]:
        """SpanRecall, SpanPrecision, SpanIoU and SpanF1, each of shape (queries,).

        Args:
            ranking: chunk indices, shape (queries, depth), best first, padded with -1.
            cut: how many chunks are read; with ``Min`` each query reads as many as hit its
                judged spans, though no more than 20.

        Raises:
            ValueError: if the ranking is too shallow for the cut.
        """
        query, chunk = self._retrieved(ranking, cut)
        read = self._sum(query, self.lengths[chunk])
        row, span = _expand(self._first[query], self._first[query + 1])
        numerator, unhit = self._cover(span, chunk[row])
        return {
            "SpanRecall": _ratio(numerator, self._judged_length),
            "SpanPrecision": _ratio(numerator, read),
            "SpanIoU": _ratio(numerator, read + unhit),
            "SpanF1": _ratio(2 * numerator, self._judged_length + read),
        }

    def _hits(self, least: int) -> tuple[Ints, Ints]:
        """Pairs (judged span, chunk) that share at least ``least`` positions; 0 is contact."""
        order = np.argsort(self._chunk_start, kind="stable")
        starts, ends = self._chunk_start[order], self._chunk_end[order]
        # Ends need not ascend, their running maximum does: before ``low`` nothing reaches a span.
        low = np.searchsorted(np.maximum.accumulate(ends), self._start)
        high = np.maximum(np.searchsorted(starts, self._end, side="right"), low)
        span, place = _expand(low, high)
        shared = np.minimum(ends[place], self._end[span]) - np.maximum(
            starts[place], self._start[span]
        )
        keep = shared >= least
        return span[keep], order[place[keep]]

    def _retrieved(self, ranking: Ints, cut: int | str) -> tuple[Ints, Ints]:
        """The (query, chunk) pairs read at a cut."""
        if cut == MIN:
            needed = min(MIN_DEPTH, int(self.touching_counts.max(initial=0)))
            limit = np.minimum(self.touching_counts, needed)
        elif isinstance(cut, int) and cut >= 1:
            needed, limit = cut, np.full(self._queries, cut, dtype=np.int64)
        else:
            raise ValueError(f"the cut must be a positive whole number or {MIN!r}, not {cut!r}")
        if ranking.shape[1] < needed:
            raise ValueError(
                f"the ranking holds {ranking.shape[1]} chunks per query and cut {cut} needs "
                f"{needed}; search deeper"
            )
        read = (ranking >= 0) & (np.arange(ranking.shape[1]) < limit[:, None])
        return np.nonzero(read)[0], ranking[read]

    def _cover(self, span: Ints, chunk: Ints) -> tuple[Floats, Floats]:
        """Numerator and un-hit length per query, from candidate pairs (judged span, chunk)."""
        start = np.maximum(self._start[span], self._chunk_start[chunk])
        end = np.minimum(self._end[span], self._chunk_end[chunk])
        shared = start < end
        span, start, end = span[shared], start[shared], end[shared]
        numerator = _union_lengths(self._query[span], start, end, self._queries)
        covered = _union_lengths(span, start, end, len(self._query))
        return numerator, self._judged_length - self._sum(self._query, covered)

    def _sum(self, query: Ints, values: Ints | Floats) -> Floats:
        """Sum of values per query; exact, since lengths stay far below 2**53."""
        return np.bincount(query, weights=values, minlength=self._queries).astype(np.float64)


def in_tokens(
    collection: Collection, chunks: Chunks, offsets: Sequence[TokenOffsets]
) -> TokenOverlap:
    """Score in tokens instead of characters; a chunk hits a judged span if they share a token.

    ``offsets`` holds one array of shape (tokens, 2) per document (``tokens.cl100k_offsets``).
    """
    return TokenOverlap(*to_tokens(JudgedSpans.of(collection), chunks, offsets), "overlap")


def to_tokens(
    judged: JudgedSpans, chunks: Chunks, offsets: Sequence[TokenOffsets]
) -> tuple[JudgedSpans, Chunks]:
    """The same spans counted in token positions of their documents.

    A token is in a span if they share a character, so a token across a boundary is in the spans
    on both sides of it.
    """
    judged_span = _token_spans(judged.document, judged.start, judged.end, offsets)
    chunk_span = _token_spans(chunks.document, chunks.start, chunks.end, offsets)
    return (
        JudgedSpans(judged.queries, judged.query, judged.document, *judged_span),
        Chunks(chunks.document, *chunk_span, chunks.text, rewritten=chunks.rewritten),
    )


def _token_spans(
    document: Ints, start: Ints, end: Ints, offsets: Sequence[TokenOffsets]
) -> tuple[Ints, Ints]:
    first, last = np.zeros_like(start), np.zeros_like(end)
    order = np.argsort(document, kind="stable")
    bounds = np.searchsorted(document[order], np.arange(len(offsets) + 1))
    for tokens, low, high in zip(offsets, bounds[:-1], bounds[1:], strict=True):
        members = order[low:high]
        first[members] = np.searchsorted(tokens[:, 1], start[members], side="right")
        last[members] = np.searchsorted(tokens[:, 0], end[members], side="left")
    # An empty span inside a token shares no character with it.
    return first, np.where(start < end, last, first)


def on_one_line(judged: JudgedSpans, chunks: Chunks) -> tuple[Ints, int]:
    """Where each document starts when all are laid on one line, one position apart, and how long
    the line is.

    On that line spans of different documents never meet, so nothing need compare documents.
    """
    document = np.concatenate([judged.document, chunks.document])
    extent = np.zeros(int(document.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(extent, document, np.concatenate([judged.end, chunks.end]))
    return np.cumsum(extent + 1) - (extent + 1), int((extent + 1).sum())


def _expand(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """All (i, j) with low[i] <= j < high[i], as two arrays."""
    counts = high - low
    row = np.repeat(np.arange(len(low)), counts)
    return row, np.arange(len(row)) + (low - (np.cumsum(counts) - counts))[row]


def _union_lengths(group: Ints, start: Ints, end: Ints, groups: int) -> Floats:
    """Length of the union of each group's intervals, shape (groups,)."""
    if not len(group):
        return np.zeros(groups)
    lowest = start.min()
    shift = group * (end.max() - lowest + 1) - lowest  # one stretch of the line for each group
    start, end = start + shift, end + shift
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.concatenate([start[:1], np.maximum.accumulate(end)[:-1]])
    added = np.maximum(end - np.maximum(start, reached), 0)
    return np.bincount(group[order], weights=added, minlength=groups).astype(np.float64)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
