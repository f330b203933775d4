"""Many ways to cut one collection, embedded in one reading."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import PROTOCOLS
from chunkstudy.base.spans import Chunks, Collection
from chunkstudy.runs.encoding import encode
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.names import parse_ordering
from chunkstudy.runs.store import VectorStore


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
