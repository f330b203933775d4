"""Models that the sentence-transformers library reads, beside those computed here.

The library is no dependency of the package: whoever names such a model installs it. A model whose
vector is the mean of its token states, whatever layers come after the mean, shows these states, so
that late chunking can pool them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from chunkstudy.base.faults import ModelError
from chunkstudy.base.tokens import TokenOffsets, content, without_surrogates
from chunkstudy.encoders import own_models
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.own_function import FunctionEncoder
from chunkstudy.encoders.own_models import OwnModel
from chunkstudy.encoders.pooling import normalise, pool_spans, sequence

BATCH = 32


class LibraryEncoder(FunctionEncoder):
    """A model as sentence-transformers computes it: no code of the model's own is run, and only
    safetensors are read.

    Raises:
        ModelError: if the library is not installed, or cannot read the model.
    """

    def __init__(self, model: OwnModel) -> None:
        try:
            import sentence_transformers
        except ImportError:
            raise ModelError(
                f"{model.name} is read by sentence-transformers, which is not installed; "
                "pip install sentence-transformers"
            ) from None
        self._version = sentence_transformers.__version__
        self.model = model
        try:
            self._model = sentence_transformers.SentenceTransformer(
                str(model.folder),
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"use_safetensors": True},
            )
        except Exception as error:
            first = str(error).strip().split("\n")[0]
            raise ModelError(
                f"sentence-transformers cannot read {model.name} ({first}); code that comes with "
                "a model is never run here"
            ) from error
        files = own_models.files_sha256(model.folder)
        self._digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
        self._weights = {k: v for k, v in files.items() if k.endswith(".safetensors")}
        options = {"batch_size": BATCH, "normalize_embeddings": True, "show_progress_bar": False}
        documents = partial(self._model.encode_document, **options)
        super().__init__(documents, partial(self._model.encode_query, **options), model.name)
        self.revision = model.revision or self._digest[:40]

    @property
    def window(self) -> int | None:
        """Tokens read of a text; None where the model does not say."""
        length: int | None = self._model.max_seq_length
        return length

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        query, document = own_models.prompts(self.model.folder)
        return {
            "id": self.id,
            "revision": self.revision,
            "files_sha256": self._digest,
            "weights_sha256": self._weights,
            "computed_by": f"sentence-transformers {self._version}",
            "device": str(self._model.device),
            "window": self.window,
            "normalised": True,
            "query_prefix": query,
            "document_prefix": document,
            "batch_rule": f"{BATCH} texts, padded to the longest",
        }

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special ones left out."""
        tokenizer = self._model.tokenizer
        encoded = tokenizer(
            [without_surrogates(text) for text in texts],
            add_special_tokens=False,
            truncation=False,
            verbose=False,
        )
        return [len(ids) for ids in encoded["input_ids"]]


class LibraryTokenEncoder(LibraryEncoder):
    """The same of a model whose vector is the mean of its token states, with these states.

    Windows are read one by one, without padding, by the library's own transformer; the mean of a
    chunk's states goes through the layers that the model has behind its mean.

    Raises:
        ModelError: as :class:`LibraryEncoder`, or if its layers are not what its files say.
    """

    def __init__(self, model: OwnModel) -> None:
        super().__init__(model)
        self._counter = own_models.tokenizer(model.folder)

    @property
    def ends(self) -> tuple[int, int]:
        """The ids of the tokens that begin and end every text."""
        first, last = self._counter.encode("").ids
        return first, last

    @property
    def prefix_ids(self) -> tuple[int, ...]:
        """The ids of what the model's authors put before a document."""
        _, document = own_models.prompts(self.model.folder)
        return tuple(self._counter.encode(document.rstrip(), add_special_tokens=False).ids)

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Ids of each whole text without special tokens, and the characters of each token,
        shape (tokens, 2)."""
        return content(self._counter, texts)

    def pool(
        self, layouts: Sequence[Layout], spans: Sequence[NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        """Vectors of each layout's chunks, (chunks, dimension) each; a zero row for an empty span.

        Args:
            layouts: documents in windows.
            spans: of each document, (chunks, 2) positions in its sequence.
        """
        vectors = []
        for layout, places in zip(layouts, spans, strict=True):
            if not layout.windows:
                vectors.append(np.zeros((len(places), self.dimension), dtype=np.float32))
                continue
            with torch.no_grad():
                pieces = [
                    self._states(ids)[a:b]
                    for ids, (a, b) in zip(layout.windows, layout.kept, strict=True)
                ]
                states = sequence(pieces, layout.places)
                starts, ends = torch.from_numpy(places).to(states.device).T
                pooled = self._behind_the_mean(pool_spans(states, starts, ends))
                # a layer with a bias would make a vector of no token at all
                pooled = normalise(pooled) * (ends > starts).unsqueeze(1)
            vectors.append(pooled.cpu().numpy().astype(np.float32))
        return vectors

    def _states(self, ids: Sequence[int]) -> torch.Tensor:
        """States of a window's tokens, (tokens, d), float32."""
        read = torch.tensor([ids], device=self._model.device)
        returned = self._model[0].auto_model(input_ids=read, attention_mask=torch.ones_like(read))
        return returned.last_hidden_state[0].float()

    def _behind_the_mean(self, pooled: torch.Tensor) -> torch.Tensor:
        """What the model's further layers make of means, (chunks, d) to (chunks, dimension)."""
        features = {"sentence_embedding": pooled}
        for module in list(self._model)[2:]:
            features = module(features)
        return features["sentence_embedding"].float()
