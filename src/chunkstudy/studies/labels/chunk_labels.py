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
from typing import Literal

import numpy as np
import pandas as pd

from chunkstudy.core.spans import Chunks, Collection
from chunkstudy.evaluation.measures.token_overlap import JudgedSpans, TokenOverlap

GoldRule = Literal["any", "majority", "whole", "tutorial"]
GOLD_RULES: tuple[GoldRule, ...] = ("any", "majority", "whole", "tutorial")


def count_ids(
    gold: Sequence[Iterable[Hashable]], retrieved: Sequence[Iterable[Hashable]]
) -> pd.DataFrame:
    """Counts where chunks go by any name, an entry of each list per query.

    Returns:
        a row per query: ``TP``, chunks both gold and retrieved, ``FP``, retrieved only, and ``FN``,
        gold only.

    Raises:
        ValueError: if the lists differ in length.
    """
    if len(gold) != len(retrieved):
        raise ValueError(f"{len(gold)} queries are labelled and {len(retrieved)} are answered")
    pairs = [(set(labels), set(names)) for labels, names in zip(gold, retrieved, strict=True)]
    counts = [
        (len(labels & names), len(names - labels), len(labels - names)) for labels, names in pairs
    ]
    return pd.DataFrame(counts, columns=["TP", "FP", "FN"])


def rates(counts: pd.DataFrame) -> pd.DataFrame:
    """``precision``, ``recall`` and ``f1`` of each row of counts, as fractions."""
    precision = (counts["TP"] / (counts["TP"] + counts["FP"])).fillna(0.0)
    recall = (counts["TP"] / (counts["TP"] + counts["FN"])).fillna(0.0)
    f1 = (2 * precision * recall / (precision + recall)).fillna(0.0)
    return pd.DataFrame({"precision": precision, "recall": recall, "f1": f1})


def macro(counts: pd.DataFrame) -> pd.Series:
    """Means over queries; F1 is the mean of the queries' F1 (the tutorial, Common Pitfalls and
    Clarifications)."""
    return rates(counts).mean()


def micro(counts: pd.DataFrame) -> pd.Series:
    """Ratios of sums over queries; F1 is the harmonic mean of the two (not in the tutorial)."""
    return rates(counts[["TP", "FP", "FN"]].sum().to_frame().T).iloc[0]


def gold_chunks(collection: Collection, chunks: Chunks, rule: GoldRule = "any") -> list[set[int]]:
    """The chunks that a judged span of each query makes gold, by index.

    Args:
        rule: a chunk is gold if it holds, of one judged span of the query, ``any`` character;
            the ``majority``, more than half of its characters; the ``whole`` of it; or, as people
            are told to label (the tutorial, step 1), the whole of it (``tutorial``), with ``any``
            for a span that no chunk holds whole. Without overlap between chunks the last is the
            first.
    """
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
