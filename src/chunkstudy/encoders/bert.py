"""BERT's forward pass without padding, and what its relatives change of it.

The tokens of a batch form one matrix for every linear layer; attention runs over groups of texts
of equal length. The weights are the checkpoint's own; the result equals the padded computation up
to float32 rounding, without the work that padding costs.

Each kind reads the checkpoint its authors published: other names for weights and configuration are
translated into BERT's, and a configuration that asks for another computation is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from safetensors.torch import load_file
from torch.nn import functional

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import Architecture
from chunkstudy.encoders.checkpoint import Weights, check_keys

CPU = torch.device("cpu")
PADDING = 1
"""The id of padding where fairseq's models begin, and its row in their table of positions."""
SPLIT = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))
FUSED = "attention.self.qkv"
SIZES = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "intermediate": "intermediate_size",
    "positions": "max_position_embeddings",
    "epsilon": "layer_norm_eps",
}


class Bert:
    """The encoder stack of a BERT checkpoint.

    Args:
        folder: with ``config.json`` and ``model.safetensors``.
        device: where it runs.
        dtype: of weights and states inside; states come out in float32.

    Raises:
        ResourceError: if the checkpoint has missing or unexpected keys, or its configuration asks
            for what this computation does not do.
    """

    sizes: ClassVar[Mapping[str, str]] = SIZES
    """What the configuration calls the sizes."""
    computed_with: ClassVar[Mapping[str, Any]] = {"model_type": "bert", "hidden_act": "gelu"}
    """Keys of the configuration and their only value."""
    unless_absent: ClassVar[Mapping[str, Any]] = {}
    """Keys that may be missing, and their only value where they are not."""
    renamed: ClassVar[Sequence[tuple[str, str]]] = ()
    """Patterns in the published names of weights and what replaces them, in this order."""
    tables: ClassVar[Sequence[str]] = ("word", "position", "token_type")
    attention: ClassVar[Sequence[str]] = SPLIT
    without_bias: ClassVar[Sequence[str]] = ()
    gated: ClassVar[bool] = False
    padding: ClassVar[int | None] = None
    """The id of padding, where positions are counted from the row behind its own."""

    def __init__(
        self, folder: Path, device: torch.device = CPU, dtype: torch.dtype = torch.float32
    ) -> None:
        self.name = folder.name
        self.device, self.dtype = device, dtype
        self.config: dict[str, Any] = json.loads(
            (folder / "config.json").read_text(encoding="utf-8")
        )
        for key, wanted in {**self.computed_with, **self.unless_absent}.items():
            if (value := self.config.get(key, self.unless_absent.get(key))) != wanted:
                raise ResourceError(
                    f"{self.name}: config.json says {key} is {value!r}; {type(self).__name__} is "
                    f"computed here with {wanted!r} only"
                )
        sizes = {ours: self.setting(published) for ours, published in self.sizes.items()}
        self.epsilon: float = sizes.pop("epsilon")
        # rows of the table of positions that no token of a text takes
        unused = 0 if self.padding is None else self.padding + 1
        self.positions: int = sizes.pop("positions") - unused
        self.architecture = Architecture(**sizes, gated=self.gated)
        self.heads, self.layers = self.architecture.heads, self.architecture.layers
        self.take(self._published(folder))
        self.prepare()

    def prepare(self) -> None:
        """Compute once what every text needs beside the weights."""

    def setting(self, key: str) -> Any:
        """What the configuration says of a key that it has to have."""
        if self.config.get(key) is None:
            raise ResourceError(
                f"{self.name}: config.json lacks {key}; it is not the published one"
            )
        return self.config[key]

    @property
    def instructions(self) -> Mapping[str, str]:
        """Task to the text its authors put before every text; empty where there is none."""
        return self.config.get("task_instructions") or {}

    def adapt(self, adapter: str) -> None:
        """Compute with the low-rank weights of a task from now on; with none where empty.

        Raises:
            ResourceError: if the checkpoint has no such adapter.
        """
        if adapter:
            raise ResourceError(f"{self.name} has no adapter {adapter!r}; it has none")

    def take(self, weights: Weights) -> None:
        """Compute with these weights from now on, which go by BERT's names."""
        # no vector goes through the pooler, and older releases stored a buffer of positions
        weights = {
            name: tensor
            for name, tensor in weights.items()
            if not name.startswith("pooler.") and not name.endswith("position_ids")
        }
        check_keys(set(weights), self.names(), self.name)
        self.weights = {
            name: tensor.to(self.device, self.dtype).contiguous()
            for name, tensor in weights.items()
        }
        if FUSED in self.attention:
            return
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            for kind in ("weight", "bias"):
                self.weights[f"{layer}{FUSED}.{kind}"] = torch.cat(
                    [self.weights.pop(f"{layer}{part}.{kind}") for part in SPLIT]
                )

    def names(self) -> set[str]:
        """What the weights are called."""
        names = {f"embeddings.{table}_embeddings.weight" for table in self.tables}
        norms = ["embeddings.LayerNorm"]
        linear = (*self.attention, "attention.output.dense", "intermediate.dense", "output.dense")
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
            names |= {f"{layer}{part}.weight" for part in linear}
            names |= {f"{layer}{part}.bias" for part in linear if part not in self.without_bias}
        return names | {f"{norm}.{kind}" for norm in norms for kind in ("weight", "bias")}

    @torch.inference_mode()
    def states(self, batch: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """Token states of texts given as ids, grouped by length.

        Args:
            batch: ids of each text, special tokens included, lengths ascending.

        Returns:
            One float32 tensor (texts, tokens, hidden) per run of texts of equal length, in order.
        """
        return self.computed(batch)

    def computed(self, batch: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """What :meth:`states` gives, with gradients where the weights ask for them."""
        lengths = [len(ids) for ids in batch]
        if lengths != sorted(lengths):
            raise ValueError("the texts of a batch must stand in ascending order of length")
        groups = [(length, lengths.count(length)) for length in sorted(set(lengths))]
        flat = torch.tensor([i for ids in batch for i in ids], device=self.device)
        hidden = self._norm(self._embed(flat, groups), "embeddings.LayerNorm")
        for i in range(self.layers):
            layer = f"encoder.layer.{i}."
            attended = self._attend(self._linear(hidden, layer + FUSED), groups)
            attended = self._linear(attended, layer + "attention.output.dense")
            hidden = self._norm(attended.add_(hidden), layer + "attention.output.LayerNorm")
            narrow = self._linear(self._widened(hidden, layer), layer + "output.dense")
            hidden = self._norm(narrow.add_(hidden), layer + "output.LayerNorm")
        sizes = [length * times for length, times in groups]
        return [
            part.view(times, length, -1).float()
            for part, (length, times) in zip(hidden.split(sizes), groups, strict=True)
        ]

    def _embed(self, flat: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        hidden = self.weights["embeddings.word_embeddings.weight"][flat]
        if "position" in self.tables:
            places = self._places(flat, groups).to(self.device)
            hidden += self.weights["embeddings.position_embeddings.weight"][places]
        if "token_type" in self.tables:
            hidden += self.weights["embeddings.token_type_embeddings.weight"][0]
        return hidden

    def _places(self, flat: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        """Rows in the table of positions. Where padding has one, a padding token inside a text
        takes it and no place of its own."""
        if self.padding is None:
            return torch.cat([torch.arange(length).repeat(times) for length, times in groups])
        rows = []
        for part, (length, times) in zip(
            flat.split([length * times for length, times in groups]), groups, strict=True
        ):
            real = (part.view(times, length) != self.padding).long()
            rows.append((real.cumsum(1) * real + self.padding).flatten())
        return torch.cat(rows)

    def _widened(self, hidden: torch.Tensor, layer: str) -> torch.Tensor:
        """What the feed-forward network makes narrow again."""
        return functional.gelu(self._linear(hidden, layer + "intermediate.dense"))

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        """Attention over texts of equal length, all (texts, heads, tokens, width of a head)."""
        return functional.scaled_dot_product_attention(query, key, value)

    def _attend(self, qkv: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        width = qkv.shape[1] // 3
        output = qkv.new_empty(qkv.shape[0], width)
        start = 0
        for length, times in groups:
            end = start + length * times
            part = qkv[start:end].view(times, length, 3, self.heads, width // self.heads)
            query, key, value = part.permute(2, 0, 3, 1, 4)
            attended = self._attention(query, key, value)
            output[start:end] = attended.transpose(1, 2).reshape(length * times, width)
            start = end
        return output

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            states, self.weights[name + ".weight"], self.weights.get(name + ".bias")
        )

    def _norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return functional.layer_norm(states, weight.shape, weight, bias, self.epsilon)

    def _published(self, folder: Path) -> Weights:
        """The tensors of ``model.safetensors``, as stored, under BERT's names."""
        renamed = {}
        for name, tensor in load_file(folder / "model.safetensors").items():
            for pattern, replacement in self.renamed:
                name = re.sub(pattern, replacement, name)
            renamed[name] = tensor
        return renamed


class XlmRoberta(Bert):
    """The encoder stack of an XLM-RoBERTa checkpoint."""

    computed_with: ClassVar = {
        "model_type": "xlm-roberta",
        "hidden_act": "gelu",
        "pad_token_id": PADDING,
    }
    unless_absent: ClassVar = {"position_embedding_type": "absolute"}
    renamed: ClassVar = ((r"^roberta\.", ""),)
    padding: ClassVar = PADDING
