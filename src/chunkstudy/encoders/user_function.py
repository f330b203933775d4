"""An encoder of one's own: a function from texts to an array, with another for queries if need be.

What it returns becomes vectors of unit length, or an error that says what is wrong with it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.tokens import without_surrogates
from chunkstudy.encoders import code_digest
from chunkstudy.encoders.interface import Role, Vectors

Function = Callable[[list[str]], Any]
"""``f(texts)`` that gives a row for each text: an array, or what NumPy makes one of."""
_START = "A passage of some length"
PROBES = ["Who wrote it?", f"{_START}, so that two functions give it two vectors."]
"""Ordinary texts, which every function has to take."""
FURTHER_PROBES = [
    f"{_START}: " + " ".join(f"word{i}" for i in range(600)),
    f"{_START}: 検索のために文書をどのように分割すればよいか。长文档需要分块吗？",
    f"{_START}: كيف نقسم الوثيقة؟ Как разделить документ? कैसे बाँटें? 어떻게 나눌까?",
    f"{_START} 😀🧭 é e\u0301 ﬁ Ⅳ x² A-1\n\n| a | b |\n\t{{}}",
]
"""Texts longer than most windows, and in several scripts."""
SHOWN = 40
"""Characters of a text that an error shows."""


class FunctionEncoder:
    """A function as an encoder.

    The function is called with :data:`PROBES` and :data:`FURTHER_PROBES` first. Vectors are reused
    only where it gives the same vectors for them, and its code and the values that it holds are the
    same (:mod:`chunkstudy.encoders.code_digest`).

    Args:
        encode: function of documents, and of queries if they have none of their own.
        queries: function of queries.
        name: name in records; the function's own by default.
        code: digest of what computes the vectors; if None, it is taken from the functions.

    Attributes:
        why_not_reused: reason why no vectors are reused, as a clause; empty if they are.

    Raises:
        ResourceError: here and later, if it raises (the original error is chained), or returns
            something else than one row of finite numbers for each text, all of one length.
    """

    def __init__(
        self,
        encode: Function,
        queries: Function | None = None,
        name: str = "",
        code: str | None = None,
    ) -> None:
        self.id = name or getattr(encode, "__name__", type(encode).__name__)
        self._functions: dict[Role, Function] = {"document": encode, "query": queries or encode}
        self._shared = queries is None
        self.dimension = 0
        roles: list[Role] = ["document"] if self._shared else ["document", "query"]
        self.why_not_reused = ""
        states = [] if code is not None else self._states(roles)
        vectors = [self._called(PROBES, role) for role in roles]
        if code is None:
            vectors += self._further(roles)
        self._code = self._code_digest(roles, states) if code is None else code
        content = np.concatenate(vectors).astype("<f4").tobytes()
        self.revision = hashlib.sha256(content).hexdigest()[:40]

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        return {
            "id": self.id,
            "revision": self.revision,
            "dimension": self.dimension,
            "computed_by": "a function; its revision is the digest of the vectors of probe texts",
            "normalised": True,
        }

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """The digest of each text with that of the code, and with its role where queries have a
        function of their own."""
        shown = "document" if self._shared else role
        return [
            hashlib.sha256(f"{self._code}{shown}\0{without_surrogates(text)}".encode()).digest()
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

    def _states(self, roles: Sequence[Role]) -> list[dict[str, str]]:
        """Digests of what the functions hold before they are called; none if they have none."""
        try:
            return [code_digest.parts(self._functions[role]) for role in roles]
        except ResourceError as error:
            self.why_not_reused = str(error)
            return []

    def _further(self, roles: Sequence[Role]) -> list[Vectors]:
        """Vectors of the further probes; none if a function does not take them."""
        try:
            return [self._called(FURTHER_PROBES, role) for role in roles]
        except ResourceError as error:
            self.why_not_reused = str(error)
            return []

    def _code_digest(self, roles: Sequence[Role], states: Sequence[dict[str, str]]) -> str:
        """One digest of the functions; a random one, which nothing has, if there is none."""
        try:
            if states and not self.why_not_reused:
                functions = [self._functions[role] for role in roles]
                return "".join(map(code_digest.stable_digest, functions, states))
        except ResourceError as error:
            self.why_not_reused = str(error)
        return secrets.token_hex()

    def _called(self, texts: list[str], role: Role) -> Vectors:
        try:
            returned = self._functions[role](list(texts))
        except Exception as error:
            raise ResourceError(
                f"{self.id} failed on {len(texts)} texts: {type(error).__name__}: {error}"
            ) from error
        try:
            vectors = np.asarray(returned, dtype=np.float32)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ResourceError(
                f"{self.id} returned {type(returned).__name__}, of which NumPy makes no array of "
                "numbers; return one row of them for each text, all of one length"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise ResourceError(
                f"{self.id} returned an array of shape {vectors.shape} for {len(texts)} texts; "
                f"return one of shape ({len(texts)}, dimension)"
            )
        if vectors.shape[1] != (self.dimension or vectors.shape[1]):
            raise ResourceError(
                f"{self.id} returned vectors of {vectors.shape[1]} numbers, and of "
                f"{self.dimension} before; return as many for every text"
            )
        self.dimension = vectors.shape[1]
        wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(wrong):
            raise ResourceError(
                f"{self.id} returned a number that is not finite for the text "
                f"{texts[wrong[0]][:SHOWN]!r}; see what it makes of that text"
            )
        return vectors
