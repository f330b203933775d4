"""The models of the hub as transformers computes them with classes of its own, and JinaBERT, of
which it has none, computed plainly, to judge the code that computes them fast."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import transformers

from tests.checkpoints import TASKS, Weights, size_keys

NAMES = {
    "roberta.": "",
    "encoder.layers": "layers",
    "emb_ln": "embeddings.LayerNorm",
    "attn.out_proj": "self_attn.o_proj",
    "mixer.out_proj": "self_attn.o_proj",
    "mlp.fc11": "mlp.up_proj",
    "mlp.fc12": "mlp.gate_proj",
    "norm1": "post_attention_layernorm",
    "norm2": "post_mlp_layernorm",
}
"""Published names of rotary models and those of transformers' own classes."""
CLASSES = {
    "mpnet": "MPNet",
    "xlm_roberta": "XLMRoberta",
    "nomic_bert": "NomicBert",
    "jina_embeddings_v3": "JinaEmbeddingsV3",
}
States = Callable[[list[int]], torch.Tensor]


def plain(kind: str, config: dict[str, Any], weights: Weights, task: str = "") -> States:
    """What gives the states of a text by its ids: ``task``: of the adapter of
    jina_embeddings_v3."""
    if kind == "jina_bert":
        return PlainJinaBert(config, weights).states
    rotary = kind in ("nomic_bert", "jina_embeddings_v3")
    if task:
        weights = with_adapter(weights, TASKS.index(task), config)
    elif kind == "jina_embeddings_v3":
        weights = with_adapter(weights, 0, config | {"lora_alpha": 0})
    sizes = dict(zip(size_keys("bert"), (config[key] for key in size_keys(kind)), strict=True))
    sizes |= {key: config[key] for key in ("vocab_size", "type_vocab_size") if key in config}
    cls, of = (getattr(transformers, CLASSES[kind] + end) for end in ("Model", "Config"))
    model = cls(of(**sizes) if rotary else of.from_dict(config)).eval()
    named = renamed(kind, weights) if rotary else weights
    missing, unexpected = model.load_state_dict(
        {name.removeprefix("roberta."): v for name, v in named.items()}, strict=False
    )
    assert not [n for n in missing if not any(x in n for x in ("pooler", "rotary", "_ids"))]
    assert not [n for n in unexpected if "pooler" not in n], unexpected

    @torch.no_grad()
    def states(ids: list[int]) -> torch.Tensor:
        computed: torch.Tensor = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        return computed

    return states


def renamed(kind: str, weights: Weights) -> Weights:
    """The tensors of a published checkpoint under the names of transformers' own class."""
    names = NAMES | {"mlp.fc2": "mlp.down_proj" if kind == "nomic_bert" else "mlp.fc2"}
    result: Weights = {}
    for name, tensor in weights.items():
        for old, new in names.items():
            name = name.replace(old, new)
        if "Wqkv" in name:
            for part, rows in zip("qkv", tensor.chunk(3), strict=True):
                result[name.replace(next(w for w in ("attn.Wqkv", "mixer.Wqkv") if w in name),
                                    f"self_attn.{part}_proj")] = rows  # fmt: skip
        else:
            result[name] = tensor
    return result


def with_adapter(weights: Weights, task: int, config: dict[str, Any]) -> Weights:
    """Weights as peft merges one task's adapter: W + scale * B A, of a table of embeddings A B."""
    scale = config["lora_alpha"] / config["lora_rank"]
    result: Weights = {}
    for name, tensor in weights.items():
        base, _, part = name.partition(".parametrizations.weight")
        if not part:
            result[name] = tensor
        elif part == ".original":
            first, second = (weights[f"{base}.parametrizations.weight.0.lora_{x}"] for x in "AB")
            tables = "embeddings." in base
            product = first[task] @ second[task] if tables else second[task] @ first[task]
            result[f"{base}.weight"] = tensor + scale * product
    return result


def plain_slopes(heads: int) -> list[float]:
    """ALiBi's slopes by the recursion of its authors."""
    if math.log2(heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**i for i in range(heads)]
    power = 2 ** math.floor(math.log2(heads))
    return plain_slopes(power) + plain_slopes(2 * power)[0::2][: heads - power]


class PlainJinaBert:
    """A published checkpoint computed one text at a time, with einsum, in float64."""

    def __init__(self, config: dict[str, Any], weights: Weights) -> None:
        self.config = config
        self.weights = {name: tensor.double() for name, tensor in weights.items()}

    def states(self, ids: list[int]) -> torch.Tensor:
        """States of a text's tokens."""
        words = self.weights["embeddings.word_embeddings.weight"][ids]
        types = self.weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self.norm(words + types, "embeddings.LayerNorm")
        for i in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{i}."
            attended = self.attention(hidden, layer + "attention.")
            hidden = self.norm(hidden + attended, layer + "attention.output.LayerNorm")
            both = self.linear(hidden, f"{layer}mlp.gated_layers")
            first, second = both.chunk(2, dim=1)
            inner = first * 0.5 * (1 + torch.erf(first / math.sqrt(2))) * second
            narrow = self.linear(inner, f"{layer}mlp.wo")
            hidden = self.norm(hidden + narrow, layer + "mlp.layernorm")
        return hidden

    def linear(self, states: torch.Tensor, name: str) -> torch.Tensor:
        bias = self.weights.get(f"{name}.bias", torch.zeros(1, dtype=torch.float64))
        return torch.einsum("ti,oi->to", states, self.weights[f"{name}.weight"]) + bias

    def norm(self, states: torch.Tensor, name: str) -> torch.Tensor:
        apart = states - states.mean(1, keepdim=True)
        scaled = apart / torch.sqrt(
            (apart**2).mean(1, keepdim=True) + self.config["layer_norm_eps"]
        )
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, hidden: torch.Tensor, inside: str) -> torch.Tensor:
        heads = self.config["num_attention_heads"]
        parts = [self.linear(hidden, f"{inside}self.{part}") for part in ("query", "key", "value")]
        places = torch.arange(len(hidden), dtype=torch.float64)
        apart = (places - places.unsqueeze(1)).abs()
        states = []
        for slope, (query, key, value) in zip(
            plain_slopes(heads), zip(*(p.chunk(heads, 1) for p in parts), strict=True), strict=True
        ):
            scores = torch.einsum("id,jd->ij", query, key) / math.sqrt(query.shape[1])
            weighed = torch.softmax(scores - slope * apart, 1)
            states.append(torch.einsum("ij,jd->id", weighed, value))
        return self.linear(torch.cat(states, 1), f"{inside}output.dense")
