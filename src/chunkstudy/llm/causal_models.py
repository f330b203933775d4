"""The causal models that run here, and their weights."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from chunkstudy.base import weights
from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import CAUSAL_MODELS as MODELS
from chunkstudy.base.models import SMOLLM, ModelSpec, Packed
from chunkstudy.base.weights import at_hand, remedy
from chunkstudy.llm.interface import LanguageModelError

VARYING = ("quantization_config", "transformers_version", "_name_or_path")
"""What a configuration says of how it was read, not of the model."""

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
    return weights.folder_of(model, unpack)


def unpack(packed: Path, folder: Path, source: Packed) -> None:
    """Make of a GGUF file what transformers reads: ``config.json``, ``model.safetensors``,
    ``tokenizer.json`` and ``tokenizer_config.json``, with the chat template.

    transformers multiplies the packed numbers out and names them; it needs the packages gguf and
    accelerate for that, and nothing needs them afterwards.

    Raises:
        ModelError: if the packages that read it are missing.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where: dict[str, Any] = {"gguf_file": packed.name, "local_files_only": True}
    try:
        model = AutoModelForCausalLM.from_pretrained(packed.parent, dtype=torch.float32, **where)
        tokenizer = AutoTokenizer.from_pretrained(packed.parent, **where)
    except ImportError as error:
        raise ModelError(
            "gguf and accelerate, which read the packed model, are not installed; run `make smollm`"
        ) from error
    tied = {"lm_head.weight"} if model.config.tie_word_embeddings else set()
    tensors = {
        name: tensor.contiguous()
        for name, tensor in sorted(model.state_dict().items())
        if name not in tied
    }
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    configuration = {k: v for k, v in model.config.to_dict().items() if k not in VARYING}
    _write_json(folder / "config.json", configuration)
    backend = tokenizer.backend_tokenizer
    if source.pre_tokenizer == "smollm":
        backend.pre_tokenizer = smollm_pre_tokenizer()
    backend.save(str(folder / "tokenizer.json"))
    _write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": tokenizer.eos_token,
            "bos_token": tokenizer.bos_token,
            "chat_template": tokenizer.chat_template,
        },
    )


def smollm_pre_tokenizer() -> Any:
    """Every digit by itself, then GPT-2's words: what the name ``smollm`` stands for in llama.cpp
    (src/llama-vocab.cpp, LLAMA_VOCAB_PRE_TYPE_SMOLLM). transformers reads GPT-2's words alone,
    which puts the blanks before a number elsewhere."""
    from tokenizers import pre_tokenizers

    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )


def _write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=str)
    path.write_text(text + "\n", encoding="utf-8")


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
