"""What encoders share that show their token states: their tokenizer, and vectors of spans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from chunkstudy.core.tokens import TokenOffsets, Vectors, content, counts, without_surrogates
from chunkstudy.encoders.contextualized import Frame, Ids, Layout
from chunkstudy.encoders.pooling import sequence

UNKNOWN = ("[UNK]", "<unk>")
"""What tokenizers call a word that their vocabulary has no pieces for."""


class TokenStateEncoder(ABC):
    """An encoder whose chunks are means of token states.

    Attributes:
        tokenizer: the model's, which cuts and pads nothing.
        document_prefix: what the model's authors put before a document.
        width: numbers of a state.
    """

    tokenizer: Tokenizer
    document_prefix: str
    width: int

    @abstractmethod
    def read(self, windows: Sequence[Ids]) -> Sequence[torch.Tensor]:
        """The states of each window's tokens, shape (tokens, width), float32, on the encoder's
        device."""

    def states(self, layouts: Sequence[Layout]) -> list[torch.Tensor]:
        """Of each layout the states of its sequence, shape (places, width), float32, on the
        encoder's device."""
        read = iter(self.read([ids for layout in layouts for ids in layout.windows]))
        parts = [[next(read)[a:b] for a, b in layout.kept] for layout in layouts]
        return [
            sequence(pieces, layout.places) if pieces else torch.zeros(0, self.width)
            for pieces, layout in zip(parts, layouts, strict=True)
        ]

    @abstractmethod
    def pooled(
        self, states: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        """Vectors of spans of a sequence's states, (spans, dimension); of an empty one zero."""

    def pool(self, layouts: Sequence[Layout], spans: Sequence[NDArray]) -> list[Vectors]:
        """Vectors of each layout's chunks, (chunks, dimension) each; a zero row for an empty span.

        Args:
            layouts: documents in windows.
            spans: of each document, (chunks, 2) positions in its sequence.
        """
        vectors = []
        for states, places in zip(self.states(layouts), spans, strict=True):
            starts, ends = torch.from_numpy(places).to(states.device).T
            vectors.append(self.pooled(states, starts, ends).cpu().numpy())
        return vectors

    @property
    def ends(self) -> tuple[int, int]:
        """The ids of the tokens that begin and end every text: [CLS] and [SEP]."""
        first, last = self.tokenizer.encode("").ids
        return first, last

    def frame(self, window: int) -> Frame:
        """A window of so many tokens as the encoder reads documents in."""
        return Frame(window, self.ends, self.prefix_ids)

    @property
    def prefix_ids(self) -> tuple[int, ...]:
        """The ids of the document prefix, for layouts to put behind [CLS]; its last space belongs
        to the token that follows."""
        prefix = self.document_prefix.rstrip()
        return tuple(self.tokenizer.encode(prefix, add_special_tokens=False).ids)

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Ids of each whole text without special tokens, and the characters of each token,
        shape (tokens, 2)."""
        return content(self.tokenizer, texts)

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Content tokens of each whole text: nothing is cut, special tokens are left out."""
        return counts(self.tokenizer, texts)

    def characters_unknown(self, texts: Sequence[str]) -> list[int]:
        """Characters of each whole text that the vocabulary has no pieces for: whatever word they
        make, the model reads one and the same token."""
        known = (self.tokenizer.token_to_id(name) for name in UNKNOWN)
        unknown = next((token for token in known if token is not None), None)
        clean = [without_surrogates(text) for text in texts]
        return [
            sum(
                end - start
                for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
                if token == unknown
            )
            for encoding in self.tokenizer.encode_batch(clean, add_special_tokens=False)
        ]
