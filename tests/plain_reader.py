"""A causal reader without weights, and the numbers of a reading by the slowest way."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkstudy.base.spans import Span
from chunkstudy.llm.causal_models import CausalReader, HiddenPart, Read


class MadeReader(CausalReader):
    """Probabilities out of digests: a token's own number and that of the tokens it can attend to.

    Tokens are words with the white space before them. The surprisal of a token changes with any
    token among the ``reach`` before it that is not hidden.
    """

    reach = 8

    def __init__(self) -> None:
        self.read_at_once: list[int] = []

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        ids: list[int] = []
        spans: list[Span] = []
        start = 0
        for end in range(1, len(text) + 1):
            last = end == len(text)
            if last or (text[end].isspace() and not text[end - 1].isspace()):
                ids.append(_number(text[start:end]) % 50_000)
                spans.append((start, end))
                start = end
        return ids, spans

    def read(self, ids: Sequence[int]) -> Read:
        self.read_at_once.append(len(ids))
        count = len(ids)
        surprisal = np.array([self._bits(ids, i, i) for i in range(count)])
        paid = np.tril(np.ones((count, count), dtype=np.float32))
        paid *= np.array(ids, dtype=np.float32) % 7 + 1
        paid /= paid.sum(axis=1, keepdims=True) if count else 1
        return Read(surprisal / 2, surprisal, paid, paid**2, None)

    def again(self, ids: Sequence[int], read: Read, parts: Sequence[HiddenPart]) -> list[Any]:
        return [
            np.array([self._bits(ids, i + 1, first, hidden) for i in range(first, first + length)])
            for first, length, hidden in parts
        ]

    def describe(self) -> dict[str, Any]:
        return {"id": "made", "weights_sha256": "0" * 64}

    def _bits(self, ids: Sequence[int], place: int, first: int, hidden: int = 0) -> float:
        seen = [
            ids[i]
            for i in range(max(0, place - self.reach), place)
            if not first - hidden <= i < first
        ]
        return _number(f"{ids[place]} {seen}") % 1_000 / 100


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6], "big")
