"""What is different where vectors come from an API: they cost money and may change tomorrow."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.runs.store import VectorStore


def announce(label: str, store: VectorStore, texts: Sequence[str], queries: Sequence[str]) -> None:
    """Say on stderr what the API will be asked for; nothing where the encoder is not behind one.

    Raises:
        BudgetError: before the first request, if all of them would exceed the ceiling.
    """
    encoder = store.encoder
    if not isinstance(encoder, ApiEncoder):
        return
    chunks = encoder.estimate(store.missing(texts))
    questions = encoder.estimate(store.missing(queries, "query"), "query")
    if chunks.requests or questions.requests:
        print(f"{label}: chunks: {chunks}; queries: {questions}", file=sys.stderr)
    encoder.budget.check((chunks + questions).dollars or 0.0)


def describe(
    store: VectorStore, vectors: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> dict[str, Any]:
    """The encoder's description; behind an API with the sha256 of the vectors themselves, queries
    first, since nothing else pins them."""
    described = store.encoder.describe()
    if isinstance(store.encoder, ApiEncoder):
        content = b"".join(one.astype("<f4").tobytes() for one in vectors)
        described["vectors_sha256"] = hashlib.sha256(content).hexdigest()
    return described
