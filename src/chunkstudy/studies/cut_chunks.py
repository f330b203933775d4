"""Which chunks does an encoder's window cut, and do they hold the answers?

A chunk that is embedded by itself is read up to the window; what stands beyond it is lost. Where a
document's tokens are read first and pooled afterwards, nothing is. A gain of late chunking over
chunkers whose chunks are cut may thus be a gain of text and not of context.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy import tokens
from chunkstudy.grid import records
from chunkstudy.grid.grids import OWN, PRE, WINDOWS
from chunkstudy.spans import Chunks, Collection
from chunkstudy.studies.runner import Context

COLLECTIONS = ("chroma-within",)
SPECIAL = 2
"""[CLS] and [SEP], which take two of a window's tokens."""
DIGITS = 12
"""Of a digest, to tell chunks apart."""


def tables(context: Context, collections: Sequence[str]) -> dict[str, pd.DataFrame]:
    """``chunkers``: of each chunker and window the fraction of chunks longer than the window has
    room for, and the fraction of their tokens beyond it. ``questions``: of each chunker and
    question the size of the largest chunk that shares a character with an excerpt.

    Sizes are WordPiece tokens. ``chunks`` are the first digits of the chunks' digest, by which a
    record is found that was made with them.

    Raises:
        RuntimeError: if chunks are not those that a record was made with.
    """
    by_chunker, by_question = [], []
    for name in collections:
        collection = context.collection(name)
        seen: set[str] = set()
        for condition, folder in records.find(context.places.runs).items():
            digest = records.read_run(folder).chunks_sha256
            wanted = condition.collection == name and condition.protocol == OWN
            if not wanted or condition.ordering != PRE or digest in seen:
                continue
            seen.add(digest)
            context.say(f"chunks of {condition}")
            chunks = context.chunks(condition, context.store(condition.encoder))
            if chunks.digest() != digest:
                raise RuntimeError(f"{condition} has other chunks than its record; run it again")
            counted = tokens.counter("wordpiece").count_many(chunks.texts(collection.documents))
            sizes = np.asarray(counted, dtype=np.int64)
            keys = {"collection": name, "chunker": condition.chunker, "chunks": digest[:DIGITS]}
            by_chunker += [keys | beyond(sizes, window) for window in WINDOWS]
            found = largest(collection, chunks, sizes)
            by_question += [keys | {"query_id": q, "largest": size} for q, size in found.items()]
    return {"chunkers": pd.DataFrame(by_chunker), "questions": pd.DataFrame(by_question)}


def beyond(sizes: NDArray[np.int64], window: int) -> dict[str, object]:
    """The fraction of chunks that a window cuts, and of their tokens that it leaves unread.

    Args:
        sizes: shape (chunks,), in tokens.
        window: tokens read at once, special ones included.
    """
    over = np.maximum(sizes - (window - SPECIAL), 0)
    return {
        "window": window,
        "cut": float((over > 0).mean()),
        "unread": float(over.sum() / sizes.sum()),
    }


def largest(collection: Collection, chunks: Chunks, sizes: NDArray[np.int64]) -> dict[str, int]:
    """By query the size of the largest chunk that shares a character with what is judged; queries
    that no chunk touches are left out."""
    places = collection.positions
    found: dict[str, int] = {}
    for judgment in collection.judgments:
        touched = (
            (chunks.document == places[judgment.document])
            & (chunks.start < judgment.end)
            & (chunks.end > judgment.start)
        )
        if touched.any():
            size = int(sizes[touched].max())
            found[judgment.query] = max(found.get(judgment.query, 0), size)
    return found
