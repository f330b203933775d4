"""The causal models that run here, and their weights."""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from typing import Any

from chunkstudy.core import weights
from chunkstudy.core.errors import LanguageModelError, ResourceError
from chunkstudy.core.files import write_json
from chunkstudy.core.models import CAUSAL_MODELS as MODELS
from chunkstudy.core.models import COMMIT, SMOLLM, ModelSpec, Packed

VARYING = ("quantization_config", "transformers_version", "_name_or_path")
"""What a configuration says of how it was read, not of the model."""


def causal_model(name: str) -> ModelSpec:
    """The registered model of that hub id, or any other as ``owner/name@revision``, for whose files
    the hub alone vouches.

    Raises:
        LanguageModelError: if it is neither.
    """
    if name in MODELS:
        return MODELS[name]
    model, _, revision = name.partition("@")
    if not COMMIT.fullmatch(revision):
        raise LanguageModelError(
            f"local/{name} is not registered ({', '.join(MODELS)} is); another model goes "
            "with the commit of the hub it is meant at, as owner/name@ and 40 hexadecimal digits"
        )
    return ModelSpec(model, 0, 0, 0, "as its card says", revision=revision, kind="causal")


class CausalModel:
    """A causal model through transformers, float32 on the CPU, loaded when it is first used.

    Args:
        name: as :func:`causal_model` takes it.
        folder: its files; found by :func:`weights_folder` by default.
    """

    attention: str | None = None
    """The implementation of attention; the one that transformers takes itself by default."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.spec = causal_model(name)
        self._folder = folder

    @property
    def positions(self) -> int:
        """Tokens that it can read together; without an end where the configuration names none, as a
        state-space model's does."""
        return int(getattr(self.model.config, "max_position_embeddings", sys.maxsize))

    @cached_property
    def files(self) -> Path:
        """Where its files lie."""
        return self._folder or weights_folder(self.spec)

    @cached_property
    def tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(
            self.files, local_files_only=True, trust_remote_code=False
        )

    @cached_property
    def model(self) -> Any:
        """The weights."""
        import torch
        from transformers import AutoModelForCausalLM

        model: Any = AutoModelForCausalLM.from_pretrained(
            self.files,
            dtype=torch.float32,
            use_safetensors=True,
            attn_implementation=self.attention,
            local_files_only=True,
            trust_remote_code=False,
        )
        return model.eval()


def weights_folder(model: ModelSpec) -> Path:
    """A folder with configuration, weights and tokenizer, digests checked.

    A packed model is multiplied out once, which takes a minute, and kept in the cache.

    Raises:
        ResourceError: if the weights can be had nowhere, or are not what they should be.
    """
    return weights.folder_of(model, unpack)


def unpack(packed: Path, folder: Path, source: Packed) -> None:
    """Make of a GGUF file what transformers reads: ``config.json``, ``model.safetensors``,
    ``tokenizer.json`` and ``tokenizer_config.json``, with the chat template.

    transformers multiplies the packed numbers out and names them; it needs the packages gguf and
    accelerate for that, and nothing needs them afterwards.

    Raises:
        ResourceError: if the packages that read it are missing.
    """
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where: dict[str, Any] = {"gguf_file": packed.name, "local_files_only": True}
    try:
        model = AutoModelForCausalLM.from_pretrained(packed.parent, dtype=torch.float32, **where)
        tokenizer = AutoTokenizer.from_pretrained(packed.parent, **where)
    except ImportError as error:
        raise ResourceError(
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
    write_json(folder / "config.json", configuration)
    backend = tokenizer.backend_tokenizer
    if source.pre_tokenizer == "smollm":
        backend.pre_tokenizer = smollm_pre_tokenizer()
    backend.save(str(folder / "tokenizer.json"))
    write_json(
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


if __name__ == "__main__":
    print(weights_folder(MODELS[SMOLLM]))
