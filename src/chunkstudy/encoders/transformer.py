"""Texts become vectors: tokenize, sort by length, pack, encode, pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tqdm import tqdm

from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.models import ModelSpec, weights_folder
from chunkstudy.encoders.pooling import mean_pool, normalise
from chunkstudy.tokens import TokenOffsets, without_surrogates

BATCH_TOKENS = 4096


class TransformerEncoder:
    """A registered model, loaded from checked files.

    Args:
        spec: the model.
        window: tokens read of each text, special ones included; the model's own by default.
        batch_tokens: a batch holds texts up to that many tokens, at least one text.
        threads: for torch; None leaves its setting.

    Raises:
        ModelError: if the weights cannot be had or are not what they should be.
        ValueError: if the window is larger than the model's positions.
    """

    def __init__(
        self,
        spec: ModelSpec,
        window: int | None = None,
        batch_tokens: int = BATCH_TOKENS,
        threads: int | None = None,
    ) -> None:
        self.spec = spec
        self.window = spec.window if window is None else window
        if not 2 < self.window <= spec.positions:
            raise ValueError(
                f"a window of {self.window} tokens is impossible for {spec.id}, which has "
                f"{spec.positions} positions"
            )
        self.batch_tokens = batch_tokens
        if threads:
            torch.set_num_threads(threads)
        folder = weights_folder(spec)
        self._model = Bert(folder)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.window)
        self._counter = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._counter.no_padding()
        self._counter.no_truncation()

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def revision(self) -> str:
        return self.spec.revision

    @property
    def dimension(self) -> int:
        return self.spec.dimension

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        return {
            "id": self.spec.id,
            "revision": self.spec.revision,
            "weights_sha256": self.spec.files["model.safetensors"],
            "tokenizer_sha256": self.spec.files["tokenizer.json"],
            "window": self.window,
            "pooling": self.spec.pooling,
            "normalised": self.spec.normalise,
            "dtype": self.spec.dtype,
            "query_prefix": self.spec.query_prefix,
            "document_prefix": self.spec.document_prefix,
            "batch_rule": f"sorted by length, at most {self.batch_tokens} tokens, no padding",
        }

    def encode(
        self,
        texts: Sequence[str],
        role: Literal["document", "query"] = "document",
        progress: bool = False,
    ) -> NDArray[np.float32]:
        """Vectors, shape (texts, dimension), float32, in the order of the texts.

        A text that occurs twice is computed once; of a long text the first ``window`` tokens
        count; an empty one is its special tokens.
        """
        prefix = self.spec.query_prefix if role == "query" else self.spec.document_prefix
        unique = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        ids = self.token_ids([prefix + text for text in unique])
        vectors = torch.empty(len(unique), self.dimension)
        with tqdm(total=len(unique), desc="encoding", unit="text", disable=not progress) as bar:
            for batch in self._batches([len(one) for one in ids]):
                states = self._model.states([ids[i] for i in batch])
                vectors[batch] = torch.cat([mean_pool(group) for group in states])
                bar.update(len(batch))
        if self.spec.normalise:
            vectors = normalise(vectors)
        found: NDArray[np.float32] = vectors.numpy()
        return found[[unique[text] for text in texts]]

    def token_states(self, texts: Sequence[str]) -> list[tuple[torch.Tensor, TokenOffsets]]:
        """What the model says of every token, for late chunking; no prefix is put before.

        Returns:
            Of each text, states (tokens, dimension) and the characters each token covers
            (tokens, 2), special tokens included, which cover (0, 0); cut to the window.
        """
        clean = [without_surrogates(text) for text in texts]
        encodings = self._tokenizer.encode_batch(clean)
        states: dict[int, torch.Tensor] = {}
        for batch in self._batches([len(encoding) for encoding in encodings]):
            groups = self._model.states([encodings[i].ids for i in batch])
            states.update(zip(batch, (one for group in groups for one in group), strict=True))
        return [
            (states[i], np.asarray(encoding.offsets, dtype=np.int64))
            for i, encoding in enumerate(encodings)
        ]

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Content tokens of each whole text: nothing is cut, special tokens are left out."""
        clean = [without_surrogates(text) for text in texts]
        found = self._counter.encode_batch_fast(clean, add_special_tokens=False)
        return [len(encoding) for encoding in found]

    def characters_read(self, texts: Sequence[str]) -> list[int]:
        """Characters of each text that fall within the window; the length where all do."""
        prefix = self.spec.document_prefix
        clean = [prefix + without_surrogates(text) for text in texts]
        return [
            len(text) if not encoding.overflowing else _last(encoding.offsets) - len(prefix)
            for text, encoding in zip(texts, self._tokenizer.encode_batch(clean), strict=True)
        ]

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids with special tokens, cut to the window; lone surrogates become U+FFFD."""
        clean = [without_surrogates(text) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(clean)]

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        tokens = 0
        for i in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and tokens + lengths[i] > self.batch_tokens:
                yield batch
                batch, tokens = [], 0
            batch.append(i)
            tokens += lengths[i]
        if batch:
            yield batch


def _last(offsets: Sequence[tuple[int, int]]) -> int:
    """Where the last token ends."""
    return max(end for _, end in offsets)
