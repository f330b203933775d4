"""What the study asks of an encoder, for those who write one and those who use one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from chunkstudy.base.tokens import Vectors
from chunkstudy.encoders.contextualized import Frame

if TYPE_CHECKING:  # it imports torch
    from chunkstudy.encoders.states import StateEncoder

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


def frame_of(encoder: StateEncoder, window: int) -> Frame:
    """A window of so many tokens as the encoder reads documents in."""
    return Frame(window, encoder.ends, encoder.prefix_ids)
