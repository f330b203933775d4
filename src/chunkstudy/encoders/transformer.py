"""Texts become vectors: tokenize, sort by length, pack, encode, pool."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chunkstudy.core.tokens import tokenizer_of, without_surrogates
from chunkstudy.encoders.checkpoint import load
from chunkstudy.encoders.contextualized import Ids, whole
from chunkstudy.encoders.interface import Role, batches
from chunkstudy.encoders.models import ModelSpec, check_files, weights_folder, with_recorded_digests
from chunkstudy.encoders.pooling import normalise, pool_spans
from chunkstudy.encoders.states import TokenStateEncoder

BATCH_TOKENS = {"cpu": 4096, "cuda": 65536}
"""What a batch holds at most, or one text."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class TransformerEncoder(TokenStateEncoder):
    """A registered model, loaded from checked files; on a GPU where torch sees one.

    Args:
        spec: the model.
        window: tokens read of each text, special ones included; the model's own by default.
        threads: for torch; None leaves its setting.
        dtype: of the weights and of the states inside the model; float32 by default, as pooling
            is always.
        folder: where the model's files lie, for weights that were trained here; looked for by
            default.

    Raises:
        ResourceError: if the weights cannot be had or are not what they should be.
        ValueError: if the window is larger than the model's positions.
    """

    def __init__(
        self,
        spec: ModelSpec,
        window: int | None = None,
        threads: int | None = None,
        dtype: str | None = None,
        folder: Path | None = None,
    ) -> None:
        self.spec = spec = with_recorded_digests(spec)
        self.document_prefix, self.width = spec.document_prefix, spec.dimension
        self.window = spec.window if window is None else window
        if not 2 < self.window <= spec.positions:
            raise ValueError(
                f"a window of {self.window} tokens is impossible for {spec.id}, which has "
                f"{spec.positions} positions"
            )
        self.dtype = dtype or "float32"
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.batch_tokens = BATCH_TOKENS[self.device.type]
        if threads:
            torch.set_num_threads(threads)
        if folder is None:
            folder = weights_folder(spec)
        else:
            check_files(folder, spec)
        self._model = load(spec, folder, self.device, DTYPES[self.dtype])
        self.tokenizer, self._cutting = (tokenizer_of(folder / "tokenizer.json") for _ in range(2))
        self._cutting.enable_truncation(self.window)

    @property
    def dimension(self) -> int:
        return self.spec.dimension

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        described: dict[str, Any] = {
            "id": self.spec.id,
            "revision": self.spec.revision,
            "weights_sha256": self.spec.files["model.safetensors"],
            "tokenizer_sha256": self.spec.files["tokenizer.json"],
            "window": self.window,
            "pooling": "mean",
            "normalised": True,
            "dtype": self.dtype,
            "query_prefix": self.spec.query_prefix,
            "document_prefix": self.spec.document_prefix,
            "batch_rule": f"sorted by length, at most {self.batch_tokens} tokens, no padding",
        }
        # Named only where they differ from what MiniLM on a CPU is, whose stored vectors lie under
        # the digest of the keys above.
        if self.device.type != "cpu":
            described["device"] = torch.cuda.get_device_name(self.device)
        if self.spec.query_adapter or self.spec.document_adapter:
            described["query_adapter"] = self.spec.query_adapter
            described["document_adapter"] = self.spec.document_adapter
        return described

    def encode(self, texts: Sequence[str], role: Role = "document") -> NDArray[np.float32]:
        """Vectors, shape (texts, dimension), float32, in the order of the texts.

        A text that occurs twice is computed once; of a long text the first ``window`` tokens
        count; an empty one is its special tokens. The role decides the text put before each, and
        the adapter where the model has any.
        """
        self._adapt(role)
        prefix = self._prefix(role)
        unique = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        ids = self.token_ids([prefix + text for text in unique])
        vectors = torch.empty(len(unique), self.dimension)
        for batch in self._batches([len(of_text) for of_text in ids]):
            states = self._model.states([ids[i] for i in batch])
            vectors[batch] = torch.cat([group.mean(dim=1) for group in states]).cpu()
        unique_vectors: NDArray[np.float32] = normalise(vectors).numpy()
        return unique_vectors[[unique[text] for text in texts]]

    def decode(self, ids: Sequence[int]) -> str:
        """Ids put back into text, special ones included."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=False)
        return text

    def read(self, windows: Sequence[Ids]) -> list[torch.Tensor]:
        """The states of each window's tokens, shape (tokens, dimension), float32.

        Raises:
            ValueError: if a window is longer than the model's positions.
        """
        if (longest := max(map(len, windows), default=0)) > self.spec.positions:
            raise ValueError(
                f"a window of {longest} tokens is too long for {self.spec.id}, which has "
                f"{self.spec.positions} positions"
            )
        self._adapt("document")
        states: dict[int, torch.Tensor] = {}
        for batch in self._batches([len(ids) for ids in windows]):
            groups = self._model.states([windows[i] for i in batch])
            states.update(zip(batch, (state for group in groups for state in group), strict=True))
        return [states[i] for i in range(len(windows))]

    def pooled(
        self, states: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        return normalise(pool_spans(states, starts, ends))

    def keys(self, texts: Sequence[str], role: Role = "document") -> list[bytes]:
        """What decides each text's vector, given the model: the ids read, prefix and cut included.

        Texts that differ only in case or white space share a key, and so do windows of different
        sizes that hold the whole text.
        """
        prefix = self._prefix(role)
        digests = [whole(ids).digest() for ids in self.token_ids([prefix + text for text in texts])]
        if role == "query" and self.spec.query_adapter != self.spec.document_adapter:
            return [hashlib.sha256(b"query adapter" + digest).digest() for digest in digests]
        return digests

    def _prefix(self, role: Role) -> str:
        return self.spec.query_prefix if role == "query" else self.spec.document_prefix

    def _adapt(self, role: Role) -> None:
        query = role == "query"
        self._model.adapt(self.spec.query_adapter if query else self.spec.document_adapter)

    def characters_read(self, texts: Sequence[str], role: Role = "document") -> list[int]:
        """Characters of each text that fall within the window; the length where all do."""
        prefix = self._prefix(role)
        clean = [prefix + without_surrogates(text) for text in texts]
        return [
            max(0, max(end for _, end in encoding.offsets) - len(prefix))
            if encoding.overflowing
            else len(text)
            for text, encoding in zip(texts, self._cutting.encode_batch(clean), strict=True)
        ]

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids with special tokens, cut to the window; lone surrogates become U+FFFD."""
        clean = [without_surrogates(text) for text in texts]
        return [encoding.ids for encoding in self._cutting.encode_batch_fast(clean)]

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        for batch in batches([lengths[i] for i in order], self.batch_tokens):
            yield [order[i] for i in batch]
