"""The six hub models of the published grid as small random checkpoints.

Each has the files of its public repository under their names, a ``config.json`` with the public
one's keys, and its number type; only sizes are small. What a key says beside a size is what the
public file says, since the loader refuses anything else.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from chunkstudy.core.models import MODELS, Architecture, ModelSpec
from tests import checkpoints

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
    return {
        name: _checkpoint(MODELS[name], dtype, seed)
        for seed, (name, dtype) in enumerate(DTYPES.items())
    }


def _checkpoint(real: ModelSpec, dtype: torch.dtype, seed: int) -> Checkpoint:
    kind = real.kind
    config = checkpoints.configuration(kind, layers=1, heads=HIDDEN // 8, positions=real.positions)
    config["torch_dtype"] = str(dtype).removeprefix("torch.")
    weights = checkpoints.random_weights(kind, config, seed)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        checkpoints.write(made, kind, config, {k: one.to(dtype) for k, one in weights.items()})
        files = {path.name: path.read_bytes() for path in sorted(made.iterdir())}
    files |= {
        # Of a repository's other files, which no load may ask for, the pickle could run code.
        "pytorch_model.bin": b"a pickle, which nothing here may download",
        "README.md": b"---\nlicense: other\n---\nrandom weights of a rehearsal\n",
        "special_tokens_map.json": b"{}",
    }
    layers, hidden, heads, inner = (config[key] for key in checkpoints.size_keys(kind))
    gated = kind in ("jina_bert", "nomic_bert")
    return Checkpoint(real.id, files, Architecture(layers, hidden, heads, inner, gated))
