"""The causal models that run here, and their weights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from chunkstudy.base import gguf, weights
from chunkstudy.base.models import CAUSAL_MODELS as MODELS
from chunkstudy.base.models import SMOLLM, ModelSpec
from chunkstudy.base.weights import at_hand, remedy
from chunkstudy.llm.interface import LanguageModelError

__all__ = ["MODELS", "SMOLLM", "at_hand", "causal_model", "load", "remedy", "weights_folder"]


def causal_model(name: str) -> ModelSpec:
    """The registered model of that hub id, or any other as ``owner/name@revision``.

    Raises:
        LanguageModelError: if it is neither.
    """
    if name in MODELS:
        return MODELS[name]
    model, _, revision = name.partition("@")
    if not re.fullmatch("[0-9a-f]{40}", revision):
        raise LanguageModelError(
            f"local/{name} is not registered ({', '.join(MODELS)} is); another model goes "
            "with the commit of the hub it is meant at, as owner/name@ and 40 hexadecimal digits"
        )
    return of_the_hub(model, revision)


def of_the_hub(model: str, revision: str) -> ModelSpec:
    """A causal model of which nothing is known but its name and commit: the hub alone vouches for
    its files."""
    return ModelSpec(model, 0, 0, 0, "as its card says", revision=revision, kind="causal")


def described(model: ModelSpec, window: int, pooling: str, batch_rule: str) -> dict[str, Any]:
    """A registered model in an encoder's words, as provenance has it; weights are not needed."""
    return {
        "id": model.id,
        "revision": model.revision,
        "weights_sha256": model.files["model.safetensors"],
        "tokenizer_sha256": model.files["tokenizer.json"],
        "window": window,
        "pooling": pooling,
        "normalised": False,
        "dtype": "float32",
        "query_prefix": "",
        "document_prefix": "",
        "batch_rule": batch_rule,
    }


def weights_folder(model: ModelSpec) -> Path:
    """A folder with configuration, weights and tokenizer, digests checked.

    A packed model is multiplied out once, which takes a minute, and kept in the cache.

    Raises:
        ModelError: if the weights can be had nowhere, or are not what they should be.
    """
    return weights.folder_of(model, gguf.convert)


def load(folder: Path, attention: str | None = None) -> tuple[Any, Any]:
    """Tokenizer and weights of a folder, float32 on the CPU, by an implementation of attention that
    transformers knows or by the one that it takes itself."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(folder, **where)
    model: Any = AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=torch.float32,
        use_safetensors=True,
        attn_implementation=attention,
        **where,
    )
    return tokenizer, model.eval()


if __name__ == "__main__":
    print(weights_folder(MODELS[SMOLLM]))
