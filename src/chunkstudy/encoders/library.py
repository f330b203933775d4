"""Models of a reader's own, as the sentence-transformers library reads them.

The library is no dependency of the package: whoever names such a model installs the extra
``models``. A model whose vector is the mean of its token states, whatever layers come after the
mean, shows these states, so that late chunking can pool them; of a vector made in another way, such
as the state of the first token, there is nothing to pool (Jina's second post asks for mean
pooling).
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from chunkstudy.core.errors import ResourceError, one_line
from chunkstudy.core.tokens import counts, without_surrogates
from chunkstudy.encoders.contextualized import Ids
from chunkstudy.encoders.pooling import normalise, pool_spans
from chunkstudy.encoders.states import TokenStateEncoder
from chunkstudy.encoders.user_function import FunctionEncoder
from chunkstudy.encoders.user_models import OwnModel

BATCH = 32
AFTER_MEAN = {"Dense", "Normalize", "LayerNorm", "Dropout"}
"""Modules that make a vector of a vector, so that they may follow the mean of any span."""
UNLIMITED = 1_000_000
"""Tokens that no window has: what the library gives where a model's files name none is larger."""


def encoder(model: OwnModel) -> LibraryEncoder:
    """The model, with its token states where late chunking can take them.

    Raises:
        ResourceError: if the library is not installed, or cannot read the model.
    """
    refused = "code that comes with a model is never run here"
    network = loaded("SentenceTransformer", model.folder, model.name, refused)
    if why := why_plain(network):
        return LibraryEncoder(model, network, why)
    return LibraryTokenEncoder(model, network)


def loaded(kind: str, folder: Path, name: str, remedy: str) -> Any:
    """A model as that class of sentence-transformers reads it: no code of the model's own is run,
    and only safetensors are read.

    Raises:
        ResourceError: if the library is not installed, or cannot read the model.
    """
    try:
        import sentence_transformers
    except ImportError:
        raise ResourceError(
            f"{name} is read by sentence-transformers, which is not installed; "
            "pip install 'chunkstudy[models]'"
        ) from None
    try:
        return getattr(sentence_transformers, kind)(
            str(folder),
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:
        raise ResourceError(
            f"sentence-transformers cannot read {name} as a {kind} ({one_line(error)}); {remedy}"
        ) from error


def why_plain(network: Any) -> str:
    """Why late chunking cannot take a model, as the second half of a sentence; empty where it
    can."""
    kinds = [type(module).__name__ for module in network]
    if kinds[:2] != ["Transformer", "Pooling"] or not AFTER_MEAN.issuperset(kinds[2:]):
        return f"it computes {', '.join(kinds)}, and late chunking needs the mean of token states"
    if network[1].pooling_mode != "mean" or not network[1].include_prompt:
        return "its vector is not the mean of its token states"
    if not network.tokenizer.is_fast:
        return "its tokenizer does not say where in a text each token stands"
    around = len(network.tokenizer("")["input_ids"])
    if around != 2:
        return f"{around} special tokens stand around a text, and windows are made with two"
    return ""


class LibraryEncoder(FunctionEncoder):
    """A model as sentence-transformers computes it.

    Attributes:
        window: tokens read of a text; None where the model does not say.
        positions: tokens that it can read together; 0 where that is unknown.
        why_plain: why it takes no late chunking; empty where it does.

    Raises:
        ResourceError: if the library cannot compute with the model.
    """

    def __init__(self, model: OwnModel, network: Any, why_plain: str = "") -> None:
        self._network, self.why_plain = network, why_plain
        files = model.files_sha256()
        self._digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
        self._weights = {k: v for k, v in files.items() if k.endswith(".safetensors")}
        options = {"batch_size": BATCH, "normalize_embeddings": True, "show_progress_bar": False}
        documents = partial(network.encode_document, **options)
        queries = partial(network.encode_query, **options)
        super().__init__(documents, queries, model.name, code="")  # its files tell it from others
        self.revision = model.revision or self._digest[:40]
        most = network.max_seq_length
        self.window: int | None = most if most and most < UNLIMITED else None
        self.positions = 0

    def describe(self) -> dict[str, Any]:
        """What determines the vectors, for records and for the store's key."""
        return {
            "id": self.id,
            "revision": self.revision,
            "files_sha256": self._digest,
            "weights_sha256": self._weights,
            "computed_by": f"sentence-transformers {version('sentence-transformers')}",
            "device": str(self._network.device),
            "window": self.window,
            "normalised": True,
            "query_prefix": self._network.prompts["query"],
            "document_prefix": self._network.prompts["document"],
            "batch_rule": f"{BATCH} texts, padded to the longest",
        }

    def token_count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special ones left out."""
        tokenizer, clean = self._network.tokenizer, [without_surrogates(text) for text in texts]
        if isinstance(tokenizer, Tokenizer):  # of a table of vectors, a token each
            return counts(tokenizer, clean)
        encoded = tokenizer(
            clean,
            add_special_tokens=False,
            truncation=False,
            verbose=False,
        )
        return [len(ids) for ids in encoded["input_ids"]]


class LibraryTokenEncoder(TokenStateEncoder, LibraryEncoder):
    """The same of a model whose vector is the mean of its token states, with these states.

    Windows are read one by one, without padding, by the library's own transformer; the mean of a
    chunk's states goes through the layers that the model has behind its mean.
    """

    def __init__(self, model: OwnModel, network: Any) -> None:
        super().__init__(model, network)
        self.tokenizer = copy.deepcopy(network.tokenizer.backend_tokenizer)
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.document_prefix = network.prompts["document"]
        self._transformer = network[0].auto_model
        self.width = self._transformer.config.hidden_size
        self.positions = getattr(self._transformer.config, "max_position_embeddings", 0)

    @torch.no_grad()
    def read(self, windows: Sequence[Ids]) -> list[torch.Tensor]:
        states = []
        for ids in windows:
            read = torch.tensor([ids], device=self._network.device)
            returned = self._transformer(input_ids=read, attention_mask=torch.ones_like(read))
            states.append(returned.last_hidden_state[0].float())
        return states

    @torch.no_grad()
    def pooled(
        self, states: torch.Tensor, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        features = {"sentence_embedding": pool_spans(states, starts, ends)}
        for module in list(self._network)[2:]:
            features = module(features)
        vectors = features["sentence_embedding"].float()
        # a layer with a bias would make a vector of no token at all
        return normalise(vectors) * (ends > starts).unsqueeze(1)
