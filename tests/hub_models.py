"""The six hub models of the published grid as small random checkpoints.

Each has the files of its public repository under their names, a ``config.json`` with the public
one's keys, and its number type; only sizes are small. What a key says beside a size is what the
public file says, since the loader refuses anything else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import safetensors.torch
import torch

from chunkstudy.base.models import MODELS, Architecture, ModelSpec
from tests import tokenizer_files
from tests.checkpoints import positions_key, published, random_weights, size_keys, unused_positions

HIDDEN = 32
LICENCE = "random weights of a rehearsal"
DTYPES = {
    "jinaai/jina-embeddings-v2-small-en": torch.float16,
    "jinaai/jina-embeddings-v2-base-en": torch.float16,
    "jinaai/jina-embeddings-v3": torch.bfloat16,
    "nomic-ai/nomic-embed-text-v1": torch.float32,
    "intfloat/multilingual-e5-large": torch.float32,
    "intfloat/multilingual-e5-large-instruct": torch.float16,
}


@dataclass(frozen=True)
class Checkpoint:
    """A repository of the hub.

    Attributes:
        id: of the model.
        files: name to content; those a load reads, and others that nobody may download.
        architecture: of the small model.
    """

    id: str
    files: Mapping[str, bytes]
    architecture: Architecture

    @property
    def revision(self) -> str:
        """A commit of 40 digits that the content decides."""
        content = json.dumps({k: hashlib.sha256(v).hexdigest() for k, v in self.files.items()})
        return hashlib.sha1(content.encode()).hexdigest()

    def registered(self) -> ModelSpec:
        """What the registry would say of it, with its own digests."""
        real = MODELS[self.id]
        return replace(
            real,
            revision=self.revision,
            files={name: hashlib.sha256(self.files[name]).hexdigest() for name in real.files},
            architecture=self.architecture,
            dimension=self.architecture.hidden,
            licence=LICENCE,
        )


def every() -> dict[str, Checkpoint]:
    """All six by id; the same bytes each time."""
    tokenizers = {
        "wordpiece": tokenizer_files.wordpiece(),
        "xlm-roberta": tokenizer_files.xlm_roberta(),
    }
    return {
        name: _checkpoint(MODELS[name], dtype, tokenizers[MODELS[name].tokenizer], seed)
        for seed, (name, dtype) in enumerate(DTYPES.items())
    }


def _checkpoint(real: ModelSpec, dtype: torch.dtype, tokenizer: bytes, seed: int) -> Checkpoint:
    kind = real.kind
    config = published(kind) | {
        positions_key(kind): real.positions + unused_positions(kind),
        "torch_dtype": str(dtype).removeprefix("torch."),
    }
    if real.tokenizer == "xlm-roberta":
        config["vocab_size"] = len(json.loads(tokenizer)["model"]["vocab"]) + 1
    weights = {key: one.to(dtype) for key, one in random_weights(kind, config, seed).items()}
    layers, hidden, heads, inner = (config[key] for key in size_keys(kind))
    gated = kind in ("jina_bert", "nomic_bert")
    files = {
        "config.json": json.dumps(config, indent=2).encode(),
        "model.safetensors": safetensors.torch.save(weights, {"format": "pt"}),
        "tokenizer.json": tokenizer,
        # Of a repository's other files, which no load may ask for, the pickle could run code.
        "pytorch_model.bin": b"a pickle, which nothing here may download",
        "README.md": b"---\nlicense: other\n---\nrandom weights of a rehearsal\n",
        "modules.json": b"[]",
        "sentence_bert_config.json": json.dumps({"max_seq_length": real.window}).encode(),
        "special_tokens_map.json": b"{}",
        "tokenizer_config.json": b"{}",
        "1_Pooling/config.json": json.dumps({"pooling_mode_mean_tokens": True}).encode(),
    }
    return Checkpoint(real.id, files, Architecture(layers, hidden, heads, inner, gated))
