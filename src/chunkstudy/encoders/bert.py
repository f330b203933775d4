"""BERT's forward pass without padding.

The tokens of a batch form one matrix for every linear layer; attention runs over groups of texts
of equal length. The weights are the checkpoint's own; the result equals the padded computation up
to float32 rounding, without the work that padding costs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch.nn import functional

from chunkstudy.base.models import Architecture
from chunkstudy.encoders.models import ModelError

IGNORED = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}
ATTENTION_PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
)
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = {".bin", ".pt", ".pth", ".pkl", ".ckpt"}
CPU = torch.device("cpu")


class Bert:
    """The encoder stack of a BERT checkpoint.

    Args:
        folder: with ``config.json`` and ``model.safetensors``.
        device: where it runs.
        dtype: of weights and states inside; states come out in float32.

    Raises:
        ModelError: if the checkpoint is cut short, has missing or unexpected keys, or its
            configuration asks for what this computation does not do.
    """

    embedding_tables: tuple[str, ...] = ("word", "position", "token_type")
    layer_parts: tuple[str, ...] = (
        *ATTENTION_PARTS,
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    )
    without_bias: tuple[str, ...] = ()
    other_tables: tuple[str, ...] = ()
    """Weights beside the embeddings and layers, by their full names."""

    def __init__(
        self, folder: Path, device: torch.device = CPU, dtype: torch.dtype = torch.float32
    ) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._check_configuration(config, folder.name)
        self.architecture = self._architecture(config)
        self.positions: int = config["max_position_embeddings"]
        self.device = device
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.layers: int = config["num_hidden_layers"]
        weights = read_weights(folder)
        self._check(set(weights), folder.name)
        self.weights = {
            self._own_name(name): tensor.to(device, dtype).contiguous()
            for name, tensor in weights.items()
        }
        for i in range(self.layers):
            base = f"encoder.layer.{i}.attention.self."
            for kind in ("weight", "bias"):
                self.weights[f"{base}qkv.{kind}"] = torch.cat(
                    [self.weights.pop(f"{base}{part}.{kind}") for part in ("query", "key", "value")]
                )

    def read_at(self, positions: Sequence[int]) -> None:
        """From now on read the token at place p as if it stood at ``positions[p]``.

        Raises:
            ModelError: if the model has no table of positions, or not all of these.
        """
        name = "embeddings.position_embeddings.weight"
        table = self.weights.get(name)
        if table is None or not all(0 <= one < len(table) for one in positions):
            raise ModelError(
                f"positions {min(positions)} to {max(positions)} are not all in the checkpoint's "
                "table; choose among its own"
            )
        self.weights[name] = table[list(positions)]

    @torch.inference_mode()
    def states(self, batch: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """Token states of texts given as ids, grouped by length.

        Args:
            batch: ids of each text, special tokens included, lengths ascending.

        Returns:
            One tensor (texts, tokens, hidden) per run of texts of equal length, in order.
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
            attended = self._attend(self._linear(hidden, layer + "attention.self.qkv"), groups)
            attended = self._linear(attended, layer + "attention.output.dense")
            hidden = self._norm(attended.add_(hidden), layer + "attention.output.LayerNorm")
            hidden = self._feed_forward(hidden, layer)
        sizes = [length * times for length, times in groups]
        return [
            part.view(times, length, -1).float()
            for part, (length, times) in zip(hidden.split(sizes), groups, strict=True)
        ]

    def _embed(self, flat: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        hidden = self.weights["embeddings.word_embeddings.weight"][flat]
        if "position" in self.embedding_tables:
            places = torch.cat([torch.arange(length).repeat(times) for length, times in groups])
            hidden += self.weights["embeddings.position_embeddings.weight"][places.to(self.device)]
        hidden += self.weights["embeddings.token_type_embeddings.weight"][0]
        return hidden

    def _feed_forward(self, hidden: torch.Tensor, layer: str) -> torch.Tensor:
        wide = functional.gelu(self._linear(hidden, layer + "intermediate.dense"))
        narrow = self._linear(wide, layer + "output.dense")
        return self._norm(narrow.add_(hidden), layer + "output.LayerNorm")

    def _attention(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
    ) -> torch.Tensor:
        """Attention over texts of equal length, all (texts, heads, tokens, width of a head)."""
        return functional.scaled_dot_product_attention(query, key, value)

    def _attend(self, qkv: torch.Tensor, groups: list[tuple[int, int]]) -> torch.Tensor:
        width = qkv.shape[1] // 3
        found = qkv.new_empty(qkv.shape[0], width)
        start = 0
        for length, times in groups:
            end = start + length * times
            part = qkv[start:end].view(times, length, 3, self.heads, width // self.heads)
            query, key, value = part.permute(2, 0, 3, 1, 4)
            attended = self._attention(query, key, value)
            found[start:end] = attended.transpose(1, 2).reshape(length * times, width)
            start = end
        return found

    def _linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            states, self.weights[name + ".weight"], self.weights.get(name + ".bias")
        )

    def _norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return functional.layer_norm(states, weight.shape, weight, bias, self.epsilon)

    @classmethod
    def _own_name(cls, published: str) -> str:
        """What a weight of the checkpoint is called here."""
        return published

    @classmethod
    def _check_configuration(cls, config: Mapping[str, Any], name: str) -> None:
        if config.get("hidden_act") != "gelu" or config.get("model_type") != "bert":
            raise ModelError(f"{name}: only BERT with the exact gelu is computed here")

    @classmethod
    def _architecture(cls, config: Mapping[str, Any]) -> Architecture:
        return Architecture(
            config["num_hidden_layers"],
            config["hidden_size"],
            config["num_attention_heads"],
            config["intermediate_size"],
        )

    def _check(self, keys: set[str], name: str) -> None:
        parts = [
            f"encoder.layer.{i}.{part}" for i in range(self.layers) for part in self.layer_parts
        ]
        parts.append("embeddings.LayerNorm")
        expected = {f"{part}.weight" for part in parts}
        expected |= {
            f"{part}.bias" for part in parts if not part.endswith(self.without_bias or "\0")
        }
        expected |= {f"embeddings.{kind}_embeddings.weight" for kind in self.embedding_tables}
        expected |= set(self.other_tables)
        check_keys(keys - IGNORED, expected, name)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of ``model.safetensors``, or of the shards that its index names, as stored.

    Raises:
        ModelError: if a file is missing, cut short or damaged, or there is only a pickle, which
            may hold code and is never read.
    """
    if (folder / WEIGHTS).is_file():
        return _read(folder / WEIGHTS)
    if (folder / INDEX).is_file():
        return _read_shards(folder)
    pickled = next((one.name for one in folder.iterdir() if one.suffix in PICKLES), None)
    raise ModelError(
        f"{folder.name} holds pickled weights only ({pickled}), which may run code and are "
        "never read; get model.safetensors"
        if pickled
        else f"{folder.name} holds no model.safetensors; install it again"
    )


def _read_shards(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of all shards, each where the index says that it is."""
    try:
        places = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
        shards = sorted({Path(shard).name for shard in places.values()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{folder.name}/{INDEX} is damaged; install it again") from error
    found = {}
    for shard in shards:
        if not (folder / shard).is_file():
            raise ModelError(f"{folder.name} lacks {shard}, which {INDEX} names; install it again")
        tensors = _read(folder / shard)
        if set(tensors) != {name for name, at in places.items() if at == shard}:
            raise ModelError(
                f"{folder.name}/{shard} does not hold the weights that {INDEX} says it does; "
                "install it again"
            )
        found.update(tensors)
    return found


def _read(path: Path) -> dict[str, torch.Tensor]:
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ModelError(
            f"{path.parent.name}/{path.name} is cut short or damaged; install it again"
        ) from error


def check_keys(found: set[str], expected: set[str], name: str) -> None:
    """Refuse a checkpoint with a key too few or too many, so that no weight stays random."""
    for fault, wrong in (("lacks", expected - found), ("has", found - expected)):
        if wrong:
            raise ModelError(f"the checkpoint {name} {fault} {min(wrong)}; it is another model")


def refuse_others(
    config: Mapping[str, Any], wanted: Mapping[str, object], name: str, model: str
) -> None:
    """Refuse a configuration that asks for another computation than the one here."""
    for key, value in wanted.items():
        if config.get(key) != value:
            raise ModelError(
                f"{name}: config.json says {key} is {config.get(key)!r}; {model} is computed here "
                f"with {value!r} only"
            )
