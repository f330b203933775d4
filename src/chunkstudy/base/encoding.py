"""What a method that embeds or counts tokens is given of an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.tokens import TokenOffsets

Vectors = NDArray[np.float32]
"""Shape (texts, dimension)."""
Embed = Callable[[Sequence[str]], Vectors]
"""Texts to vectors of unit length, in their order: what a chunker places boundaries by."""


class TextTokens(Protocol):
    """A tokenizer that shows its tokens."""

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Of each text the ids without special tokens, and the characters of each token."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The ids put back into text."""
        ...
