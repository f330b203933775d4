"""Documents with their chunks, read as each tool reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.tokens import tokens_between
from chunkstudy.encoders import contextualized_elsewhere as elsewhere
from chunkstudy.encoders.contextualized import TokenSpans, separated
from chunkstudy.encoders.contextualized_elsewhere import Ids, Readings
from chunkstudy.encoders.interface import frame_of
from chunkstudy.encoders.transformer import TransformerEncoder

CHONKIE, CONTEB, AFTERTHOUGHTS = "chonkie", "contextual-embeddings", "afterthoughts"
WINDOWS = {CHONKIE: 256, CONTEB: 256, AFTERTHOUGHTS: 512}
"""Tokens that each reads at once with all-MiniLM-L6-v2: the first two ask sentence-transformers'
configuration, the third the tokenizer's."""


@dataclass(frozen=True)
class Text:
    """A document's tokens and its chunks.

    Attributes:
        content: ids without special tokens.
        offsets: (tokens, 2), characters of each.
        starts: (chunks,), first character of each chunk; ``stops``: one past its last.
        alone: of each chunk the ids, tokenized by itself.
    """

    content: Ids
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    alone: Sequence[Ids]

    @classmethod
    def of(
        cls,
        encoder: TransformerEncoder,
        text: str,
        starts: NDArray[np.int64],
        stops: NDArray[np.int64],
    ) -> Text:
        (content, offsets), *alone = encoder.content(
            [text, *(text[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True))]
        )
        return cls(content, offsets, starts, stops, [ids for ids, _ in alone])

    @property
    def places(self) -> TokenSpans:
        """The tokens of each chunk."""
        return tokens_between(self.offsets, self.starts, self.stops)


Read = Callable[[TransformerEncoder, Text, int], Readings]


def chonkie(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    def reread(ids: Ids) -> Ids:
        return encoder.content([encoder.decode(ids)])[0][0]

    return elsewhere.chonkie(text.content, text.alone, frame_of(encoder, window), reread)


def conteb(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    return elsewhere.conteb(text.alone, frame_of(encoder, window))


def afterthoughts(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    frame = frame_of(encoder, window)
    return elsewhere.afterthoughts(text.content, text.offsets, text.starts, text.stops, frame)


def disjoint(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    return elsewhere.disjoint(text.content, text.places, frame_of(encoder, window))


def side_by_side(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    return elsewhere.side_by_side(text.alone, frame_of(encoder, window))


def apart(encoder: TransformerEncoder, text: Text, window: int) -> Readings:
    """Ours with a [SEP] between chunks."""
    layout, spans = separated(text.alone, frame_of(encoder, window))
    return Readings(layout, spans, np.arange(len(spans), dtype=np.int64), text.places)


TOOLS: dict[str, Read] = {
    CHONKIE: chonkie,
    CONTEB: conteb,
    AFTERTHOUGHTS: afterthoughts,
}
