"""What the study asks of an encoder, for those who write one and those who use one.

Every encoder is an `Encoder`. What only some can do stands in a protocol of its own, and whoever
needs it asks with `isinstance`, so that an encoder is never probed for an attribute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from numpy.typing import NDArray

from chunkstudy.core.errors import UserError
from chunkstudy.core.tokens import TokenOffsets, Vectors

if TYPE_CHECKING:  # it imports this module
    from chunkstudy.encoders.contextualized import Frame, Layout

Role = Literal["document", "query"]


class Encoder(Protocol):
    """Encode texts as vectors; every encoder can do this."""

    @property
    def dimension(self) -> int:
        """Return the numbers of a vector."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return what determines the vectors."""
        ...

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """Return what decides each text's vector, given the description.

        Texts of equal keys have equal vectors.
        """
        ...

    def encode(self, texts: Sequence[str], role: Role = "document") -> Vectors:
        """Return unit vectors of the texts, in their order."""
        ...


@runtime_checkable
class StateEncoder(Protocol):
    """Show the states of a text's tokens, which late chunking pools."""

    def frame(self, window: int) -> Frame:
        """Return a window of so many tokens as the encoder reads documents in."""
        ...

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Return each text's ids without special tokens, and the characters of each token."""
        ...

    def pool(self, layouts: Sequence[Layout], spans: Sequence[NDArray]) -> list[Vectors]:
        """Return the vectors of each layout's chunks, (chunks, dimension) each.

        Args:
            layouts: documents in windows.
            spans: of each document, (chunks, 2) positions in its sequence.
        """
        ...


@runtime_checkable
class TokenCountingEncoder(Protocol):
    """Count the tokens of a text, and say how many are read."""

    @property
    def window(self) -> int | None:
        """Return the tokens read of a text; None where the model does not say."""
        ...

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each whole text, special ones left out."""
        ...


@runtime_checkable
class ReadingReporter(Protocol):
    """Say how much of a text is read."""

    def characters_read(self, texts: Sequence[str], role: Role = "document") -> list[int]:
        """Return the characters of each text that are read."""
        ...


@runtime_checkable
class VocabularyReporter(Protocol):
    """Say how much of a text the vocabulary lacks."""

    def characters_unknown(self, texts: Sequence[str]) -> list[int]:
        """Return the characters of each text that the vocabulary has no pieces for."""
        ...


def require_states(encoder: Encoder) -> StateEncoder:
    """Return an encoder as one that shows its token states.

    Args:
        encoder: the encoder that late chunking was asked of.

    Raises:
        UserError: if it shows none.
    """
    if isinstance(encoder, StateEncoder):
        return encoder
    raise UserError(
        f"{encoder.describe().get('id', type(encoder).__name__)} shows no token states, which "
        "late chunking pools; use the ordering pre_embedding, or a model of `chunkstudy models`"
    )


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
