"""The models of the hub computed plainly, to judge the code that computes them fast.

Here the published names and keys are read, one text at a time, with einsum, complex numbers for
rotary positions, and adapters applied to activations instead of weights.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from tests.checkpoints import TASKS, Weights, attention_names, norm_of_attention


def plain_slopes(heads: int) -> list[float]:
    """ALiBi's slopes by the recursion of its authors."""
    if math.log2(heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**i for i in range(heads)]
    power = 2 ** math.floor(math.log2(heads))
    return plain_slopes(power) + plain_slopes(2 * power)[0::2][: heads - power]


def plain_bucket(distance: int) -> int:
    """MPNet's bucket of a key that stands so many tokens behind the query, in whole numbers: the
    k-th step beyond 8 tokens begins where (n / 8) ** 8 reaches 16 ** k."""
    away = abs(distance)
    steps = [k for k in range(1, 8) if away**8 >= 16**k * 8**8]
    return (away if away < 8 else 8 + len(steps)) + (16 if distance > 0 else 0)


class Plain:
    """A published checkpoint computed one text at a time.

    Args:
        task: of the adapter, for jina_embeddings_v3.
    """

    def __init__(self, kind: str, config: dict[str, Any], weights: Weights, task: str = "") -> None:
        self.kind, self.config = kind, config
        self.weights = {name: tensor.double() for name, tensor in weights.items()}
        self.task = TASKS.index(task) if task else None
        self.prefix = "roberta." if kind in ("xlm_roberta", "jina_embeddings_v3") else ""
        self.heads: int = config["n_head" if kind == "nomic_bert" else "num_attention_heads"]

    def states(self, ids: list[int], rows: list[int] | None = None) -> torch.Tensor:
        """States of a text's tokens, or of some, in float64; some only where there is one layer."""
        rotary = self.kind in ("nomic_bert", "jina_embeddings_v3")
        hidden = self.embedded("word_embeddings", ids)
        if self.kind != "mpnet":
            hidden = hidden + self.embedded("token_type_embeddings", [0])
        if self.kind in ("xlm_roberta", "mpnet"):
            places: list[int] = []
            for one in ids:  # fairseq's: padding has its own place, the first token the next one
                seen = len([place for place in places if place != 1])
                places.append(1 if one == 1 else seen + 2)
            hidden = hidden + self.embedded("position_embeddings", places)
        hidden = self.norm(hidden, "emb_ln" if rotary else "embeddings.LayerNorm")
        layers = self.config["n_layer" if self.kind == "nomic_bert" else "num_hidden_layers"]
        for i in range(layers):
            layer = f"encoder.layers.{i}." if rotary else f"encoder.layer.{i}."
            kept = list(range(len(ids))) if rows is None else rows
            attended = self.attention(hidden, layer, kept)
            names = ("norm1", "norm2")
            if self.kind == "jina_bert":
                names = (norm_of_attention(self.kind), "mlp.layernorm")
            elif self.kind in ("xlm_roberta", "mpnet"):
                names = (norm_of_attention(self.kind), "output.LayerNorm")
            hidden = self.norm(hidden[kept] + attended, layer + names[0])
            hidden = self.norm(hidden + self.network(hidden, layer), layer + names[1])
        return hidden

    def embedded(self, name: str, ids: list[int]) -> torch.Tensor:
        base = f"{self.prefix}embeddings.{name}"
        if f"{base}.weight" in self.weights:
            return self.weights[f"{base}.weight"][ids]
        base += ".parametrizations.weight"
        found = self.weights[f"{base}.original"][ids]
        if self.task is not None:
            down = self.weights[f"{base}.0.lora_A"][self.task][ids]
            scale = self.config["lora_alpha"] / self.config["lora_rank"]
            found = found + scale * torch.einsum(
                "tr,rw->tw", down, self.weights[f"{base}.0.lora_B"][self.task]
            )
        return found

    def linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        base = f"{self.prefix}{name}"
        bias = self.weights.get(f"{base}.bias", torch.zeros(1, dtype=torch.float64))
        if f"{base}.weight" in self.weights:
            return torch.einsum("ti,oi->to", states, self.weights[f"{base}.weight"]) + bias
        adapted = f"{base}.parametrizations.weight"
        found = torch.einsum("ti,oi->to", states, self.weights[f"{adapted}.original"]) + bias
        if self.task is not None:
            narrow = torch.einsum(
                "ti,ri->tr", states, self.weights[f"{adapted}.0.lora_A"][self.task]
            )
            wide = torch.einsum("tr,or->to", narrow, self.weights[f"{adapted}.0.lora_B"][self.task])
            found = found + wide * self.config["lora_alpha"] / self.config["lora_rank"]
        return found

    def norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        nomic = self.kind == "nomic_bert"
        epsilon = self.config["layer_norm_epsilon" if nomic else "layer_norm_eps"]
        centred = states - states.mean(1, keepdim=True)
        scaled = centred / torch.sqrt((centred**2).mean(1, keepdim=True) + epsilon)
        base = f"{self.prefix}{name}"
        return scaled * self.weights[f"{base}.weight"] + self.weights[f"{base}.bias"]

    def attention(self, hidden: torch.Tensor, layer: str, rows: list[int]) -> torch.Tensor:
        if self.kind in ("nomic_bert", "jina_embeddings_v3"):
            inside = layer + ("attn" if self.kind == "nomic_bert" else "mixer")
            mixed = self.linear(hidden, f"{inside}.Wqkv")
            width = hidden.shape[1]
            parts = [mixed[:, :width], mixed[:, width : 2 * width], mixed[:, 2 * width :]]
            output = f"{inside}.out_proj"
        else:
            *names, last = attention_names(self.kind)
            parts = [self.linear(hidden, layer + name) for name in names]
            output = layer + last
        size = hidden.shape[1] // self.heads
        found = []
        for head in range(self.heads):
            query, key, value = (part[:, head * size : (head + 1) * size] for part in parts)
            if self.kind in ("nomic_bert", "jina_embeddings_v3"):
                query, key = self.turned(query), self.turned(key)
            scores = torch.einsum("id,jd->ij", query[rows], key) / math.sqrt(size)
            if self.kind == "jina_bert":
                slope = plain_slopes(self.heads)[head]
                places = torch.arange(len(hidden), dtype=torch.float64)
                for at, i in enumerate(rows):
                    scores[at] -= slope * (places - i).abs()
            if self.kind == "mpnet":
                biases = self.weights["encoder.relative_attention_bias.weight"][:, head]
                length = len(hidden)
                by_distance = biases[[plain_bucket(d) for d in range(1 - length, length)]]
                for at, i in enumerate(rows):
                    scores[at] += by_distance[length - 1 - i : 2 * length - 1 - i]
            found.append(torch.einsum("ij,jd->id", torch.softmax(scores, 1), value))
        return self.linear(torch.cat(found, 1), output)

    def turned(self, states: torch.Tensor) -> torch.Tensor:
        """Rotary positions: dimension k and k + half form a complex number that turns."""
        half = states.shape[1] // 2
        base = float(self.config["rotary_emb_base"])
        speeds = torch.tensor([base ** (-2 * k / (2 * half)) for k in range(half)]).double()
        angles = torch.outer(torch.arange(len(states), dtype=torch.float64), speeds)
        turned = torch.complex(states[:, :half], states[:, half:]) * torch.exp(1j * angles)
        return torch.cat([turned.real, turned.imag], 1)

    def network(self, states: torch.Tensor, layer: str) -> torch.Tensor:
        if self.kind in ("xlm_roberta", "mpnet"):
            inner = gelu(self.linear(states, f"{layer}intermediate.dense"))
            return self.linear(inner, f"{layer}output.dense")
        if self.kind == "jina_embeddings_v3":
            return self.linear(gelu(self.linear(states, f"{layer}mlp.fc1")), f"{layer}mlp.fc2")
        if self.kind == "nomic_bert":
            first, second = (self.linear(states, f"{layer}mlp.{name}") for name in ("fc11", "fc12"))
            return self.linear(first * second * torch.sigmoid(second), f"{layer}mlp.fc2")
        both = self.linear(states, f"{layer}mlp.gated_layers")
        inner = self.config["intermediate_size"]
        first, second = both[:, :inner], both[:, inner:]
        return self.linear(gelu(first) * second, f"{layer}mlp.wo")


def gelu(values: torch.Tensor) -> torch.Tensor:
    return values * 0.5 * (1 + torch.erf(values / math.sqrt(2)))
