"""Many ways to cut one collection: chunks embedded in one reading, each set scored by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.collections import registry
from chunkstudy.runs import records, scoring
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.store import VectorStore

MEASURES = ("DCG@10", "SpanRecall@5")


def encoded(
    store: VectorStore, collection: Collection, sets: Sequence[Chunks], ordering: str
) -> list[NDArray[np.float32]]:
    """Vectors of several sets of chunks, shape (chunks, dimension) each, from one reading."""
    document = np.concatenate([chunks.document for chunks in sets])
    order = np.argsort(document, kind="stable")
    together = Chunks(
        document[order],
        np.concatenate([chunks.start for chunks in sets])[order],
        np.concatenate([chunks.end for chunks in sets])[order],
    )
    found, _ = encode(
        store, collection.documents, together, parse_ordering(ordering), PROTOCOLS[OWN]
    )
    back = np.empty_like(found)
    back[order] = found
    return np.split(back, np.cumsum([len(chunks) for chunks in sets])[:-1])


def score(
    collection: Collection,
    chunks: Chunks,
    asked: NDArray[np.float32],
    of_chunks: NDArray[np.float32],
    measures: Sequence[str] = MEASURES,
) -> pd.DataFrame:
    """A row per query that is judged, a column per measure, as a record has them."""
    quotations = registry.find(collection.name).quotations
    gold = quotations() if quotations else None
    found = scoring.in_document(
        collection, chunks, (asked, of_chunks), PROTOCOLS[OWN], gold, by_parent=False
    )
    wide = records.rounded(found.scores)
    return wide[[one for one in measures if one in wide]]
