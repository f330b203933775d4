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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from chunkstudy.base.faults import ModelError, one_line
from chunkstudy.base.tokens import tokenizer_of, without_surrogates
from chunkstudy.encoders import own_models
from chunkstudy.encoders.contextualized import Ids
from chunkstudy.encoders.own_function import FunctionEncoder
from chunkstudy.encoders.own_models import OwnModel
from chunkstudy.encoders.pooling import normalise, pool_spans
from chunkstudy.encoders.states import StateEncoder

BATCH = 32


def loaded(kind: str, folder: Path, name: str, remedy: str) -> Any:
    """A model as that class of sentence-transformers reads it: no code of the model's own is run,
    and only safetensors are read.

    Raises:
        ModelError: if the library is not installed, or cannot read the model.
    """
    try:
        import sentence_transformers
    except ImportError:
        raise ModelError(
            f"{name} is read by sentence-transformers, which is not installed; "
            "pip install sentence-transformers"
        ) from None
    try:
        return getattr(sentence_transformers, kind)(
            str(folder),
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:
        raise ModelError(
            f"sentence-transformers cannot read {name} as a {kind} ({one_line(error)}); {remedy}"
        ) from error


class LibraryEncoder(FunctionEncoder):
    """A model as sentence-transformers computes it: no code of the model's own is run, and only
    safetensors are read.

    Raises:
        ModelError: if the library is not installed, or cannot read the model.
    """

    def __init__(self, model: OwnModel) -> None:
        self.model = model
        refused = "code that comes with a model is never run here"
        self._model = loaded("SentenceTransformer", model.folder, model.name, refused)
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
            "computed_by": f"sentence-transformers {version('sentence-transformers')}",
            "device": str(self._model.device),
            "window": self.window,
            "normalised": True,
            "query_prefix": query,
            "document_prefix": document,
            "batch_rule": f"{BATCH} texts, padded to the longest",
        }

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special ones left out."""
        encoded = self._model.tokenizer(
            [without_surrogates(text) for text in texts],
            add_special_tokens=False,
            truncation=False,
            verbose=False,
        )
        return [len(ids) for ids in encoded["input_ids"]]


class LibraryTokenEncoder(StateEncoder, LibraryEncoder):
    """The same of a model whose vector is the mean of its token states, with these states.

    Windows are read one by one, without padding, by the library's own transformer; the mean of a
    chunk's states goes through the layers that the model has behind its mean.

    Raises:
        ModelError: as :class:`LibraryEncoder`, or if its layers are not what its files say.
    """

    def __init__(self, model: OwnModel) -> None:
        super().__init__(model)
        self.tokenizer = tokenizer_of(model.folder / own_models.TOKENIZER)
        _, self.document_prefix = own_models.prompts(model.folder)
        self._network = self._model[0].auto_model
        self.width = self._network.config.hidden_size

    @torch.no_grad()
    def read(self, windows: Sequence[Ids]) -> list[torch.Tensor]:
        states = []
        for ids in windows:
            read = torch.tensor([ids], device=self._model.device)
            returned = self._network(input_ids=read, attention_mask=torch.ones_like(read))
            states.append(returned.last_hidden_state[0].float())
        return states

    @torch.no_grad()
    def pooled(
        self, states: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        features = {"sentence_embedding": pool_spans(states, starts, ends)}
        for module in list(self._model)[2:]:
            features = module(features)
        # a layer with a bias would make a vector of no token at all
        return normalise(features["sentence_embedding"].float()) * (ends > starts).unsqueeze(1)
