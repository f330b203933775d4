"""Token states of a causal language model, for what encoders are asked elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from chunkstudy.base.models import ModelSpec
from chunkstudy.llm.causal_models import described, weights_folder
from chunkstudy.llm.local import Causal

TOGETHER = 2048
"""Tokens that one pass reads, or one text where it is longer."""


class CausalStates:
    """The states that a causal model's last layer gives to a text's tokens, float32.

    Args:
        model: of the hub; its weights are looked for where :func:`weights_folder` says.
        folder: its files, where they lie elsewhere.

    Raises:
        LanguageModelError: if the weights cannot be had.
    """

    def __init__(self, model: ModelSpec, folder: Path | None = None) -> None:
        self._registered = model
        self._loaded = Causal(folder or weights_folder(model))

    def describe(self, window: int) -> dict[str, Any]:
        """What determines the states, in an encoder's words; ``window``: tokens read at once."""
        rule = f"in their order, at most {TOGETHER} tokens, one length at a time"
        return described(self._registered, window, "mean", rule)

    def content(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        ids: list[int] = self._loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    @torch.inference_mode()
    def states(self, texts: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """Of each text, given as ids, the states of its tokens, shape (tokens, dimension)."""
        found: list[torch.Tensor] = []
        while len(found) < len(texts):
            length = len(texts[len(found)])
            batch = [list(one) for one in texts[len(found) :][: max(1, TOGETHER // length)]]
            same = next((i for i, one in enumerate(batch) if len(one) != length), len(batch))
            read = self._loaded.model.base_model(torch.tensor(batch[:same]), use_cache=False)
            found += list(read.last_hidden_state.float())
        return found
