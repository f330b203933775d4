"""Causal models that read a text and do not answer: how open the next token is, how surprising the
one that came, what each token attends to, and what it would lose if others were hidden.
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

from chunkstudy.base.files import sha256
from chunkstudy.base.spans import Span
from chunkstudy.llm.causal_models import causal_model, load, weights_folder
from chunkstudy.llm.interface import LanguageModelError

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
BIT = float(np.log(2))


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


class CausalReader:
    """Weights and tokenizer of a causal model through transformers, float32 on the CPU.

    Loaded when something is first read. Attention comes from the eager implementation, the only one
    that hands it out.

    Args:
        name: the model's hub id, as :func:`causal_model` takes it.
        folder: its files; found by :func:`weights_folder` by default.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name
        self._folder = folder

    @property
    def positions(self) -> int:
        """Tokens that it can read together, the start token included; without an end where the
        configuration names none, as a state-space model's does."""
        return int(getattr(self._model.config, "max_position_embeddings", sys.maxsize))

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        """The ids of a text and the characters that each stands for."""
        encoded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
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
                f"{self.name}; read fewer at a time"
            )
        with torch.inference_mode():
            output = self._model(
                torch.tensor([[self._start, *ids]]), use_cache=True, output_attentions=True
            )
            logs = torch.log_softmax(output.logits[0, :-1], dim=-1)
            came = logs.gather(1, torch.tensor(ids)[:, None])[:, 0]
            entropy = -(logs.exp() * logs).sum(dim=-1)
            layers = getattr(output, "attentions", None)
            if not layers or any(layer is None for layer in layers):
                raise LanguageModelError(
                    f"{self.name} gives no attention, which boundary signals read; use a model "
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
            logits = self._model(
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
        (weights,) = self._files.glob("*.safetensors")
        model = causal_model(self.name)
        return {
            "id": model.id,
            "revision": model.revision,
            "weights_sha256": sha256(weights),
            "tokenizer_sha256": sha256(self._files / "tokenizer.json"),
            "dtype": "float32",
        }

    @property
    def _start(self) -> int:
        """What stands before the first token: the start of a text where the model knows one, else
        its end."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise LanguageModelError(
            f"the tokenizer of {self.name} names no token for the start or the end of a text, of "
            "which one is read first; use a model whose tokenizer does"
        )

    @property
    def _tokenizer(self) -> Any:
        return self._loaded[0]

    @property
    def _model(self) -> Any:
        return self._loaded[1]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        return load(self._files, "eager")

    @cached_property
    def _files(self) -> Path:
        return self._folder or weights_folder(causal_model(self.name))
