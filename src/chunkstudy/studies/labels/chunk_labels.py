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
from numpy.typing import NDArray

from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
GoldRule = Literal["any", "majority", "whole", "tutorial"]
GOLD_RULES: tuple[GoldRule, ...] = ("any", "majority", "whole", "tutorial")


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
        return Averages(
            float(self.precision.mean()), float(self.recall.mean()), float(self.f1.mean())
        )

    def micro(self) -> Averages:
        """Ratios of sums over queries; F1 is the harmonic mean of the two (not in the tutorial)."""
        counts = (self.retrieved, self.gold, self.true_positives)
        return LabelCounts(*(count.sum(keepdims=True) for count in counts)).macro()

    def best(self) -> LabelCounts:
        """The counts of a search that retrieves as many chunks and gold ones first."""
        return LabelCounts(self.retrieved, self.gold, np.minimum(self.retrieved, self.gold))


def gold_chunks(collection: Collection, chunks: Chunks, rule: GoldRule = "any") -> list[set[int]]:
    """The chunks that a judged span of each query makes gold, by index.

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
    spans = pd.DataFrame(
        {name: getattr(judged, name) for name in ("query", "document", "start", "end")}
    )
    pairs = hits.merge(spans.reset_index(names="span"), on=["query", "document"])
    # characters of the span that stand in the chunk
    first = np.maximum(pairs["start"], chunks.start[pairs["chunk"]])
    shared = np.minimum(pairs["end"], chunks.end[pairs["chunk"]]) - first
    length = pairs["end"] - pairs["start"]
    whole = shared == length
    counts = {
        "any": shared > 0,
        "majority": 2 * shared > length,
        "whole": whole,
        "tutorial": whole | (~pairs["span"].isin(pairs["span"][whole]) & (shared > 0)),
    }[rule]
    gold = pairs[counts].groupby("query")["chunk"].agg(set)
    return [gold.get(query, set()) for query in range(len(collection.queries))]


def count_ids(
    gold: Sequence[Iterable[Hashable]], retrieved: Sequence[Iterable[Hashable]]
) -> LabelCounts:
    """Counts where chunks go by any name, an entry of each list per query.

    Raises:
        ValueError: if the lists differ in length.
    """
    if len(gold) != len(retrieved):
        raise ValueError(f"{len(gold)} queries are labelled and {len(retrieved)} are answered")
    pairs = [(set(labels), set(names)) for labels, names in zip(gold, retrieved, strict=True)]
    counts = [(len(names), len(labels), len(labels & names)) for labels, names in pairs]
    return LabelCounts(*np.array(counts, dtype=np.int64).reshape(-1, 3).T)


def count(ranking: Ints, gold: Sequence[Iterable[int]], cut: int | None = None) -> LabelCounts:
    """Counts of a ranking's first ``cut`` chunks, of all of them without a cut.

    Args:
        ranking: shape (queries, depth), chunk indices, best first, padded with -1.
    """
    return count_ids(gold, [row[row >= 0].tolist() for row in ranking[:, :cut]])


def _ratio(above: Ints | Floats, below: Ints | Floats) -> Floats:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
