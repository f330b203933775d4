"""What the study asks of an encoder, for those who write one and those who use one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Protocol

from chunkstudy.core.tokens import Vectors

Role = Literal["document", "query"]


class Encoder(Protocol):
    """Texts become vectors."""

    @property
    def dimension(self) -> int: ...

    def describe(self) -> dict[str, Any]:
        """What determines the vectors."""
        ...

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """What decides each text's vector, given the description: equal keys, equal vectors."""
        ...

    def encode(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        """Unit vectors of the texts, in their order."""
        ...


def batches(sizes: Sequence[int], limit: int, most: float = math.inf) -> Iterator[list[int]]:
    """The places of what goes together, in order: at least one, ``most`` at most, and in all no
    larger than the limit where there are several."""
    batch: list[int] = []
    total = 0
    for i, size in enumerate(sizes):
        if batch and (len(batch) == most or total + size > limit):
            yield batch
            batch, total = [], 0
        batch.append(i)
        total += size
    if batch:
        yield batch
