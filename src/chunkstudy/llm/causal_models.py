"""The causal models that run here: their weights, and what one of them makes of a text that it
reads.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base import weights
from chunkstudy.base.faults import ModelError
from chunkstudy.base.files import sha256, write_json
from chunkstudy.base.models import CAUSAL_MODELS as MODELS
from chunkstudy.base.models import COMMIT, SMOLLM, ModelSpec, Packed
from chunkstudy.base.spans import Span
from chunkstudy.llm.interface import LanguageModelError

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
BIT = float(np.log(2))
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


@dataclass(frozen=True)
class Read:
    """One pass over n tokens, which the model's start token precedes.

    Attributes:
        entropy: (n,), of the distribution that each token is drawn from, in bits: how open the
            next token was before it came.
        surprisal: (n,), of each token that came, in bits.
        attention: (n, n), what the token of a row pays to that of a column, the mean over all
            layers and heads.
        largest: (n, n), the same in the last layer, the maximum over its heads.
        states: what the reader needs to read parts again.
    """

    entropy: Floats
    surprisal: Floats
    attention: Floats32
    largest: Floats32
    states: Any


class HiddenPart(NamedTuple):
    """Tokens that are read again: ``length`` from ``first`` on, where the ``hidden`` tokens right
    before them cannot be attended to."""

    first: int
    length: int
    hidden: int


class CausalReader(CausalModel):
    """A causal model that reads a text and does not answer: how open the next token is, how
    surprising the one that came, what each token attends to, and what it would lose if others were
    hidden.

    Attention comes from the eager implementation, the only one that hands it out.
    """

    attention = "eager"

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        """The ids of a text and the characters that each stands for."""
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return encoded["input_ids"], [(start, end) for start, end in encoded["offset_mapping"]]

    def read(self, ids: Sequence[int]) -> Read:
        """
        Raises:
            LanguageModelError: if the tokens do not fit the model's positions, or it shows no
                attention.
        """
        import torch

        if len(ids) >= self.positions:
            raise LanguageModelError(
                f"{len(ids)} tokens and a start token do not fit the {self.positions} positions of "
                f"{self.spec.id}; read fewer at a time"
            )
        with torch.inference_mode():
            output = self.model(
                torch.tensor([[self._start, *ids]]), use_cache=True, output_attentions=True
            )
            logs = torch.log_softmax(output.logits[0, :-1], dim=-1)
            came = logs.gather(1, torch.tensor(ids)[:, None])[:, 0]
            entropy = -(logs.exp() * logs).sum(dim=-1)
            layers = getattr(output, "attentions", None)
            if not layers or any(layer is None for layer in layers):
                raise LanguageModelError(
                    f"{self.spec.id} gives no attention, which boundary signals read; use a model "
                    "whose layers attend to tokens, as Llama's do"
                )
            mean = sum(layer[0].mean(dim=0) for layer in layers) / len(layers)
            largest = layers[-1][0].amax(dim=0)
        return Read(
            entropy.numpy().astype(np.float64) / BIT,
            -came.numpy().astype(np.float64) / BIT,
            mean[1:, 1:].numpy(),
            largest[1:, 1:].numpy(),
            output.past_key_values,
        )

    def again(self, ids: Sequence[int], read: Read, parts: Sequence[HiddenPart]) -> list[Floats]:
        """Of each part the surprisal of the tokens that follow its own, (length,) in bits.

        All parts are read in one pass: each attends to its own tokens and to the states of those
        before it but for the hidden ones, at the positions where they stood.

        Raises:
            ValueError: if a part, or the token after it, lies outside of what was read.
        """
        import torch

        if not parts:
            return []
        if any(not 0 <= p.hidden <= p.first < p.first + p.length < len(ids) for p in parts):
            raise ValueError("a part reaches outside of the tokens read, or no token follows it")
        before, total = len(ids) + 1, sum(part.length for part in parts)
        allowed = torch.zeros(total, before + total, dtype=torch.bool)
        tokens: list[int] = []
        places: list[int] = []
        for first, length, hidden in parts:
            begun, after = len(tokens), len(tokens) + length
            allowed[begun:after, : first + 1 - hidden] = True
            inside = torch.ones(length, length, dtype=torch.bool).tril()
            allowed[begun:after, before + begun : before + after] = inside
            tokens += ids[first : first + length]
            places += range(first + 1, first + 1 + length)
        mask = torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)
        with torch.inference_mode():
            logits = self.model(
                torch.tensor([tokens]),
                attention_mask=mask[None, None],
                position_ids=torch.tensor([places]),
                past_key_values=read.states,
                use_cache=True,
            ).logits[0]
            read.states.crop(-total)
            logs = torch.log_softmax(logits, dim=-1)
            following = torch.tensor([ids[place] for place in places])
            surprisal = -logs.gather(1, following[:, None])[:, 0].numpy().astype(np.float64) / BIT
        return np.split(surprisal, np.cumsum([part.length for part in parts])[:-1])

    def describe(self) -> dict[str, Any]:
        """What determines what is read, found without loading the model."""
        return self._described

    @cached_property
    def _described(self) -> dict[str, Any]:
        (tensors,) = self.files.glob("*.safetensors")
        return {
            "id": self.spec.id,
            "revision": self.spec.revision,
            "weights_sha256": sha256(tensors),
            "tokenizer_sha256": sha256(self.files / "tokenizer.json"),
            "dtype": "float32",
        }

    @property
    def _start(self) -> int:
        """What stands before the first token: the start of a text where the model knows one, else
        its end."""
        for token in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise LanguageModelError(
            f"the tokenizer of {self.spec.id} names no token for the start or the end of a text, "
            "of which one is read first; use a model whose tokenizer does"
        )


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
