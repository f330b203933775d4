"""transformers' own classes for nomic_bert, jina_embeddings_v3 and XLM-RoBERTa.

They are loaded from checkpoints as their authors published them (``translation.py``). Nothing from
a checkpoint is run, and a key too few or too many is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from chunkstudy.base.models import Architecture
from chunkstudy.encoders.bert import CPU, check_keys, read_weights
from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.translation import (
    LOW_RANK,
    TRANSLATIONS,
    Weights,
    merge_adapter,
    split_attention,
    translate_configuration,
    translate_names,
)


class Native:
    """A checkpoint in a class of transformers.

    Args:
        kind: a key of ``TRANSLATIONS``.
        folder: with ``config.json`` and ``model.safetensors``.
        adapter: the task whose low-rank weights are added at first; none where empty.
        device: where it runs.
        dtype: of weights and states inside; states come out in float32.

    Raises:
        ModelError: if the checkpoint or its configuration is not what the class computes.
    """

    def __init__(
        self,
        kind: str,
        folder: Path,
        adapter: str = "",
        device: torch.device = CPU,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self._name = folder.name
        self._config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        translation = TRANSLATIONS[kind]
        settings = translate_configuration(self._config, translation, self._name)
        self.architecture = Architecture(
            settings["num_hidden_layers"],
            settings["hidden_size"],
            settings["num_attention_heads"],
            settings["intermediate_size"],
            translation.gated,
        )
        first = settings.get("pad_token_id", -1) + 1  # XLM-RoBERTa counts positions from there
        self.positions: int = settings["max_position_embeddings"] - first
        self.device = device
        self._dtype = dtype
        weights = translate_names(read_weights(folder), translation.renamed)
        self._model = _build(kind, settings)
        self._padding = self._config.get("pad_token_id") or 0
        self._load(weights, adapter)
        self._weights = weights if any(LOW_RANK in key for key in weights) else {}

    @property
    def instructions(self) -> Mapping[str, str]:
        """Task to the text its authors put before every text; empty where there is none."""
        found: dict[str, str] = self._config.get("task_instructions") or {}
        return found

    def adapt(self, adapter: str) -> None:
        """Compute with the low-rank weights of a task from now on."""
        if adapter != self.adapter:
            self._load(self._weights, adapter)

    @torch.inference_mode()
    def states(self, batch: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """Token states of texts given as ids, grouped by length.

        Texts of different lengths are padded to the longest, which attention leaves out.

        Args:
            batch: ids of each text, special tokens included, lengths ascending.

        Returns:
            One float32 tensor (texts, tokens, hidden) per run of texts of equal length, in order.
        """
        lengths = [len(ids) for ids in batch]
        if lengths != sorted(lengths):
            raise ValueError("the texts of a batch must stand in ascending order of length")
        ids = torch.full((len(batch), lengths[-1]), self._padding)
        for row, one in zip(ids, batch, strict=True):
            row[: len(one)] = torch.tensor(one)
        mask = torch.arange(lengths[-1]) < torch.tensor(lengths).unsqueeze(1)
        equal = lengths[0] == lengths[-1]
        hidden = self._model(
            input_ids=ids.to(self.device),
            attention_mask=None if equal else mask.long().to(self.device),
        ).last_hidden_state.float()
        starts = [i for i, n in enumerate(lengths) if not i or n != lengths[i - 1]]
        ends = [*starts[1:], len(lengths)]
        return [hidden[a:b, : lengths[a]] for a, b in zip(starts, ends, strict=True)]

    def _load(self, published: Weights, adapter: str) -> None:
        weights = split_attention(merge_adapter(published, adapter, self._config, self._name))
        expected = self._model.state_dict()
        check_keys({key for key in weights if not _unused(key)}, set(expected), self._name)
        for key, wanted in expected.items():
            if weights[key].shape != wanted.shape:
                raise ModelError(
                    f"the checkpoint {self._name} has {key} of shape {tuple(weights[key].shape)}; "
                    f"its config.json asks for {tuple(wanted.shape)}"
                )
        self._model.load_state_dict(
            {key: weights[key].to(self.device, self._dtype) for key in expected}, assign=True
        )
        self._model.to(self.device)  # what is computed and not stored, such as frequencies
        self.adapter = adapter


def _unused(key: str) -> bool:
    """The pooler that no vector here goes through, and a buffer older releases stored."""
    return key.startswith("pooler.") or key.endswith("position_ids")


def _build(kind: str, settings: Mapping[str, Any]) -> Any:
    """The class with its weights left empty; the import takes a second, so it waits until here."""
    import transformers
    from transformers.initialization import no_init_weights

    classes: dict[str, Callable[[], Any]] = {
        "nomic_bert": lambda: transformers.NomicBertModel(
            transformers.NomicBertConfig(**settings), add_pooling_layer=False
        ),
        "jina_embeddings_v3": lambda: transformers.JinaEmbeddingsV3Model(
            transformers.JinaEmbeddingsV3Config(**settings), add_pooling_layer=False
        ),
        "xlm_roberta": lambda: transformers.XLMRobertaModel(
            transformers.XLMRobertaConfig(**settings), add_pooling_layer=False
        ),
    }
    with no_init_weights():
        return classes[kind]().eval()
