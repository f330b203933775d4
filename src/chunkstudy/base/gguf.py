"""A GGUF file becomes the files that transformers reads: slow, so done once.

transformers multiplies the packed numbers out and names them; it needs the packages gguf and
accelerate for that, and nothing needs them afterwards.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import Packed

VARYING = ("quantization_config", "transformers_version", "_name_or_path")
"""What a configuration says of how it was read, not of the model."""


def convert(packed: Path, folder: Path, source: Packed) -> None:
    """Write ``config.json``, ``model.safetensors``, ``tokenizer.json`` and
    ``tokenizer_config.json`` (with the chat template) of a GGUF file.

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
    weights = {
        name: tensor.contiguous()
        for name, tensor in sorted(model.state_dict().items())
        if name not in tied
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    configuration = {k: v for k, v in model.config.to_dict().items() if k not in VARYING}
    _write(folder / "config.json", configuration)
    backend = tokenizer.backend_tokenizer
    if source.pre_tokenizer == "smollm":
        backend.pre_tokenizer = smollm_pre_tokenizer()
    backend.save(str(folder / "tokenizer.json"))
    _write(
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


def _write(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False, default=str)
    path.write_text(text + "\n", encoding="utf-8")
