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
from chunkstudy.runs.conditions import PRE_EMBEDDING, parse_method
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.study_runs import Context
from chunkstudy.studies.late_chunking.chunks import plain
from chunkstudy.studies.late_chunking.systems import MINILM, WINDOWS, late_ordering, slug
from chunkstudy.study.study import Tables

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


def tables(context: Context, collections: Sequence[str] = COLLECTIONS) -> Tables:
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
    encoder = slug(MINILM, max(WINDOWS))
    collection, store = context.collection(name), context.store(encoder)
    for chunker in OF_EMMA if name == "gutenqa-emma" else OF_CORPORA:
        context.say(f"similarity of {chunker} in {name}")
        chunks = context.chunks(plain(name, chunker, encoder), store)
        alike = []
        for ordering in (PRE_EMBEDDING, late_ordering(max(WINDOWS))):
            vectors, _ = encode(
                store, collection.documents, chunks, parse_method(ordering), CORRECTED
            )
            alike.append(
                {"all": to_others(vectors), "neighbours": to_next(vectors)}
                if len(collection.documents) == 1
                else per_document(vectors, chunks.document)
            )
        before, late = alike
        rows += [_row(name, chunker, pairs, before[pairs], late[pairs]) for pairs in before]
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
    name: str, chunker: str, pairs: str, before: NDArray[np.float64], late: NDArray[np.float64]
) -> dict[str, object]:
    change = statistics.paired_difference(late, before)
    return {
        "collection": name,
        "chunker": chunker,
        "pairs": pairs,
        "n": len(late),
        "pre_embedding": float(before.mean()),
        "contextualized": float(late.mean()),
        "difference": change.mean,
        "low": change.interval.low,
        "high": change.interval.high,
    }
