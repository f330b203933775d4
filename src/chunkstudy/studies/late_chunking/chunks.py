"""The plain chunks of the study's records again, and how many tokens of a model they have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks
from chunkstudy.encoders.interface import TokenEncoder
from chunkstudy.runs import records
from chunkstudy.runs.conditions import PRE_EMBEDDING, Condition
from chunkstudy.runs.store import VectorStore
from chunkstudy.runs.study_runs import Context


def plain(collection: str, chunker: str, encoder: str) -> Condition:
    """Chunks that are embedded by themselves, by the corrected rules."""
    return Condition(collection, chunker, encoder, PRE_EMBEDDING, CORRECTED.name)


def recorded(
    context: Context, collections: Sequence[str]
) -> Iterator[tuple[Condition, records.Run]]:
    """Every record of plain chunks in these collections, in the order of their paths."""
    for condition in records.find(context.places.runs):
        if condition.collection not in collections:
            continue
        if condition == plain(condition.collection, condition.chunker, condition.encoder):
            yield condition, records.read(context.places.runs, condition).run


def sizes(
    context: Context, condition: Condition, run: records.Run, store: VectorStore
) -> tuple[Chunks, NDArray[np.int64]]:
    """The chunks that a record was made with, and the tokens of each, special ones not counted.

    Raises:
        RuntimeError: if they are others now.
    """
    context.say(f"chunks of {condition}")
    chunks = context.chunks(condition, store)
    if chunks.digest() != run.chunks_sha256:
        raise RuntimeError(f"{condition} has other chunks than its record; run it again")
    encoder = cast(TokenEncoder, store.encoder)
    texts = chunks.texts(context.collection(condition.collection).documents)
    return chunks, np.array([len(ids) for ids, _ in encoder.content(texts)], dtype=np.int64)
