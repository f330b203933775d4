"""Do the chunks of one document grow alike when they are encoded late?

The taxonomy paper explains its in-document losses by contextualized chunks growing alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import beir
from chunkstudy.evaluation import statistics
from chunkstudy.runs.conditions import LATE_512, MINILM_512, PRE_EMBEDDING, Condition, parse_method
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.study_runs import Context

NAME = "similarity"
COLLECTIONS = (*beir.LAPTOP, "gutenqa-emma")
OF_EMMA = (
    "paragraph",
    "sentence-5",
    "fixed-256",
    "semantic",
    "lumberchunker-released",
    "proposition-released",
)
OF_CORPORA = ("fixed-256", "sentence-5", "semantic")


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> dict[str, pd.DataFrame]:
    """``orderings``: a row per collection, chunker and pairing, the mean cosine similarity of all
    pairs of a document's chunks, and of neighbours only, over the documents with two chunks or
    more; of Emma, a single document, over its chunks instead, so that there is an interval: each
    chunk's mean similarity to the others or to the next.
    """
    rows = [row for name in collections for row in by_ordering(context, name)]
    return {"orderings": pd.DataFrame(rows)}


def by_ordering(context: Context, name: str) -> list[dict[str, object]]:
    """Rows of ``orderings`` of one collection."""
    rows = []
    collection, store = context.collection(name), context.store(MINILM_512)
    for slug in OF_EMMA if name == "gutenqa-emma" else OF_CORPORA:
        context.say(f"similarity of {slug} in {name}")
        chunks = context.chunks(
            Condition(name, slug, MINILM_512, PRE_EMBEDDING, CORRECTED.name), store
        )
        found = {}
        for ordering in (PRE_EMBEDDING, LATE_512):
            vectors, _ = encode(
                store, collection.documents, chunks, parse_method(ordering), CORRECTED
            )
            found[ordering] = (
                {"all": to_others(vectors), "neighbours": to_next(vectors)}
                if len(collection.documents) == 1
                else per_document(vectors, chunks.document)
            )
        for pairing in ("all", "neighbours"):
            rows.append(
                _row(name, slug, pairing, found[PRE_EMBEDDING][pairing], found[LATE_512][pairing])
            )
    return rows


def per_document(
    vectors: NDArray[np.float32], document: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """Mean similarity within each document of two chunks or more, over all pairs and neighbours."""
    alike: dict[str, list[float]] = {"all": [], "neighbours": []}
    cuts = np.flatnonzero(np.diff(document)) + 1
    for part in np.split(vectors.astype(np.float64), cuts):
        if (n := len(part)) < 2:
            continue
        pairs = (np.square(part.sum(axis=0)).sum() - np.square(part).sum()) / (n * (n - 1))
        alike["all"].append(float(pairs))
        alike["neighbours"].append(float(to_next(part).mean()))
    return {pairing: np.array(values) for pairing, values in alike.items()}


def to_others(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean similarity of each vector to all others, shape (vectors,)."""
    wide = vectors.astype(np.float64)
    own = np.einsum("ij,ij->i", wide, wide)
    mean: NDArray[np.float64] = (wide @ wide.sum(axis=0) - own) / max(1, len(wide) - 1)
    return mean


def to_next(vectors: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarity of each vector to the next, shape (vectors - 1,)."""
    wide = vectors.astype(np.float64)
    similar: NDArray[np.float64] = np.einsum("ij,ij->i", wide[:-1], wide[1:])
    return similar


def _row(
    name: str, slug: str, pairing: str, pre: NDArray[np.float64], late: NDArray[np.float64]
) -> dict[str, object]:
    found = statistics.paired_difference(late, pre)
    return {
        "collection": name,
        "chunker": slug,
        "pairs": pairing,
        "n": len(late),
        "pre_embedding": float(pre.mean()),
        "contextualized": float(late.mean()),
        "difference": found.mean,
        "low": found.interval.low,
        "high": found.interval.high,
    }
