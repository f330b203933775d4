"""An encoder of one's own: a function from texts to an array, with another for queries if need be.

What it returns becomes vectors of unit length, or an error that says what is wrong with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunkstudy.base.faults import ModelError
from chunkstudy.base.tokens import without_surrogates
from chunkstudy.encoders.interface import Role, Vectors

Function = Callable[[list[str]], Any]
"""``f(texts)`` that gives a row for each text: an array, or what NumPy makes one of."""
PROBE = ["Who wrote it?", "A passage of some length, so that two functions give it two vectors."]
SHOWN = 40
"""Characters of a text that an error shows."""


class FunctionEncoder:
    """A function as an encoder.

    It is asked for two sentences first: their vectors tell its dimension, and tell it from another
    function of the same name, so that vectors kept under one are not taken for the other's.

    Args:
        encode: of documents, and of queries where they have none of their own.
        queries: of queries.
        name: what records call it; the function's own by default.

    Raises:
        ModelError: here and later, if it raises (the original error is chained), or returns
            something else than one row of finite numbers for each text, all of one length.
    """

    def __init__(self, encode: Function, queries: Function | None = None, name: str = "") -> None:
        self.id = name or getattr(encode, "__name__", type(encode).__name__)
        self._functions: dict[Role, Function] = {"document": encode, "query": queries or encode}
        self._shared = queries is None
        self.dimension = 0
        roles: list[Role] = ["document"] if self._shared else ["document", "query"]
        vectors = [self._called(PROBE, role) for role in roles]
        self.revision = hashlib.sha256(np.stack(vectors).astype("<f4").tobytes()).hexdigest()[:40]

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        return {
            "id": self.id,
            "revision": self.revision,
            "dimension": self.dimension,
            "computed_by": "a function; its revision is the digest of two sentences' vectors",
            "normalised": True,
        }

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """The digest of each text, with its role where queries have a function of their own."""
        shown = "document" if self._shared else role
        return [
            hashlib.sha256(f"{shown}\0{without_surrogates(text)}".encode()).digest()
            for text in texts
        ]

    def encode(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        """Unit vectors of the texts, in their order; a row of zeros stays one."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = self._called([without_surrogates(text) for text in texts], role)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = vectors / np.maximum(norms, np.float32(1e-12))
        return unit

    def _called(self, texts: list[str], role: Role) -> Vectors:
        try:
            returned = self._functions[role](list(texts))
        except Exception as error:
            raise ModelError(
                f"{self.id} failed on {len(texts)} texts: {type(error).__name__}: {error}"
            ) from error
        try:
            vectors = np.asarray(returned, dtype=np.float32)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ModelError(
                f"{self.id} returned {type(returned).__name__}, of which NumPy makes no array of "
                "numbers; return one row of them for each text, all of one length"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise ModelError(
                f"{self.id} returned an array of shape {vectors.shape} for {len(texts)} texts; "
                f"return one of shape ({len(texts)}, dimension)"
            )
        if vectors.shape[1] != (self.dimension or vectors.shape[1]):
            raise ModelError(
                f"{self.id} returned vectors of {vectors.shape[1]} numbers, and of "
                f"{self.dimension} before; return as many for every text"
            )
        self.dimension = vectors.shape[1]
        wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(wrong):
            raise ModelError(
                f"{self.id} returned a number that is not finite for the text "
                f"{texts[wrong[0]][:SHOWN]!r}; see what it makes of that text"
            )
        return vectors
