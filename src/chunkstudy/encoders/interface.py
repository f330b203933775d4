"""What the study asks of an encoder, for those who write one and those who use one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.encoding import Vectors
from chunkstudy.base.tokens import TokenOffsets
from chunkstudy.encoders.contextualized import Frame, Layout

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


class TokenEncoder(Encoder, Protocol):
    """An encoder that shows its token states, as contextualized encoding needs."""

    @property
    def ends(self) -> tuple[int, int]:
        """The ids of [CLS] and [SEP]."""
        ...

    @property
    def prefix_ids(self) -> tuple[int, ...]:
        """The ids of the document prefix."""
        ...

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Of each text the ids without special tokens, and the characters of each token."""
        ...

    def pool(self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]) -> list[Vectors]:
        """Vectors of each layout's chunks; a zero row for an empty span."""
        ...


def frame_of(encoder: TokenEncoder, window: int) -> Frame:
    """A window of so many tokens as the encoder reads documents in."""
    return Frame(window, encoder.ends, encoder.prefix_ids)
