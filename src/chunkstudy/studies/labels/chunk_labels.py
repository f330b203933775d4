"""Precision and recall of chunk labels: which chunks are gold, and which of them are retrieved.

Source: the tutorial "Evaluating a Chunking Strategy with Precision and Recall". A query has
a set of gold chunks and a set of retrieved ones; with TP in both, FP retrieved only and FN gold
only (the tutorial, step 2):

- precision TP / (TP + FP), 0 if nothing was retrieved (the tutorial, step 3);
- recall TP / (TP + FN), 0 if no chunk is gold (the tutorial, step 3), which may leave the query out
  instead (Common Pitfalls and Clarifications);
- F1 2 precision recall / (precision + recall), 0 if both are 0, where the tutorial's pitfalls say
  nothing.

Macro averages are means over queries (the tutorial, step 4); micro averages are ratios of the
counts' sums (the tutorial, step 4). Both sides are sets (the tutorial, Pseudocode Summary), so
neither order nor repetition counts.

The labels that the tutorial has people write are derived here from judged spans, so the gold
chunks change with the chunker while the judged text does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
GoldRule = Literal["any", "majority", "whole", "tutorial"]
SPANS = ("query", "document", "start", "end")
GOLD_RULES: tuple[GoldRule, ...] = ("any", "majority", "whole", "tutorial")


@dataclass(frozen=True)
class Gold:
    """The gold chunks of every query, as pairs.

    Attributes:
        queries: how many queries there are, those without a gold chunk included.
        query: shape (pairs,), the index of the query.
        chunk: shape (pairs,), the index of the chunk; a pair may stand more than once.
    """

    queries: int
    query: Ints
    chunk: Ints


@dataclass(frozen=True)
class Averages:
    """Precision, recall and F1 of a whole run, as fractions."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class LabelCounts:
    """What was retrieved, what is gold, and what is both, per query.

    Attributes:
        retrieved: shape (queries,), distinct chunks retrieved, TP + FP.
        gold: shape (queries,), distinct gold chunks, TP + FN.
        true_positives: shape (queries,), chunks in both.
    """

    retrieved: Ints
    gold: Ints
    true_positives: Ints

    @property
    def false_positives(self) -> Ints:
        """Shape (queries,): retrieved and not gold."""
        return self.retrieved - self.true_positives

    @property
    def false_negatives(self) -> Ints:
        """Shape (queries,): gold and not retrieved."""
        return self.gold - self.true_positives

    @cached_property
    def precision(self) -> Floats:
        """Shape (queries,), 0 where nothing was retrieved."""
        return _ratio(self.true_positives, self.retrieved)

    @cached_property
    def recall(self) -> Floats:
        """Shape (queries,), 0 where no chunk is gold."""
        return _ratio(self.true_positives, self.gold)

    @cached_property
    def f1(self) -> Floats:
        """Shape (queries,), 0 where precision and recall are."""
        return _ratio(2 * self.precision * self.recall, self.precision + self.recall)

    def macro(self) -> Averages:
        """Means over queries; F1 is the mean of the queries' F1 (the tutorial, Common Pitfalls and
        Clarifications)."""
        return Averages(*(float(one.mean()) for one in (self.precision, self.recall, self.f1)))

    def micro(self) -> Averages:
        """Ratios of sums over queries; F1 is the harmonic mean of the two (not in the tutorial)."""
        whole = LabelCounts(
            *(np.array([one.sum()]) for one in (self.retrieved, self.gold, self.true_positives))
        )
        return Averages(float(whole.precision[0]), float(whole.recall[0]), float(whole.f1[0]))

    def best(self) -> LabelCounts:
        """The counts of a search that retrieves as many chunks and gold ones first."""
        return LabelCounts(self.retrieved, self.gold, np.minimum(self.retrieved, self.gold))


def gold_chunks(collection: Collection, chunks: Chunks, rule: GoldRule = "any") -> Gold:
    """The chunks that a judged span of the query makes gold.

    Args:
        rule: a chunk is gold if it holds, of one judged span of the query, ``any`` character;
            the ``majority``, more than half of its characters; the ``whole`` of it; or, as people
            are told to label (the tutorial, step 1), the whole of it (``tutorial``), with ``any``
            for a span that no chunk holds whole. Without overlap between chunks the last is the
            first.

    Raises:
        ValueError: on another rule.
    """
    if rule not in GOLD_RULES:
        raise ValueError(f"unknown rule {rule!r}; use one of {', '.join(GOLD_RULES)}")
    judged = JudgedSpans.of(collection)
    query, chunk = TokenOverlap(judged, chunks, "overlap").hit_pairs
    hits = pd.DataFrame({"query": query, "chunk": chunk, "document": chunks.document[chunk]})
    spans = pd.DataFrame({one: getattr(judged, one) for one in SPANS})
    pairs = hits.merge(spans.reset_index(names="span"), on=["query", "document"])
    at = pairs["chunk"].to_numpy()
    start, end = pairs["start"].to_numpy(), pairs["end"].to_numpy()
    shared = np.minimum(end, chunks.end[at]) - np.maximum(start, chunks.start[at])
    length = end - start
    whole = shared == length
    cut_through = ~pairs["span"].isin(pairs["span"][whole]).to_numpy()
    kept = {
        "any": shared > 0,
        "majority": 2 * shared > length,
        "whole": whole,
        "tutorial": whole | (cut_through & (shared > 0)),
    }[rule]
    return Gold(len(collection.queries), pairs["query"].to_numpy()[kept], at[kept])


def count(ranking: Ints, gold: Gold, cut: int | None = None) -> LabelCounts:
    """Counts of a ranking's first ``cut`` chunks, of all of them without a cut.

    Args:
        ranking: shape (queries, depth), chunk indices, best first, padded with -1.
    """
    read = ranking[:, :cut]
    row = np.broadcast_to(np.arange(gold.queries)[:, None], read.shape)[read >= 0]
    chunk = read[read >= 0]
    stride = 1 + max(int(chunk.max(initial=0)), int(gold.chunk.max(initial=0)))
    retrieved = np.unique(row * stride + chunk)
    wanted = np.unique(gold.query * stride + gold.chunk)
    both = np.intersect1d(retrieved, wanted, assume_unique=True)
    return LabelCounts(
        *(np.bincount(one // stride, minlength=gold.queries) for one in (retrieved, wanted, both))
    )


def count_ids(
    gold: Sequence[Iterable[Hashable]], retrieved: Sequence[Sequence[Hashable]]
) -> LabelCounts:
    """Counts where chunks go by any name, one entry of each list per query.

    Raises:
        ValueError: if the lists differ in length.
    """
    if len(gold) != len(retrieved):
        raise ValueError(f"{len(gold)} queries are labelled and {len(retrieved)} are answered")
    number: dict[Hashable, int] = {}
    pairs = [
        (query, number.setdefault(name, len(number)))
        for query, names in enumerate(gold)
        for name in names
    ]
    depth = max(map(len, retrieved), default=0)
    ranking = np.full((len(retrieved), depth), -1, dtype=np.int64)
    for query, names in enumerate(retrieved):
        ranking[query, : len(names)] = [number.setdefault(n, len(number)) for n in names]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return count(ranking, Gold(len(gold), *columns))


def _ratio(above: ArrayLike, below: ArrayLike) -> Floats:
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
